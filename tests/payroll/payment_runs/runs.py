"""Helpers for tests of payment runs."""

import time
from typing import Any

import httpx

from tests.payroll.payslips.slips import enter
from tests.support.company import Company
from tests.support.running import created

JANUARY, FEBRUARY, MARCH = "2026-01-31", "2026-02-28", "2026-03-31"
READY_WITHIN_S = 60


def hired(company: Company, salary: str = "4200.00", **given: Any) -> int:
    """An employee with a salary, paid from January 2026 on."""
    employee_id = company.hire(**{"appointment_date": "2026-01-01", **given})
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount=salary)
    return employee_id


def ask(company: Company, end: str = JANUARY, **given: Any) -> httpx.Response:
    """Ask for a run of the company's wave."""
    body = {"wave_id": company.wave_id, "period_end_date": end, **given}
    return company.member.post(f"/clients/{company.id}/payment_runs", body)


def opened(company: Company, end: str = JANUARY, **given: Any) -> int:
    """A run of the company's wave."""
    return created(ask(company, end, **given))


def act(company: Company, run_id: int, action: str) -> httpx.Response:
    """Ask for calculate, finalise, unfinalise or release."""
    return company.member.post(f"/payment_runs/{run_id}/{action}")


def done(company: Company, run_id: int, action: str) -> None:
    """Have it done."""
    answer = act(company, run_id, action)
    assert answer.status_code == 200, answer.text
    assert answer.json().keys() - {"differences"} == {"message", "id"}
    assert answer.json()["id"] == run_id


def paid(company: Company, end: str = JANUARY, **given: Any) -> int:
    """A run that is finalised."""
    run_id = opened(company, end, **given)
    done(company, run_id, "finalise")
    return run_id


def read(company: Company, run_id: int) -> dict[str, Any]:
    """A run as the API shows it alone."""
    answer = company.member.get(f"/payment_runs/{run_id}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["payment_run"]
    return found


def listed(company: Company) -> list[dict[str, Any]]:
    """The runs of the company as the list shows them."""
    answer = company.member.get(f"/clients/{company.id}/payment_runs")
    assert answer.status_code == 200, answer.text
    return [element["payment_run"] for element in answer.json()]


def payslips(company: Company, run_id: int) -> list[dict[str, Any]]:
    """The payslips of a run."""
    answer = company.member.get(f"/payment_runs/{run_id}/payslips")
    assert answer.status_code == 200, answer.text
    return [element["payslip"] for element in answer.json()]


def until_ready(company: Company, run_id: int) -> dict[str, Any]:
    """A run when all its payslips are calculated."""
    deadline = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < deadline:
        found = read(company, run_id)
        if found["state"] != "calculating":
            return found
        time.sleep(0.05)
    raise AssertionError(f"the run is still {found}")
