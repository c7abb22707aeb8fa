"""Lists of an employee's payslips."""

from collections.abc import Mapping, Sequence
from typing import Any


def with_period_ends(payslips: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return payslips in the API's form with `period_end`, which is that of the corrected payslip for a correction.

    >>> regular, correction = {"id": 4, "date": "2026-11-30"}, {"id": 9, "date": "2026-12-31", "corrects": 4}
    >>> [payslip["period_end"] for payslip in with_period_ends([correction, regular])]
    ['2026-11-30', '2026-11-30']
    """
    dates = {payslip["id"]: payslip["date"] for payslip in payslips}
    return [
        {**payslip, "period_end": dates.get(payslip.get("corrects", payslip["id"]), payslip["date"])}
        for payslip in payslips
    ]
