"""What each year earned of a line whose values change in a period over New Year."""

from datetime import date
from fractions import Fraction

from gaji.engine.catalogue import StoredValue
from gaji.engine.earned_shares import earned_shares
from gaji.engine.payslip_input import (
    CalculationEntry,
    EmployeeDetails,
    EntryPart,
    LeaveEffects,
    PayPeriod,
    PayslipInput,
    ServiceInterval,
)
from gaji.law.registry import Law

WEEK = PayPeriod(date(2025, 12, 29), date(2026, 1, 4), date(2026, 1, 6), 52, last_of_month=False)
YEARS = [(date(2025, 12, 29), date(2025, 12, 31)), (date(2026, 1, 1), date(2026, 1, 4))]
NEW_YEAR = date(2026, 1, 1)


def payslip(entry: CalculationEntry, leave: LeaveEffects | None = None) -> PayslipInput:
    """A payslip of the week over New Year."""
    person = EmployeeDetails(date(1990, 6, 15), "FOREIGNER", work_pass="EP")
    service = [ServiceInterval(date(2020, 1, 1))]
    calculations = {"basic_salary": entry, "12": CalculationEntry({"amount": "5.00"})}
    return PayslipInput(WEEK, person, service, calculations, leave=leave or LeaveEffects())


def dated(before: dict[str, StoredValue], after: dict[str, StoredValue]) -> CalculationEntry:
    """A salary that changes on 1 January."""
    return CalculationEntry(after, parts=[EntryPart(WEEK.start, before), EntryPart(NEW_YEAR, after)])


def test_an_increment_on_new_year_is_earned_in_the_new_year(law: Law) -> None:
    monthly = dated({"fixed_amount": "500.00"}, {"fixed_amount": "600.00"})
    daily = dated({"pay_type": "daily", "daily_rate": "100.00"}, {"pay_type": "daily", "daily_rate": "130.00"})
    shares = earned_shares(law, [payslip(monthly), payslip(daily)], YEARS)
    earned = [[int(cents) for cents in by_line["basic_salary"]] for by_line in shares]
    assert earned == [[30000, 24000], [30000, 26000]]


def test_lines_without_changes_have_no_shares_and_absences_have_their_days(law: Law) -> None:
    unchanged = CalculationEntry({"fixed_amount": "500.00"})
    leave = LeaveEffects(unpaid_days="1.5", unpaid_dates={"2025-12-31": "0.5", "2026-01-02": "1"})
    shares = earned_shares(law, [payslip(unchanged), payslip(unchanged, leave)], YEARS)
    assert shares == [{}, {"unpaid_leave": [Fraction(1, 2), Fraction(1)]}]
