"""NRIC: the identity number of citizens and permanent residents, series S and T.

>>> validate("s1234567d")
'S1234567D'
>>> is_valid("S1234567E"), is_valid("G1612350T")
(False, False)
>>> format("S1234567D")
'S1234567D'
"""

from gaji.law import check_letter
from gaji.law.check_letter import compact

SERIES = "ST"

__all__ = ["SERIES", "compact", "format", "is_valid", "validate"]


def validate(number: str) -> str:
    """The compact number; raises ValueError with what is wrong."""
    return check_letter.validate(number, SERIES, "NRIC")


def is_valid(number: str) -> bool:
    """Whether this is an NRIC."""
    try:
        return bool(validate(number))
    except ValueError:
        return False


def format(number: str) -> str:
    """The number as it is printed."""
    return compact(number)
