"""Endpoints of retro proposals."""

from typing import Any

from gaji.core import json_schemas
from gaji.core.law_loader import current_law
from gaji.engine.explanations.arrears import (
    DECIDED_LATER_RULE,
    DECIDED_LATER_SOURCE,
    MISSED_RULE,
    MISSED_SOURCE,
    difference_steps,
)
from gaji.engine.money import decimal_text
from gaji.engine.payslip_input import MISSED, ItemDifference, PastDifference
from gaji.payroll.retro_proposals import service
from gaji.payroll.retro_proposals.models import RetroProposal
from gaji.payroll.retro_proposals.schemas import PROPOSAL, PROPOSAL_EXAMPLE, RETRO_PROPOSAL
from gaji.web.operations import Request, Response, Router, json_response, saved_response

router = Router("Retro pay")
PROPOSALS = "/employees/{employee_id}/retro_proposals"


@router.get(
    PROPOSALS,
    response_schema=json_schemas.list_schema("retro_proposal", RETRO_PROPOSAL),
    has_rules_version=True,
    error_statuses=[403],
    example=[{"retro_proposal": PROPOSAL_EXAMPLE}],
)
async def list_retro_proposals(request: Request) -> Response:
    """List what finalised payslips of an employee should have paid with today's knowledge, less what they paid.

    The last 24 finalised payslips are compared. Differences that are in no proposal yet come last, with `id` null.
    """
    proposals = await service.list_proposals(request.tenant, request.ids["employee_id"])
    # The version of a saved proposal is not known.
    versions = [current_law().rules_version for proposal in proposals if proposal.id is None]
    response = json_response([{"retro_proposal": _proposal_json(proposal)} for proposal in proposals])
    return response.with_rules_version(versions)


@router.post(
    PROPOSALS, body_schema=PROPOSAL.json_schema(), response_schema=json_schemas.SAVED, error_statuses=[409, 422]
)
async def create_retro_proposal(request: Request) -> Response:
    """Save open differences as a proposal, with a treatment and agreed amounts."""
    proposal_id, warnings = await service.create_proposal(request.tenant, request.ids["employee_id"], request.body)
    return saved_response("The retro proposal has been created", id=proposal_id, warnings=warnings)


@router.post(f"{PROPOSALS}/{{proposal_id}}/accept", response_schema=json_schemas.SAVED, error_statuses=[409])
async def accept_retro_proposal(request: Request) -> Response:
    """Put a proposal on the employee's draft. Decline or delete it to undo this, until the draft is finalised."""
    proposal_id = request.ids["proposal_id"]
    await service.accept_proposal(request.tenant, request.ids["employee_id"], proposal_id)
    return saved_response("The retro proposal has been accepted", id=proposal_id)


@router.post(f"{PROPOSALS}/{{proposal_id}}/decline", response_schema=json_schemas.SAVED, error_statuses=[409])
async def decline_retro_proposal(request: Request) -> Response:
    """Decline a proposal. Its differences are not proposed again; an accepted proposal leaves the draft."""
    proposal_id = request.ids["proposal_id"]
    await service.decline_proposal(request.tenant, request.ids["employee_id"], proposal_id)
    return saved_response("The retro proposal has been declined", id=proposal_id)


@router.delete(f"{PROPOSALS}/{{proposal_id}}", response_schema=json_schemas.DELETED, error_statuses=[409])
async def delete_retro_proposal(request: Request) -> Response:
    """Delete a proposal that was not paid. Its differences are open again."""
    await service.delete_proposal(request.tenant, request.ids["employee_id"], request.ids["proposal_id"])
    return saved_response("The retro proposal has been deleted")


def _proposal_json(proposal: RetroProposal) -> dict[str, Any]:
    is_missed = proposal.treatment == MISSED
    return {
        "id": proposal.id,
        "employee_id": proposal.employee_id,
        "treatment": proposal.treatment,
        "status": proposal.status,
        "payslip_id": proposal.payslip_id,
        "total": decimal_text(proposal.total_cents),
        "rule": MISSED_RULE if is_missed else DECIDED_LATER_RULE,
        "source": MISSED_SOURCE if is_missed else DECIDED_LATER_SOURCE,
        "differences": [_difference_json(difference) for difference in proposal.differences],
        "created_at": proposal.created_at,
        "updated_at": proposal.updated_at,
    }


def _difference_json(difference: PastDifference) -> dict[str, Any]:
    return {
        "payslip_id": difference.payslip_id,
        "start_date": difference.start,
        "end_date": difference.end,
        "total": decimal_text(difference.total_cents),
        "items": {item: _amounts_json(amount) for item, amount in difference.items.items()},
        "months": {
            month: {name: _amounts_json(figure) for name, figure in figures.items()}
            for month, figures in difference.months.items()
        },
        "arithmetic": difference_steps(difference),
    }


def _amounts_json(amount: ItemDifference) -> dict[str, str]:
    return {
        "paid": decimal_text(amount.paid),
        "due": decimal_text(amount.due),
        "difference": decimal_text(amount.accepted),
    }
