"""The check letter of NRIC and FIN numbers: seven weighted digits and one table per series.

Source: National Registration Regulations. The M series is used for FINs issued from 1 January 2022.
"""

WEIGHTED_ZEROS = ord("0") * (2 + 7 + 6 + 5 + 4 + 3 + 2)
"""The weighted sum of the character codes of seven zeros."""
OFFSETS = {"S": 0, "T": 4, "F": 0, "G": 4, "M": 3}
CITIZEN_LETTERS = "JZIHGFEDCBA"
FOREIGNER_LETTERS = "XWUTRQPNMLK"
M_LETTERS = "XWUTRQPNJLK"
"""The M series has J where the F and G series have M."""


class InvalidFormat(ValueError):
    """The number is not a series letter, seven digits and a letter."""


class WrongCheckLetter(ValueError):
    """The last letter does not match the digits."""


def compact(number: str) -> str:
    """Return the number in capitals, without spaces and hyphens."""
    return number.replace(" ", "").replace("-", "").upper()


def validate(number: str, series: str, name: str) -> str:
    """Return the compact number if it belongs to one of these series; raise InvalidFormat or WrongCheckLetter."""
    compacted = compact(number)
    digits = compacted[1:8]
    if len(compacted) != 9 or compacted[0] not in series or not (digits.isascii() and digits.isdigit()):
        letters = " or ".join(series)
        raise InvalidFormat(f"{number} is not a valid {name}: {letters}, seven digits and a letter")
    if compacted[8] != letter(compacted[0], digits):
        raise WrongCheckLetter(f"{number} has the wrong check letter")
    return compacted


def letter(series: str, digits: str) -> str:
    """The check letter of seven digits in a series.

    >>> letter("S", "1234567"), letter("G", "1612350"), letter("M", "1234567")
    ('D', 'T', 'K')
    """
    d1, d2, d3, d4, d5, d6, d7 = digits.encode()
    weighted = 2 * d1 + 7 * d2 + 6 * d3 + 5 * d4 + 4 * d5 + 3 * d6 + 2 * d7 - WEIGHTED_ZEROS
    remainder = (OFFSETS[series] + weighted) % 11
    if series in "ST":
        return CITIZEN_LETTERS[remainder]
    return (M_LETTERS if series == "M" else FOREIGNER_LETTERS)[remainder]
