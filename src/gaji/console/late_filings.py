"""Filings of companies that are late: CPF files, certificates of a year (IR8A) and forms IR21 of leavers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.console.formats import format_month
from gaji.db.tenancy import Transaction
from gaji.documents.filings.overdue import overdue_months
from gaji.documents.filings.payable import PayableMonth
from gaji.documents.filings.service import cpf_due_date
from gaji.documents.tax_certificates.overdue import load_late_certificates, load_late_clearances


@dataclass(frozen=True)
class LateFiling:
    """A filing that is late, and the page to do it on."""

    name: str
    """Short, for lists of companies."""
    title: str
    reason: str
    """What shows that it is not done. The due date follows."""
    due_date: date
    path: str


async def load_late_filings(
    tx: Transaction, client_ids: Sequence[int], recent: Mapping[int, Sequence[PayableMonth]]
) -> dict[int, list[LateFiling]]:
    """Load the late filings of each company, the many months of CPF files last. Companies without any are left out.

    `recent` has the months that `load_recent_months` returns.
    """
    late: dict[int, list[LateFiling]] = {}
    for client_id, certificates in (await load_late_certificates(tx, client_ids)).items():
        name, path = f"IR8A {certificates.year}", f"/companies/{client_id}/tax_certificates/check"
        late.setdefault(client_id, []).append(
            LateFiling(
                name,
                f"IR8A for {certificates.year}",
                "certificates were not released by",
                certificates.due_date,
                f"{path}?year={certificates.year}",
            )
        )
    for client_id, clearances in (await load_late_clearances(tx, client_ids)).items():
        for clearance in clearances:
            title = f"IR21 of {clearance.employee.name}"
            path = f"/employees/{clearance.employee_id}#clearance"
            filing = LateFiling(title, title, "tax clearance is not recorded; due by", clearance.due_date, path)
            late.setdefault(client_id, []).append(filing)
    for client_id, months in overdue_months(recent).items():
        path = f"/companies/{client_id}/filings"
        for month in months:
            name, due_date = f"CPF {format_month(str(month))}", cpf_due_date(month)
            title, reason = f"CPF file of {format_month(str(month))}", "no file was downloaded by"
            late.setdefault(client_id, []).append(
                LateFiling(name, title, reason, due_date, f"{path}?month={month}"),
            )
    return late
