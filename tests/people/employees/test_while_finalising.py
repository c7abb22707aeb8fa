"""Changes that could contradict a payslip wait while a payment run of the client is finalised."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.company import Company

FINALISING = "SELECT pg_advisory_xact_lock(hashtextextended('drafts', $1))"
"""What a transaction that finalises a run locks."""


@pytest.mark.parametrize(
    ("method", "body"),
    [
        ("DELETE", None),
        ("PATCH", {"appointment_date": "2026-02-02"}),
    ],
)
def test_the_change_waits(company: Company, method: str, body: dict[str, Any] | None) -> None:
    employee_id = company.hire(appointment_date="2026-02-01")
    service = company.member.service
    with ThreadPoolExecutor() as threads:
        with service.holding(FINALISING, company.id):
            change = threads.submit(company.member.call, method, f"/employees/{employee_id}", json=body)
            service.wait_until_blocked()
            assert not change.done()
        assert change.result().status_code == 200


def test_a_change_that_concerns_no_period_does_not_wait(company: Company) -> None:
    employee_id = company.hire()
    with company.member.service.holding(FINALISING, company.id):
        response = company.member.patch(f"/employees/{employee_id}", {"job_title": "Cook"})
    assert response.status_code == 200
