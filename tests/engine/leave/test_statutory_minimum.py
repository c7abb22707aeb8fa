"""The statutory minimum of leave."""

from datetime import date

import numpy as np
import pytest

from gaji.engine.leave.balances import BalanceDates, LeaveEntries, ServiceColumns, compute_balances
from gaji.engine.leave.statutory_minimum import TYPES_WITH_MINIMUM, find_shortfall, statutory_policies
from gaji.law import registry
from gaji.law.columns import Dates, date_column, missing_dates
from gaji.law.leave import annual, sick
from gaji.law.length_of_service import completed_months, completed_months_before
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.quantities import MILLI, counts
from tests.engine.leave.case_files import Case, build_policy, cases

MONTH = Month(2026, 1)
APPOINTED = date(2015, 3, 31)
NO_ENTRIES = LeaveEntries(np.array([], dtype=np.intp), date_column([]), counts([]))


@cases("minimum")
def test_minimum(case: Case, law: registry.Law) -> None:
    shortfall = find_shortfall(law.leave, case["type"], build_policy(case["policy"]), date(2026, 1, 1))
    assert (shortfall and shortfall.params) == case.get("shortfall")


@pytest.mark.parametrize("leave_type", TYPES_WITH_MINIMUM)
def test_no_default_policy_gives_less_than_the_law(law: registry.Law, leave_type: str) -> None:
    for policy in statutory_policies(law.leave)[leave_type]:
        assert find_shortfall(law.leave, leave_type, policy, policy.since or date(2019, 4, 1)) is None


def every_day(years: int) -> Dates:
    return np.arange(np.datetime64(APPOINTED, "D"), np.datetime64(date(APPOINTED.year + years, 3, 30), "D"))


def balances_without_leave(law: registry.Law, leave_type: str, dates: Dates) -> list[int]:
    """The balance on each date of an employee who takes no leave."""
    first = np.full(len(dates), np.datetime64(APPOINTED, "D"))
    services = ServiceColumns(first, missing_dates(len(dates)), first)
    policies = statutory_policies(law.leave)[leave_type]
    balances: list[int] = compute_balances(policies, BalanceDates(services, dates), NO_ENTRIES).millidays.tolist()
    return balances


def test_annual_leave_is_the_statutory_minimum_on_every_day_of_ten_years(law: registry.Law) -> None:
    dates = every_day(10)
    first = np.full(len(dates), np.datetime64(APPOINTED, "D"))
    years_before = completed_months_before(first, dates) // MONTHS_PER_YEAR
    carried = np.where(years_before > 0, annual.entitled_days(law.leave, MONTH, np.maximum(years_before, 1)), 0)
    earned = annual.earned_days(law.leave, MONTH, first, dates)
    assert balances_without_leave(law, "annual_leave", dates) == ((carried + earned) * MILLI).tolist()


def test_sick_leave_is_the_statutory_minimum_on_every_day(law: registry.Law) -> None:
    dates = every_day(4)
    months = completed_months(np.full(len(dates), np.datetime64(APPOINTED, "D")), dates)
    outpatient = sick.outpatient_days(law.leave, MONTH, months)
    with_hospitalisation = sick.with_hospitalisation_days(law.leave, MONTH, months)
    assert balances_without_leave(law, "sick_leave", dates) == (outpatient * MILLI).tolist()
    assert balances_without_leave(law, "hospitalisation_leave", dates) == (with_hospitalisation * MILLI).tolist()
