"""FIN: the identity number of foreigners with a pass, in series F, G and M.

>>> validate("g1612350t"), validate("M1234567K")
('G1612350T', 'M1234567K')
>>> is_valid("M1234567L"), is_valid("S1234567D")
(False, False)
"""

from gaji.law import check_letter
from gaji.law.check_letter import compact

SERIES = "FGM"

__all__ = ["SERIES", "compact", "is_valid", "validate"]


def validate(number: str) -> str:
    """Return the compact number; raise InvalidFormat or WrongCheckLetter, both of them ValueErrors."""
    return check_letter.validate(number, SERIES, "FIN")


def is_valid(number: str) -> bool:
    """Whether the number is a valid FIN."""
    try:
        return bool(validate(number))
    except ValueError:
        return False
