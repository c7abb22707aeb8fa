"""The check letter that NRIC and FIN share: seven weighted digits, and a table for each series.

National Registration Regulations; the M series is in use for FINs issued from 1 January 2022.
"""

WEIGHTS = (2, 7, 6, 5, 4, 3, 2)
OFFSETS = {"S": 0, "T": 4, "F": 0, "G": 4, "M": 3}
CITIZEN_LETTERS = "JZIHGFEDCBA"
FOREIGNER_LETTERS = "XWUTRQPNMLK"
M_LETTERS = "XWUTRQPNJLK"
"""The M series has J where the older series of foreigners have M."""


class InvalidFormat(ValueError):
    """The number does not consist of a letter of its series, seven digits and a letter."""


class WrongCheckLetter(ValueError):
    """The last letter does not follow from the digits."""


def compact(number: str) -> str:
    """The number without spaces and hyphens, in capitals."""
    return number.replace(" ", "").replace("-", "").upper()


def validate(number: str, series: str, name: str) -> str:
    """The compact number of one of these series; raises InvalidFormat or WrongCheckLetter."""
    found = compact(number)
    digits = found[1:8]
    if len(found) != 9 or found[0] not in series or not (digits.isascii() and digits.isdigit()):
        letters = " or ".join(series)
        raise InvalidFormat(f"{number} is not a valid {name}: {letters}, seven digits and a letter")
    if found[8] != letter(found[0], digits):
        raise WrongCheckLetter(f"{number} has the wrong check letter")
    return found


def letter(series: str, digits: str) -> str:
    """The check letter of seven digits in a series.

    >>> letter("S", "1234567"), letter("G", "1612350"), letter("M", "1234567")
    ('D', 'T', 'K')
    """
    weighted = sum(weight * int(digit) for weight, digit in zip(WEIGHTS, digits, strict=True))
    remainder = (OFFSETS[series] + weighted) % 11
    if series in "ST":
        return CITIZEN_LETTERS[remainder]
    return (M_LETTERS if series == "M" else FOREIGNER_LETTERS)[remainder]
