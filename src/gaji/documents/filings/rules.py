"""For which month a filing is asked for, and as which advice."""

from collections.abc import Mapping, Sequence

from gaji.core.errors import INVALID, Errors, ValidationError
from gaji.core.validation import Integer
from gaji.law.months import Month

ADVICE_CODE = "advice_code"
FIRST_ADVICE, LAST_ADVICE = 1, 99


def parse_filing_query(month: str, query: Mapping[str, Sequence[str]]) -> tuple[Month, int]:
    """The month in a path and the advice code in a query, the first where none is given; names what is wrong."""
    faults: Errors = Errors()
    advice = FIRST_ADVICE
    if ADVICE_CODE in query:
        advice = Integer(FIRST_ADVICE, LAST_ADVICE).parse(query[ADVICE_CODE][-1], ADVICE_CODE, faults) or 0
    try:
        found = Month.parse(month)
    except ValueError:
        faults.add("month", INVALID, reason="must be a month such as 2026-01")
    if faults:
        raise ValidationError(faults)
    return found, advice
