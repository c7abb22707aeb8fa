"""The foreign worker levy: the amount is required if the law has no rate."""

from typing import Any

import pytest

from tests.payroll.calculations.requests import create_calculation, post_calculation
from tests.support.company import Company, of_status
from tests.support.problems import field_errors
from tests.support.running import created


@pytest.fixture
def worker(company: Company) -> str:
    """The path of an employee with a work permit."""
    return f"employees/{created(company.post(of_status('FOREIGNER_WP')))}"


def test_a_levy_with_a_known_rate_needs_no_amount(company: Company, worker: str) -> None:
    create_calculation(company, worker, "foreign_worker_levy", sector="services", tier=1, skill="R2")


@pytest.mark.parametrize("details", [{}, {"sector": "construction", "tier": "1", "skill": "R1"}, {"tier": "NTS"}])
def test_the_amount_is_required_without_a_rate(company: Company, worker: str, details: dict[str, Any]) -> None:
    message = field_errors(post_calculation(company, worker, "foreign_worker_levy", **details))[
        "calculation_details.amount"
    ]
    assert message.startswith("is required: no levy rate is known for ")
    create_calculation(company, worker, "foreign_worker_levy", **details, amount=300)


def test_the_sector_can_be_inherited_from_the_client(company: Company, worker: str) -> None:
    create_calculation(company, f"clients/{company.id}", "foreign_worker_levy", sector="services", skill="R2")
    create_calculation(company, worker, "foreign_worker_levy", tier="2")


def test_no_rate_is_needed_without_a_levied_pass(company: Company) -> None:
    create_calculation(company, f"employees/{company.hire()}", "foreign_worker_levy")
