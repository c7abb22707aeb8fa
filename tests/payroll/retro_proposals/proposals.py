"""Helpers for tests of retro proposals."""

from typing import Any

import httpx

from tests.support.company import Company
from tests.support.running import created


def path(employee_id: int) -> str:
    """The path of an employee's proposals."""
    return f"/employees/{employee_id}/retro_proposals"


def listed(company: Company, employee_id: int) -> list[dict[str, Any]]:
    """The proposals of an employee."""
    answer = company.member.get(path(employee_id))
    assert answer.status_code == 200, answer.text
    return [element["retro_proposal"] for element in answer.json()]


def totals(company: Company, employee_id: int) -> list[tuple[str, str, str]]:
    """The treatment, status and total of an employee's proposals."""
    found = listed(company, employee_id)
    return [(proposal["treatment"], proposal["status"], proposal["total"]) for proposal in found]


def propose(company: Company, employee_id: int, **body: Any) -> int:
    """A proposal that is saved."""
    return created(company.member.post(path(employee_id), body))


def act(company: Company, employee_id: int, proposal_id: int, action: str) -> httpx.Response:
    """Ask for accept or decline."""
    return company.member.post(f"{path(employee_id)}/{proposal_id}/{action}")


def accepted(company: Company, employee_id: int, **body: Any) -> int:
    """A proposal that is accepted."""
    proposal_id = propose(company, employee_id, **body)
    answer = act(company, employee_id, proposal_id, "accept")
    assert answer.status_code == 200, answer.text
    return proposal_id
