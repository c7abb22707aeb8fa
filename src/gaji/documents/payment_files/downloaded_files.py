"""Payment files of a run that were downloaded, and what changed since."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import sha256
from typing import Any

import msgspec

from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.documents.downloads import DownloadHistory, download_history
from gaji.documents.file_result import FileResult, json_amount
from gaji.documents.payment_files import repository
from gaji.payroll.payslips.statutory_totals import NettPay


class DownloadedPayment(msgspec.Struct, frozen=True, array_like=True):
    """A payment in a file that was downloaded."""

    payslip_id: int
    employee_id: int
    cents: int


@dataclass(frozen=True, slots=True)
class DownloadedFile:
    """A file that was downloaded."""

    id: int
    file_name: str
    sha256: str
    payments: int
    total_cents: int
    value_date: date | None
    """None if the payments have several dates."""
    amounts: Sequence[DownloadedPayment]
    history: DownloadHistory

    def to_json(self) -> dict[str, Any]:
        """Return the file as the API returns it."""
        return {
            "id": self.id,
            "file_name": self.file_name,
            "sha256": self.sha256,
            "payments": self.payments,
            "total": json_amount(self.total_cents),
            "value_date": self.value_date,
            **self.history.to_json(),
        }


@dataclass(frozen=True, slots=True)
class PaymentChange:
    """A payment whose amount differs from the one in the last downloaded file."""

    payslip_id: int
    employee_id: int
    downloaded_cents: int
    current_cents: int

    def to_json(self) -> dict[str, Any]:
        """Return the change as the API returns it."""
        return {
            "payslip_id": self.payslip_id,
            "employee_id": self.employee_id,
            "downloaded": json_amount(self.downloaded_cents),
            "current": json_amount(self.current_cents),
            "difference": json_amount(self.current_cents - self.downloaded_cents),
        }


decode_payments = msgspec.json.Decoder(list[DownloadedPayment]).decode


async def load_downloaded_files(
    tx: Transaction, client_id: int, payment_run_id: int
) -> Mapping[str, Sequence[DownloadedFile]]:
    """Load the files of a run that were downloaded, by name, in order."""
    files: dict[str, list[DownloadedFile]] = defaultdict(list)
    for row in await repository.load_downloads(tx, client_id, payment_run_id):
        files[row["name"]].append(
            DownloadedFile(
                row["id"],
                row["file_name"],
                row["sha256"],
                row["payments"],
                row["total"],
                row["value_date"],
                decode_payments(row["amounts"]),
                download_history(row),
            )
        )
    return files


async def record_download(
    tx: Transaction,
    client_id: int,
    payment_run_id: int,
    name: str,
    file: FileResult,
    pays: Sequence[NettPay],
    counts_again_after: timedelta | None = None,
) -> None:
    """Record that the caller downloads a file with these payments."""
    values = await run_in_thread_if_many(len(pays), lambda: _download_columns(name, file, pays))
    await repository.record_download(tx, client_id, payment_run_id, values, counts_again_after)


def _download_columns(name: str, file: FileResult, pays: Sequence[NettPay]) -> dict[str, object]:
    amounts = [DownloadedPayment(pay.payslip_id, pay.employee_id, pay.cents) for pay in pays]
    dates = {pay.pay_date for pay in pays}
    return {
        "name": name,
        "file_name": file.file_name or name,
        "sha256": sha256(file.data or b"").hexdigest(),
        "payments": len(pays),
        "total": file.total_cents,
        "value_date": dates.pop() if len(dates) == 1 else None,
        "amounts": msgspec.json.encode(amounts).decode(),
    }


def last_amounts(downloads: Sequence[DownloadedFile]) -> Sequence[DownloadedPayment]:
    """Return the payments in the file that was downloaded last, which may have been downloaded before."""
    return max(downloads, key=lambda download: download.history.last_downloaded_at).amounts if downloads else ()


def payment_changes(downloads: Sequence[DownloadedFile], pays: Sequence[NettPay]) -> list[PaymentChange]:
    """Return the payments that differ from the last download, by payslip."""
    if not downloads:
        return []
    before = {payment.payslip_id: payment for payment in last_amounts(downloads)}
    now = {pay.payslip_id: pay for pay in pays}
    changes = [
        PaymentChange(
            payslip_id,
            now[payslip_id].employee_id if payslip_id in now else before[payslip_id].employee_id,
            before[payslip_id].cents if payslip_id in before else 0,
            now[payslip_id].cents if payslip_id in now else 0,
        )
        for payslip_id in sorted(before.keys() | now.keys())
    ]
    return [change for change in changes if change.downloaded_cents != change.current_cents]
