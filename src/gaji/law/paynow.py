"""PayNow: what a payment can be addressed to instead of an account number.

>>> validate("9123 4567"), validate("+65 8123 4567"), validate("s1234567d"), validate("202699999E")
('+6591234567', '+6581234567', 'S1234567D', '202699999E')
>>> [kind(number) for number in ("+6591234567", "S1234567D", "202699999E", "202699999EHR1")]
[<PayNowKind.MOBILE: 'MSISDN'>, <PayNowKind.NRIC: 'NRIC'>, <PayNowKind.UEN: 'UEN'>, <PayNowKind.UEN: 'UEN'>]
"""

import re
from enum import StrEnum

from stdnum.sg import uen

from gaji.law import fin, nric

MOBILE = re.compile(r"(?:\+?65)?([89]\d{7})", re.ASCII)
COUNTRY_CODE = "+65"
SUFFIX_LENGTH = 3
"""A company can add three characters to its UEN."""


class PayNowKind(StrEnum):
    """The kinds of numbers, as payment files spell them."""

    MOBILE = "MSISDN"
    NRIC = "NRIC"
    """An NRIC or a FIN."""
    UEN = "UEN"


def validate(number: str) -> str:
    """Return the compact number; raise ValueError if it is no mobile number, NRIC, FIN or UEN of Singapore."""
    compact = re.sub(r"[\s-]", "", number).upper()
    if match := MOBILE.fullmatch(compact):
        return COUNTRY_CODE + match[1]
    if nric.is_valid(compact) or fin.is_valid(compact) or _is_uen(compact):
        return compact
    raise ValueError(f"{number} is not a PayNow number")


def kind(number: str) -> PayNowKind:
    """Return the kind of a valid number."""
    if number.startswith(COUNTRY_CODE):
        return PayNowKind.MOBILE
    return PayNowKind.NRIC if nric.is_valid(number) or fin.is_valid(number) else PayNowKind.UEN


def _is_uen(text: str) -> bool:
    if uen.is_valid(text):
        return True
    suffix = text[-SUFFIX_LENGTH:]
    return suffix.isascii() and suffix.isalnum() and bool(uen.is_valid(text[:-SUFFIX_LENGTH]))
