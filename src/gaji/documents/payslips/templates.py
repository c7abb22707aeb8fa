"""Payslip template use cases."""

from collections.abc import Mapping
from typing import Any

from gaji.company.clients.service import require_client
from gaji.core.errors import ErrorCode, Errors, ValidationError
from gaji.core.validation import ValidatedInput
from gaji.db.tenancy import Tenant
from gaji.documents.payslips import repository, samples
from gaji.documents.payslips.schemas import PAYSLIP_TEMPLATE, PayslipTemplateInput
from gaji.documents.payslips.service import TEMPLATE, load_documents
from gaji.documents.pdf_client import TEMPLATES, TemplateError, render_custom_pdf
from gaji.identity.roles import require_writer
from gaji.payroll.payslips.summaries import load_latest_id

TEMPLATE_ERROR = ErrorCode("template_error", "{reason}")
"""The reason is the message of the Typst compiler, which names the line."""


async def read_template(tenant: Tenant, client_id: int) -> dict[str, Any]:
    """Return the template of a client's payslips, or the built-in one if the client has none."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        row = await repository.find_template(tx, client_id)
    if row is None:
        source = (TEMPLATES / f"{TEMPLATE}.typ").read_text()
        return {"template": source, "own": False, "updated_at": None}
    return {"template": row["source"], "own": True, "updated_at": row["updated_at"]}


async def check_template(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> None:
    """Raise ValidationError unless every sample can be rendered with a new template of the client.

    Rendering can take seconds, so this happens outside of a transaction.
    """
    async with tenant.read_only() as tx:
        await require_writer(tx, client_id)
        source = PAYSLIP_TEMPLATE.parse_create(body).data.template
    for sample, logo in ((samples.FULL, samples.LOGO), (samples.MINIMAL, b"")):
        try:
            await render_custom_pdf(tenant.caller.account_id, source, sample, samples.PAY_DATE, logo=logo)
        except TemplateError as error:
            raise _template_error(error, "The template cannot be rendered; the current template stays in use") from None


async def replace_template(
    tenant: Tenant, client_id: int, body: Mapping[str, Any]
) -> ValidatedInput[PayslipTemplateInput]:
    """Replace the template of a client with one that was checked."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        validated = PAYSLIP_TEMPLATE.parse_create(body)
        await repository.upsert_template(tx, client_id, validated.data.template)
    return validated


async def preview_template(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> bytes:
    """Render an unsaved template with the client's latest payslip, or with a sample if there is none."""
    async with tenant.snapshot() as tx:
        await require_writer(tx, client_id)
        source = PAYSLIP_TEMPLATE.parse_create(body).data.template
        payslip_id = await load_latest_id(tx, client_id)
        documents = await load_documents(tx, [payslip_id]) if payslip_id is not None else []
    data, pay_date, logo = samples.FULL, samples.PAY_DATE, samples.LOGO
    if documents:
        image = documents[0].design.logo
        data, pay_date, logo = documents[0].data, documents[0].row["pay_date"], image.content if image else b""
    try:
        return await render_custom_pdf(tenant.caller.account_id, source, data, pay_date, logo=logo)
    except TemplateError as error:
        raise _template_error(error, "The template cannot be rendered") from None


async def delete_template(tenant: Tenant, client_id: int) -> None:
    """Delete the template of a client and use the built-in one again."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        await repository.delete_template(tx, client_id)


def _template_error(error: TemplateError, message: str) -> ValidationError:
    return ValidationError(Errors.single("template", TEMPLATE_ERROR, reason=str(error)), message)
