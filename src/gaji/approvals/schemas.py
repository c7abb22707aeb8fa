"""Request and response schemas of approvals."""

from datetime import datetime
from typing import Any

import msgspec

from gaji.approvals.models import Approval, ApprovalKind, ApprovalStatus
from gaji.core.clock import SINGAPORE
from gaji.core.field_types import Boolean, JsonSchema, OneOf, Text
from gaji.core.json_schemas import IDENTIFIER, MESSAGE, TIMESTAMP, WARNINGS
from gaji.core.validation import Attribute, Schema
from gaji.core.vault import mask

KINDS = OneOf(tuple(ApprovalKind), "approval_kind")
STATUSES = OneOf(tuple(ApprovalStatus), "approval_status")
READ_ONLY = ("id", "client_id", "kind", "status", "details", "created_at", "updated_at")
SECRETS = ("account_number", "paynow")
"""The identifiers in the details."""
REASON = Text(min_length=1, max_length=500)


class ApprovalInput(msgspec.Struct, frozen=True, kw_only=True):
    """The reason of a decision."""

    reason: str | None


class ApprovalSettingsInput(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a client."""

    required: bool


APPROVE = Schema(
    "approval",
    (Attribute("reason", REASON, "A remark, for the record.", example="Confirmed by telephone"),),
    read_only=READ_ONLY,
    struct=ApprovalInput,
    title="ApproveRequest",
)
REJECT = Schema(
    "approval",
    (Attribute("reason", REASON, "Why it is rejected.", required=True, example="The employee did not ask for it"),),
    read_only=READ_ONLY,
    struct=ApprovalInput,
    title="RejectRequest",
)
SETTINGS = Schema(
    "approval_settings",
    (
        Attribute(
            "required",
            Boolean(),
            "Changed bank accounts, finalising and payment files need the approval of another person.",
            required=True,
            example=True,
        ),
    ),
    struct=ApprovalSettingsInput,
    title="ApprovalSettingsRequest",
)

NULLABLE_ID: JsonSchema = {"type": ["integer", "null"]}
APPROVAL: JsonSchema = {
    "type": "object",
    "title": "Approval",
    "properties": {
        "id": IDENTIFIER,
        "client_id": IDENTIFIER,
        "kind": {**KINDS.json_schema(), "description": "What is to be approved."},
        "status": {
            **STATUSES.json_schema(),
            "description": "`outdated`: what was to be approved has changed, so it has to be requested again.",
        },
        "employee_id": {**NULLABLE_ID, "description": "The employee whose details change."},
        "payment_run_id": {**NULLABLE_ID, "description": "The payment run."},
        "details": {
            "type": "object",
            "additionalProperties": True,
            "description": "What was requested. Bank accounts and details: `before` and `after`. Account numbers are "
            "masked for keys that do not see identifiers.",
        },
        "requested_by": {"type": "string", "description": "Name or email of the user. Empty for a deleted user."},
        "decided_by": {"type": ["string", "null"], "description": "Name or email of the user."},
        "decided_at": {"type": ["string", "null"], "format": "date-time"},
        "reason": {"type": ["string", "null"], "description": "The reason of the decision."},
        "created_at": TIMESTAMP,
        "updated_at": TIMESTAMP,
    },
}
APPROVAL["required"] = list(APPROVAL["properties"])
APPROVAL_EXAMPLE: dict[str, Any] = {
    "id": 3,
    "client_id": 1,
    "kind": "employee_bank_account",
    "status": "pending",
    "employee_id": 4,
    "payment_run_id": None,
    "details": {
        "before": {"payment_method": "cash", "bank_account": None, "paynow": None},
        "after": {
            "payment_method": "eft_manual",
            "bank_account": {"bank_id": 7171, "account_number": "0012345678", "branch_code": "001"},
            "paynow": None,
        },
    },
    "requested_by": "Siti Aminah",
    "decided_by": None,
    "decided_at": None,
    "reason": None,
    "created_at": "2026-03-02T09:30:00.000000+08:00",
    "updated_at": "2026-03-02T09:30:00.000000+08:00",
}
REQUESTED: JsonSchema = {
    "type": "object",
    "title": "ApprovalRequestedResponse",
    "required": ["message", "approval"],
    "properties": {
        "message": MESSAGE,
        "id": {**IDENTIFIER, "description": "ID of the record that the request named."},
        "number": {"type": "string", "description": "Number of the employee."},
        "approval": APPROVAL,
        "warnings": WARNINGS,
    },
    "examples": [
        {
            "message": "The employee has been saved; the bank account changes when another person approves it",
            "id": 4,
            "number": "4",
            "approval": APPROVAL_EXAMPLE,
        }
    ],
}
SETTINGS_FORM: JsonSchema = {
    "type": "object",
    "title": "ApprovalSettings",
    "required": ["required"],
    "properties": {"required": {"type": "boolean", "description": "Whether a second person has to approve."}},
}


def approval_json(approval: Approval, *, hide_identifiers: bool) -> dict[str, Any]:
    """Return an approval as the API shows it."""
    return {
        "id": approval.id,
        "client_id": approval.client_id,
        "kind": approval.kind,
        "status": approval.status,
        "employee_id": approval.subject.employee_id,
        "payment_run_id": approval.subject.payment_run_id,
        "details": mask_details(approval.details) if hide_identifiers else approval.details,
        "requested_by": approval.requested_by,
        "decided_by": approval.decided_by,
        "decided_at": _timestamp_text(approval.decided_at),
        "reason": approval.reason,
        "created_at": _timestamp_text(approval.created_at),
        "updated_at": _timestamp_text(approval.updated_at),
    }


def mask_details(details: Any) -> Any:
    """Return details with masked identifiers.

    >>> mask_details({"after": {"bank_account": {"bank_id": 7171, "account_number": "0012345678"}, "paynow": None}})
    {'after': {'bank_account': {'bank_id': 7171, 'account_number': '******5678'}, 'paynow': None}}
    """
    if not isinstance(details, dict):
        return details
    return {
        name: mask(value) if name in SECRETS and isinstance(value, str) else mask_details(value)
        for name, value in details.items()
    }


def _timestamp_text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(SINGAPORE).isoformat(timespec="microseconds")
