"""The templates that clients put in place of ours."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gaji.company.clients.service import require_client
from gaji.core.errors import INVALID, Errors, ValidationError
from gaji.core.validation import ValidatedInput
from gaji.db.tenancy import Tenant
from gaji.documents.payslips import repository, samples
from gaji.documents.payslips.schemas import PAYSLIP_TEMPLATE
from gaji.documents.payslips.service import load_documents
from gaji.documents.pdf_client import TEMPLATES, TemplateError, render_custom_pdf
from gaji.identity.service import require_writer
from gaji.payroll.payslips.summaries import load_latest_id

TEMPLATE = "payslip"


async def read_template(tenant: Tenant, client_id: int) -> dict[str, Any]:
    """The template of a client's payslips; ours where it has none of its own."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        found = await repository.template(tx, client_id)
    if found is None:
        return {"template": _our_own().read_text(), "own": False, "updated_at": None}
    return {"template": found["source"], "own": True, "updated_at": found["updated_at"]}


async def replace_template(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """Put a template in place of the one before; one that does not work is refused, and the one before stays."""
    async with tenant.reading() as tx:
        await require_writer(tx, client_id)
        reading = PAYSLIP_TEMPLATE.parse_create(body)
    # Outside of a transaction, because it can take seconds.
    await _try(reading.record["template"])
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        await repository.replace_template(tx, client_id, reading.record["template"])
    return reading


async def preview_template(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> bytes:
    """The payslip of a client that was made last, or an example where it has none, by a template that is not saved."""
    async with tenant.reading() as tx:
        await require_writer(tx, client_id)
        source = PAYSLIP_TEMPLATE.parse_create(body).record["template"]
        payslip_id = await load_latest_id(tx, client_id)
        found = await load_documents(tx, [payslip_id]) if payslip_id is not None else []
    data, day = (found[0].data, found[0].row["pay_date"]) if found else (samples.FULL, samples.PAY_DATE)
    try:
        return await render_custom_pdf(source, data, day)
    except TemplateError as fault:
        raise ValidationError(
            Errors.single("template", INVALID, reason=str(fault)), "The template does not work"
        ) from None


async def delete_template(tenant: Tenant, client_id: int) -> None:
    """Go back to our own template."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        await repository.delete_template(tx, client_id)


async def _try(source: str) -> None:
    """Refuse a template that does not work for every sample."""
    for sample in (samples.FULL, samples.LEAN):
        try:
            await render_custom_pdf(source, sample, samples.PAY_DATE)
        except TemplateError as fault:
            raise ValidationError(
                Errors.single("template", INVALID, reason=str(fault)),
                "The template does not work; the one before stays",
            ) from None


def _our_own() -> Path:
    return TEMPLATES / f"{TEMPLATE}.typ"
