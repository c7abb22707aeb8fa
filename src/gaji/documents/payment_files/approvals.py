"""Approval of payment files: the content of a file is approved, and everyone may download just that."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.approvals.models import Approval, ApprovalKind, ApprovalRequest, ApprovalStatus, ApprovalSubject
from gaji.approvals.service import find_approvals
from gaji.core.errors import Conflict
from gaji.db.tenancy import Transaction
from gaji.documents.file_result import FileResult
from gaji.engine.money import decimal_text
from gaji.payroll.payment_runs.models import PaymentRun
from gaji.payroll.payslips.statutory_totals import NettPay

CONTENT_CHANGED = "the content of the file has changed since it was requested"


@dataclass(frozen=True, slots=True)
class FileApproval:
    """Whether a file may be downloaded."""

    approval: Approval | None
    """The last one for the same content. None: it has not been requested."""
    other: Approval | None = None
    """The last one for other content of the file that is approved or pending, such as with another date."""
    replaced: bool = False
    """Whether other content of the file was approved."""

    @property
    def is_approved(self) -> bool:
        """Whether the file may be downloaded."""
        return self.approval is not None and self.approval.status == ApprovalStatus.APPROVED

    @property
    def is_pending(self) -> bool:
        """Whether nobody has decided yet."""
        return self.approval is not None and self.approval.is_pending

    def to_json(self) -> dict[str, Any] | None:
        """Return the approval as the list of files shows it."""
        return {"id": self.approval.id, "status": self.approval.status} if self.approval else None


async def load_file_approvals(tx: Transaction, run: PaymentRun) -> list[Approval]:
    """Load the approvals of the files of a run, newest first."""
    filters = {"kind": ApprovalKind.PAYMENT_FILE, "payment_run_id": run.id}
    approvals, _ = await find_approvals(tx, run.client_id, filters)
    return approvals


def find_file_approval(approvals: list[Approval], name: str, file: FileResult) -> FileApproval:
    """Return the approval of a file with just this content. An approved one comes first."""
    of_file = [approval for approval in approvals if approval.subject.file_name == name]
    same = [approval for approval in of_file if approval.fingerprint == file.sha256]
    approved = [approval for approval in same if approval.status == ApprovalStatus.APPROVED]
    states = (ApprovalStatus.APPROVED, ApprovalStatus.PENDING)
    others = [approval for approval in of_file if approval not in same and approval.status in states]
    replaced = any(approval.status == ApprovalStatus.APPROVED for approval in others)
    return FileApproval(next(iter([*approved, *same]), None), next(iter(others), None), replaced)


def requested_dates(approval: Approval) -> list[date]:
    """Return the dates in the file that was requested. Requests of earlier versions only have a value date, if any."""
    value_date = approval.details["value_date"]
    return [date.fromisoformat(day) for day in approval.details.get("pay_dates", [value_date] if value_date else [])]


async def require_approved(tx: Transaction, run: PaymentRun, name: str, file: FileResult) -> None:
    """Raise Conflict unless another person has approved this content of a file."""
    approval = find_file_approval(await load_file_approvals(tx, run), name, file)
    if approval.is_approved:
        return
    if approval.approval is not None and approval.is_pending:
        raise Conflict(f"{name} can be downloaded when another person approves it (approval {approval.approval.id})")
    changed = "its content has changed since it was approved"
    reason = changed if approval.replaced else "another person has to approve it"
    raise Conflict(f"{name} of payment run {run.id} cannot be downloaded yet: {reason}. Request the approval")


def approval_request(
    run: PaymentRun, name: str, file: FileResult, pays: Sequence[NettPay], value_date: date | None
) -> ApprovalRequest:
    """Return the request to approve a file."""
    details = {
        "period_end_date": run.period_end_date.isoformat(),
        "name": name,
        "file_name": file.file_name,
        "sha256": file.sha256,
        "payments": len(pays),
        "total": decimal_text(file.total_cents),
        "value_date": value_date and value_date.isoformat(),
        "pay_dates": sorted({pay.pay_date.isoformat() for pay in pays}),
    }
    subject = ApprovalSubject(ApprovalKind.PAYMENT_FILE, payment_run_id=run.id, file_name=name)
    return ApprovalRequest(subject, details, file.sha256 or "")
