"""What can be asked about payslips on paper."""

from collections.abc import Sequence
from dataclasses import dataclass

import asyncpg

from gaji.core.errors import Conflict, NotFound
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.payslips import repository
from gaji.documents.payslips.pdf_context import Data, Grounds, password, printed
from gaji.documents.pdf_client import TemplateError, render_custom_pdf, render_pdf
from gaji.engine.payslip_input import decode_payslip_input
from gaji.payroll.payslips.catalogues import load_catalogue_version
from gaji.payroll.payslips.replay import load_law_version
from gaji.payroll.payslips.service import calculate_now

TEMPLATE = "payslip"


@dataclass(frozen=True)
class PayslipDocument:
    """A payslip that is ready to be set."""

    row: asyncpg.Record
    data: Data
    rules_version: str

    @property
    def file_name(self) -> str:
        """The name of its file: of whom and of when, in characters that every system takes."""
        row = self.row
        number = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in row["number"])
        return f"payslip-{row['date']}-{number}-{row['id']}{'' if row['finalised'] else '-draft'}.pdf"


async def read_pdf(tenant: Tenant, payslip_id: int) -> tuple[bytes, PayslipDocument]:
    """A payslip as PDF; and what it was made of."""
    async with tenant.reading() as tx:
        found = await load_documents(tx, [payslip_id])
    if not found:
        raise NotFound(f"There is no payslip {payslip_id}")
    return await pdf(found[0]), found[0]


async def load_documents(tx: Transaction, payslip_ids: Sequence[int]) -> list[PayslipDocument]:
    """Those of these payslips of one client that the caller may see, by id."""
    found: list[PayslipDocument] = []
    for row in await repository.papers(tx, payslip_ids):
        grounds = await _grounds(tx, row)
        found.append(PayslipDocument(row, printed(row, grounds), grounds.law.rules_version))
    return found


async def pdf(paper: PayslipDocument) -> bytes:
    """The document, by the client's template where it has one, and locked where the client wants that."""
    row = paper.row
    opens = password(row) if row["with_password"] else ""
    if row["template"] is None:
        return await render_pdf(TEMPLATE, paper.data, row["pay_date"], opens)
    try:
        return await render_custom_pdf(row["template"], paper.data, row["pay_date"], opens)
    except TemplateError as fault:
        raise Conflict(f"The payslip template of this client does not work for payslip {row['id']}: {fault}") from None


async def _grounds(tx: Transaction, row: asyncpg.Record) -> Grounds:
    """The lines of a payslip and what they were calculated from."""
    if row["dirty"]:
        return Grounds(*await calculate_now(tx, row["id"]))
    catalogue = await load_catalogue_version(tx, row["client_id"], row["catalogue_version"])
    return Grounds(
        row["lines"], catalogue, decode_payslip_input(row["inputs"]), await load_law_version(tx, row["rules_version"])
    )
