"""NRIC: the identity number of citizens and permanent residents, in series S and T.

>>> validate("s1234567d")
'S1234567D'
>>> is_valid("S1234567E"), is_valid("G1612350T")
(False, False)
"""

from gaji.law import check_letter
from gaji.law.check_letter import compact

SERIES = "ST"

__all__ = ["SERIES", "compact", "is_valid", "validate"]


def validate(number: str) -> str:
    """Return the compact number; raise InvalidFormat or WrongCheckLetter, both of them ValueErrors."""
    return check_letter.validate(number, SERIES, "NRIC")


def is_valid(number: str) -> bool:
    """Whether the number is a valid NRIC."""
    try:
        return bool(validate(number))
    except ValueError:
        return False
