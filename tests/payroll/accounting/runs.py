"""Pay runs whose payslips have lines chosen by a test. They are inserted without a calculation."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

from tests.support.company import Company

SIDELINE = ("employer_contribution", "benefit")

Lines = Mapping[str, Mapping[str, str]]
"""By section and item, the amount as a decimal string."""


def detail_form(lines: Lines) -> str:
    """Return the lines of a payslip as they are stored. A journal ignores the totals."""

    def pairs(section: str) -> list[list[Any]]:
        amounts = lines.get(section, {})
        return [[int(item) if item.isdigit() else item, amount] for item, amount in amounts.items()]

    return json.dumps(
        {
            "income": [*pairs("income"), ["total", "0.00"]],
            "deduction": [*pairs("deduction"), ["total", "0.00"]],
            "grand_total": [["nett_pay", "0.00"]],
            "sideline": [[section, pairs(section)] for section in SIDELINE if section in lines],
        }
    )


def open_run(
    company: Company,
    payslips: Mapping[int, Lines],
    *,
    posted: bool = False,
    dirty: bool = False,
    state: str = "ready",
) -> int:
    """Insert a run in which these employees have payslips with these lines.

    The payslips are finalised unless they are dirty: the worker recalculates drafts of other rules versions.
    """
    service = company.member.service
    [run] = service.as_owner(
        "INSERT INTO payment_runs (client_id, wave_id, period_offset, period_end_date, state, "
        "posted_to_accounting_system) VALUES ($1, $2, 1000, '2031-05-31', $4, $3) RETURNING id",
        company.id,
        company.wave_id,
        posted,
        state,
    )
    for employee_id, lines in payslips.items():
        service.as_owner(
            "INSERT INTO payslips (client_id, employee_id, wave_id, payment_run_id, period_offset, start_date, date, "
            "pay_date, dirty, finalised, lines, rules_version) VALUES ($1, $2, $3, $4, 1000, '2031-05-01', "
            "'2031-05-31', '2031-05-31', $5, NOT $5, $6, 'abcdefabcdef') RETURNING id",
            company.id,
            employee_id,
            company.wave_id,
            run["id"],
            dirty,
            detail_form(lines),
        )
    run_id: int = run["id"]
    return run_id


def put(company: Company, path: str, body: Any) -> httpx.Response:
    """Send a PUT request."""
    return company.member.call("PUT", path, json=body)


def saved(answer: httpx.Response) -> dict[str, Any]:
    """Return the body of a successful response to a write."""
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body
