"""The foreign worker levy of employees who change waves: once a month, on the last payslip of the month.

It is Wednesday, 18 March 2026.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.payroll.calculations.levies import WEEKS, levied, levies, pay
from tests.payroll.payment_runs.runs import hired
from tests.payroll.retro_proposals import proposals
from tests.support.company import ENDS_ON_20, MONTHLY, WEEKLY, Company

ENDS_ON_15 = {**MONTHLY, "last_day_of_month": 15, "first_end_date": "2024-01-15"}


@pytest.mark.parametrize(
    ("old", "new", "payments", "levy"),
    [
        (WEEKLY, MONTHLY, [(0, WEEKS[:3]), (1, ("2026-03-31",))], {"2026-03-31": "300.00"}),
        (WEEKLY, ENDS_ON_15, [(0, WEEKS[:3]), (1, ("2026-04-15",))], {"2026-03-20": "300.00", "2026-04-15": "300.00"}),
        (ENDS_ON_20, MONTHLY, [(0, ("2026-03-20",)), (1, ("2026-03-31",))], {"2026-03-31": "300.00"}),
        (ENDS_ON_20, WEEKLY, [(0, ("2026-03-20",)), (1, WEEKS[3:])], {"2026-03-27": "300.00"}),
    ],
)
def test_a_change_of_wave_leaves_one_levy_in_each_month(
    company: Company,
    old: dict[str, Any],
    new: dict[str, Any],
    payments: list[tuple[int, Sequence[str]]],
    levy: dict[str, str],
) -> None:
    employee_id, first = levied(company, old)
    second = company.wave(**{**new, "first_end_date": payments[1][1][0]})
    assert company.patch(employee_id, wave_id=second).status_code == 200
    for number, ends in payments:
        pay(company, (first, second)[number], *ends)
    assert levies(company, employee_id, with_drafts=False) == levy


def test_a_change_of_wave_after_the_levy_was_taken_takes_no_second_one(company: Company) -> None:
    employee_id, first = levied(company, ENDS_ON_20)
    pay(company, first, "2026-03-20")
    second = company.wave(**{**MONTHLY, "first_end_date": "2026-03-31"})
    assert company.patch(employee_id, wave_id=second).status_code == 200
    pay(company, second, "2026-03-31")
    assert levies(company, employee_id, with_drafts=False) == {"2026-03-20": "300.00"}
    assert proposals.listed(company, employee_id) == []


def test_the_levy_is_not_lost_if_the_new_wave_has_paid_the_month_already(company: Company) -> None:
    second = company.wave(**{**MONTHLY, "first_end_date": "2026-03-31"})
    hired(company, wave_id=second)
    pay(company, second, "2026-03-31")
    employee_id, first = levied(company, WEEKLY)
    assert company.patch(employee_id, wave_id=second).status_code == 200
    pay(company, first, *WEEKS[:3])
    assert levies(company, employee_id, with_drafts=False) == {"2026-03-20": "300.00"}
