"""Helpers for tests of the foreign worker levy."""

from typing import Any

from tests.payroll.payment_runs.runs import paid
from tests.payroll.payslips.slips import detail, enter, slips
from tests.support.company import Company, of_status
from tests.support.running import created

ITEM = "foreign_worker_levy"
LEVY = {"sector": "services", "tier": "1", "skill": "R1"}
"""300.00 a month, or 9.87 a day."""
FIRST_OF_MARCH = "2026-03-01"
WEEKS = ("2026-03-06", "2026-03-13", "2026-03-20", "2026-03-27", "2026-04-03")


def levied(company: Company, wave: dict[str, Any], start: str = FIRST_OF_MARCH, **given: Any) -> tuple[int, int]:
    """Someone with a work permit who starts in March 2026, and their wave."""
    wave_id = company.wave(**wave)
    worker = of_status("FOREIGNER_WP", appointment_date=start, wave_id=wave_id, **given)
    employee_id = created(company.post(worker))
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="500.00")
    enter(company, f"employees/{employee_id}", "foreign_worker_levy", **LEVY)
    return employee_id, wave_id


def levies(company: Company, employee_id: int, *, with_drafts: bool = True) -> dict[str, str]:
    """The levy of each payslip of an employee that has one, by the date of the payslip."""
    levy_by_date = {}
    for slip in slips(company, employee_id):
        contributions = dict(dict(detail(company, slip["id"])["sideline"]).get("employer_contribution", ()))
        if ITEM in contributions and (with_drafts or slip["finalised"]):
            levy_by_date[slip["date"]] = contributions[ITEM]
    return levy_by_date


def pay(company: Company, wave_id: int, *ends: str) -> list[int]:
    """Pay the periods of a wave with these ends."""
    return [paid(company, end, wave_id=wave_id) for end in ends]
