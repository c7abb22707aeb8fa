"""The foreign worker levy: where the law has no rate, the amount is needed."""

from typing import Any

import pytest

from tests.payroll.calculations.entered import enter, entered
from tests.support.company import Company, of_status
from tests.support.problems import faults
from tests.support.running import created


@pytest.fixture
def worker(company: Company) -> str:
    """Where the calculations of a worker with a work permit are."""
    return f"employees/{created(company.post(of_status('FOREIGNER_WP')))}"


def test_it_works(company: Company, worker: str) -> None:
    entered(company, worker, "foreign_worker_levy", sector="services", tier=1, skill="R2")


@pytest.mark.parametrize("details", [{}, {"sector": "construction", "tier": "1", "skill": "R1"}, {"tier": "NTS"}])
def test_without_a_rate_the_amount_is_needed(company: Company, worker: str, details: dict[str, Any]) -> None:
    fault = faults(enter(company, worker, "foreign_worker_levy", **details))["calculation_details.amount"]
    assert fault.startswith("is required: no levy rate is known for ")
    entered(company, worker, "foreign_worker_levy", **details, amount=300)


def test_the_sector_may_come_from_the_client(company: Company, worker: str) -> None:
    entered(company, f"clients/{company.id}", "foreign_worker_levy", sector="services", skill="R2")
    entered(company, worker, "foreign_worker_levy", tier="2")


def test_who_needs_no_levy_needs_no_rate(company: Company) -> None:
    entered(company, f"employees/{company.hire()}", "foreign_worker_levy")
