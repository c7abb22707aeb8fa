"""Payslip PDF use cases."""

from collections.abc import Sequence
from dataclasses import dataclass

import asyncpg
import msgspec

from gaji.core.errors import Conflict, NotFound
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.file_names import portable_number
from gaji.documents.payslips import repository
from gaji.documents.payslips.design import PayslipDesign, apply_options
from gaji.documents.payslips.pdf_context import (
    CalculatedPayslip,
    TemplateData,
    YearToDateTotals,
    build_template_data,
    build_year_to_date,
    pdf_password,
)
from gaji.documents.pdf_client import TemplateError, render_custom_pdf, render_pdf
from gaji.engine.payslip_input import decode_payslip_input
from gaji.leave.types.queries import list_unlimited_types, load_leave_types
from gaji.payroll.payslips.catalogues import load_catalogue_version
from gaji.payroll.payslips.replay import load_law_version
from gaji.payroll.payslips.service import calculate_now
from gaji.payroll.withheld_payments.queries import load_withheld_pay
from gaji.people.self_service.access import client_view

TEMPLATE = "payslip"


@dataclass(frozen=True)
class PayslipDocument:
    """A payslip that is ready to be rendered."""

    row: asyncpg.Record
    data: TemplateData
    """Everything that a template can show."""
    rules_version: str
    design: PayslipDesign

    @property
    def file_name(self) -> str:
        """The name of the file, with the date and the employee number in portable characters."""
        row = self.row
        number = portable_number(row["number"])
        return f"payslip-{row['date']}-{number}-{row['id']}{'' if row['finalised'] else '-draft'}.pdf"


async def read_pdf(tenant: Tenant, payslip_id: int) -> tuple[bytes, PayslipDocument]:
    """Return a payslip as PDF, and the document it was rendered from."""
    async with tenant.snapshot() as tx:
        documents = await load_documents(tx, [payslip_id])
    if not documents:
        raise NotFound(f"Payslip {payslip_id} does not exist")
    return await render_document(tenant.caller.account_id, documents[0]), documents[0]


async def load_year_to_date(tx: Transaction, payslip_id: int) -> YearToDateTotals | None:
    """Return the year to date that the PDF of a finalised payslip prints, or None if it prints none."""
    for row in await repository.load_documents(tx, [payslip_id]):
        options = await repository.load_options(tx, row["client_id"])
        if not options.year_to_date:
            return None
        async with client_view(tx, row["client_id"]):
            first_days = await repository.load_first_days(tx, [payslip_id])
        totals = build_year_to_date(row, row["lines"], first_days.get(payslip_id))
        return msgspec.structs.replace(totals, shows_employer=options.employer_contributions)
    return None


async def load_documents(tx: Transaction, payslip_ids: Sequence[int]) -> list[PayslipDocument]:
    """Load the payslips of one client that the caller may see, ordered by id."""
    rows = await repository.load_documents(tx, payslip_ids)
    if not rows:
        return []
    documents: list[PayslipDocument] = []
    design = await repository.load_design(tx, rows[0]["client_id"])
    async with client_view(tx, rows[0]["client_id"]):
        leave_types = await load_leave_types(tx, rows[0]["client_id"])
        first_days = await repository.load_first_days(tx, [row["id"] for row in rows])
        withheld = await load_withheld_pay(tx, rows[0]["client_id"], [row["id"] for row in rows])
    for row in rows:
        payslip = await _load_calculated(tx, row)
        unlimited_types = list_unlimited_types(leave_types, row["date"])
        first_day = first_days.get(row["id"])
        data = build_template_data(row, payslip, unlimited_types, first_day, withheld.get(row["id"]))
        documents.append(PayslipDocument(row, design.complete(data), payslip.law.rules_version, design))
    return documents


async def render_document(account_id: int, document: PayslipDocument, *, is_encrypted: bool = False) -> bytes:
    """Render a payslip with the client's template, if it has one, and with a password, if the client uses them.

    With `is_encrypted`, it always has a password.
    """
    row = document.row
    password = pdf_password(row) if is_encrypted or row["with_password"] else ""
    pay_date, design = row["pay_date"], document.design
    logo = design.logo.content if design.logo else b""
    if row["template"] is None:
        data = apply_options(document.data, design.options)
        return await render_pdf(account_id, TEMPLATE, data, pay_date, password, logo)
    try:
        return await render_custom_pdf(account_id, row["template"], document.data, pay_date, password, logo)
    except TemplateError as error:
        raise Conflict(f"The payslip template of this client fails for payslip {row['id']}: {error}") from None


async def _load_calculated(tx: Transaction, row: asyncpg.Record) -> CalculatedPayslip:
    """Return the lines of a payslip and the inputs they were calculated from."""
    if row["dirty"]:
        lines, catalogue, inputs, law = await calculate_now(tx, row["id"])
    else:
        lines, inputs = row["lines"], decode_payslip_input(row["inputs"])
        catalogue = await load_catalogue_version(tx, row["client_id"], row["catalogue_version"])
        law = await load_law_version(tx, row["rules_version"])
    return CalculatedPayslip(lines, catalogue, inputs, law)
