"""Use cases of payslip options."""

from collections.abc import Mapping
from typing import Any

from gaji.company.clients.service import require_client
from gaji.company.logos.rules import LOGO, UNREADABLE_IMAGE, LogoImage
from gaji.core.errors import Unavailable, invalid
from gaji.core.validation import Record, to_record
from gaji.db.tenancy import Tenant
from gaji.documents.payslips import repository, samples
from gaji.documents.payslips.design import PAYSLIP_OPTIONS, PayslipDesign, PayslipOptions, apply_options
from gaji.documents.payslips.service import TEMPLATE, load_documents
from gaji.documents.pdf_client import TemplateError, render_pdf
from gaji.identity.roles import require_writer
from gaji.payroll.payslips.summaries import load_latest_id


async def read_options(tenant: Tenant, client_id: int) -> Record:
    """Return the payslip options of a client."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return to_record((await repository.load_design(tx, client_id)).options)


async def update_options(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> dict[str, str]:
    """Change the payslip options of a client and return warnings."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        await repository.lock_options(tx, client_id)
        current = to_record((await repository.load_design(tx, client_id)).options)
        validated = PAYSLIP_OPTIONS.parse_update(body, current)
        await repository.save_options(tx, client_id, validated.data)
    return validated.warnings


async def preview_options(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> bytes:
    """Return the first page of the latest payslip, or of a sample, as PNG, with options that are not saved."""
    async with tenant.snapshot() as tx:
        await require_client(tx, client_id)
        design = await repository.load_design(tx, client_id)
        options = PAYSLIP_OPTIONS.parse_update(body, to_record(design.options)).data
        payslip_id = await load_latest_id(tx, client_id)
        documents = await load_documents(tx, [payslip_id]) if payslip_id is not None else []
    data = documents[0].data if documents else samples.FULL
    return await _render_preview(tenant.caller.account_id, data, PayslipDesign(options, design.logo))


async def check_printable(account_id: int, logo: LogoImage) -> None:
    """Raise ValidationError unless a payslip can be printed with a logo."""
    try:
        await _render_preview(account_id, samples.MINIMAL, PayslipDesign(PayslipOptions(), logo))
    except (TemplateError, Unavailable):
        raise invalid(LOGO, UNREADABLE_IMAGE) from None


async def _render_preview(account_id: int, data: Mapping[str, Any], design: PayslipDesign) -> bytes:
    printed = apply_options(design.complete(data), design.options)
    content = design.logo.content if design.logo else b""
    return await render_pdf(account_id, TEMPLATE, printed, samples.PAY_DATE, logo=content, as_image=True)
