"""Approvals: what somebody asked for, and what another person decided."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class ApprovalKind(StrEnum):
    """The acts that need a second person."""

    EMPLOYEE_BANK_ACCOUNT = "employee_bank_account"
    EMPLOYEE_DETAILS = "employee_details"
    """A change that the employee requested. It needs approval whether the client requires it for others or not."""
    CLIENT_BANK_ACCOUNT = "client_bank_account"
    PAYMENT_RUN_FINALISATION = "payment_run_finalisation"
    PAYMENT_FILE = "payment_file"
    APPROVAL_SETTINGS = "approval_settings"


class ApprovalStatus(StrEnum):
    """The states of a request."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    OUTDATED = "outdated"


@dataclass(frozen=True, slots=True)
class ApprovalSubject:
    """What a request is about."""

    kind: ApprovalKind
    employee_id: int | None = None
    payment_run_id: int | None = None
    file_name: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """What is to be approved."""

    subject: ApprovalSubject
    details: Mapping[str, Any] = field(repr=False)
    """What was asked for, as the API shows it, with complete account numbers."""
    fingerprint: str
    """Identifies the state that the request was made in."""


@dataclass(frozen=True, slots=True)
class Approval:
    """A request and its decision."""

    id: int
    client_id: int
    subject: ApprovalSubject
    details: Mapping[str, Any] = field(repr=False)
    fingerprint: str
    status: ApprovalStatus
    requested_by_id: int
    requested_by: str
    """Name or email of the user. Empty for a deleted user."""
    decided_by: str | None
    decided_at: datetime | None
    reason: str | None
    created_at: datetime
    updated_at: datetime

    @property
    def kind(self) -> ApprovalKind:
        """The act that is to be approved."""
        return self.subject.kind

    @property
    def is_pending(self) -> bool:
        """Whether nobody has decided yet."""
        return self.status == ApprovalStatus.PENDING


@dataclass(frozen=True, slots=True)
class PendingCount:
    """How many requests of a client await approval."""

    own_requests: int = 0
    """Requests of the caller, which another person has to decide."""
    other_requests: int = 0
    """Requests of other users, which the caller can decide with the role for it."""


class OutdatedRequest(Exception):
    """The state has changed since a request was made. The message says what changed, as a sentence."""
