"""What each of several ranges of days earned of the lines of payslips, to divide the lines between years."""

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction

from msgspec.structs import replace

from gaji.engine.batch import calculate_with_trace
from gaji.engine.catalogue import SYSTEM_TYPES, build_catalogue
from gaji.engine.earnings import NATIONAL_SERVICE, UNPAID_LEAVE
from gaji.engine.earnings.dated_pay import limited_pay
from gaji.engine.payslip_input import PayslipInput
from gaji.law.registry import Law

DayRange = tuple[date, date]
EarnedShares = Mapping[str, Sequence[Fraction]]
"""By line, one share for each range of days."""


def earned_shares(law: Law, payslips: Sequence[PayslipInput], ranges: Sequence[DayRange]) -> list[EarnedShares]:
    """Return what the days of each range earned of the lines whose values change, and the days of absences.

    The payslips have the same period. Custom items are left out.
    """
    shares: list[dict[str, Sequence[Fraction]]] = [_absences(payslip, ranges) for payslip in payslips]
    dated = [i for i, payslip in enumerate(payslips) if any(entry.parts for entry in payslip.calculations.values())]
    if not dated:
        return list(shares)
    trace = calculate_with_trace(law, build_catalogue(), [_system_items(payslips[i]) for i in dated])
    attendances = [trace.attendance.within(first, last) for first, last in ranges]
    for name, pays in trace.dated.items():
        limited = [limited_pay(pays, attendance) for attendance in attendances]
        for index in pays:
            shares[dated[index]][name] = [pay[index].exact_cents for pay in limited]
    return list(shares)


def _system_items(payslip: PayslipInput) -> PayslipInput:
    entries = {name: entry for name, entry in payslip.calculations.items() if name in SYSTEM_TYPES}
    return replace(payslip, calculations=entries, past_differences=[])


def _absences(payslip: PayslipInput, ranges: Sequence[DayRange]) -> dict[str, Sequence[Fraction]]:
    """The days of each absence in each range, if their dates are known."""
    leave = payslip.leave
    absences = {UNPAID_LEAVE: leave.unpaid_dates, NATIONAL_SERVICE: leave.national_service_dates}
    return {
        name: [_days_within(dates, first.isoformat(), last.isoformat()) for first, last in ranges]
        for name, dates in absences.items()
        if dates
    }


def _days_within(days_by_date: Mapping[str, str], first: str, last: str) -> Fraction:
    return sum((Fraction(days) for day, days in days_by_date.items() if first <= day <= last), Fraction(0))
