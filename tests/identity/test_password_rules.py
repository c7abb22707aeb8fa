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
