"""New passwords that are easy to guess are rejected."""

import pytest

from gaji.identity.password_rules import password_errors

EMAIL = "siti.lim@kopi-trading.example"


@pytest.mark.parametrize(
    ("password", "code"),
    [
        ("short", "password_too_short"),
        ("x" * 1001, "too_long"),
        ("aaaaaaaaaaaa", "password_easy_to_guess"),
        ("abcdabcdabcd", "password_easy_to_guess"),
        ("123456789012", "password_easy_to_guess"),
        ("0987654321qwerty", "password_easy_to_guess"),
        ("qwertyuiop[]", "password_easy_to_guess"),
        ("Password1234", "password_easy_to_guess"),
        ("P@$$w0rd2026!", "password_easy_to_guess"),
        ("Welcome-Singapore-1", "password_easy_to_guess"),
        ("iloveyou!!!!", "password_easy_to_guess"),
        ("738291645028", "password_easy_to_guess"),
        ("unbelievable", "password_easy_to_guess"),
        ("JustinBieber", "password_easy_to_guess"),
        ("jamesbond007", "password_easy_to_guess"),
        ("riodejaneiro", "password_easy_to_guess"),
        ("SITI.LIM2026", "password_is_email"),
        (EMAIL, "password_is_email"),
        ("kopi-trading1", "password_is_email"),
    ],
)
def test_a_password_that_is_easy_to_guess_is_rejected(password: str, code: str) -> None:
    errors = password_errors(password, password, EMAIL)
    assert {path: error.kind.code for path, error in errors.items()} == {"new": code}


@pytest.mark.parametrize(
    ("password", "email", "name"),
    [
        ("ahmadrizal14", "ahmad.rizal@kopi.example", "Ahmad Rizal"),
        ("RizalAhmad2026", "office@kopi.example", "Ahmad Rizal bin Osman"),
        ("Ahmad-Rizal_1988", "office@kopi.example", "Ahmad Rizal"),
        ("14.rizal.ahmad", "ahmad.rizal@kopi.example", ""),
        ("Müller.Weiß.99", "office@kopi.example", "Weiß Müller"),
        ("ahmad123456789", "office@kopi.example", "Ahmad"),
    ],
)
def test_a_password_of_the_own_name_is_easy_to_guess(password: str, email: str, name: str) -> None:
    errors = password_errors(password, password, email, name)
    assert {path: error.kind.code for path, error in errors.items()} == {"new": "password_easy_to_guess"}


def test_a_password_with_more_than_the_own_name_is_accepted() -> None:
    for password in ("ahmad rizal kettle 14", "rizalkettleahmad", "tanjong katong 88"):
        assert password_errors(password, password, "ahmad.rizal@kopi.example", "Ahmad Rizal Tan") == {}


@pytest.mark.parametrize(
    "password",
    [
        "green kettle on ice",
        "x9$Kf2!mLq8z",
        "siti buys fish on Fridays",
        "kopi-o-kosong-7",
        "unbelievable rio",
        "zz\nunbelievable",
        "密码很长的句子没有人猜得到",
    ],
)
def test_other_passwords_are_accepted(password: str) -> None:
    assert password_errors(password, password, EMAIL) == {}
