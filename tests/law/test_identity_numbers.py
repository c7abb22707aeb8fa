"""NRIC and FIN: the check letter of all five series."""

import pytest

from gaji.law import check_letter, fin, nric


@pytest.mark.parametrize(
    "number", ["S9812387C", "S9912363Z", "S9912366D", "S9912369I", "S9912370B", "S6005055D", "S9812379B", "T5717279C"]
)
def test_numbers_of_citizens_and_permanent_residents_are_valid(number: str) -> None:
    assert nric.validate(number) == number
    assert not fin.is_valid(number)


@pytest.mark.parametrize("number", ["F1612347K", "G1612349N", "G1612350T", "G1612353L", "M2424771J", "M1234567K"])
def test_numbers_of_foreigners_are_valid(number: str) -> None:
    assert fin.validate(number) == number
    assert not nric.is_valid(number)


@pytest.mark.parametrize("number", ["S1234567E", "G8877699L", "M8877689K", "M1234567L", "M1234567I"])
def test_a_wrong_check_letter_is_rejected(number: str) -> None:
    with pytest.raises(check_letter.WrongCheckLetter, match=f"{number} has the wrong check letter"):
        (nric if number[0] in nric.SERIES else fin).validate(number)


@pytest.mark.parametrize("number", ["G88776991Z", "GAAAAAAAZ", "X1234567D", "S123456D", "", "S１２３４５６７D", "S-"])
def test_an_invalid_format_is_rejected(number: str) -> None:
    for kind in (nric, fin):
        with pytest.raises(check_letter.InvalidFormat):
            kind.validate(number)


@pytest.mark.parametrize("series", "STFGM")
def test_exactly_one_letter_is_valid(series: str) -> None:
    kind = nric if series in nric.SERIES else fin
    for digits in ("0000000", "1234567", "9999999"):
        valid = [letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if kind.is_valid(series + digits + letter)]
        assert valid == [check_letter.letter(series, digits)]


def test_lower_case_spaces_and_hyphens_are_normalised() -> None:
    assert nric.validate(" s1234567-d ") == "S1234567D"
