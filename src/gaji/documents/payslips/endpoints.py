"""Payslip PDF endpoints."""

from gaji.core import json_schemas
from gaji.documents.payslips import options, service, templates
from gaji.documents.payslips.bundles import service as bundles
from gaji.documents.payslips.design import OPTIONS_EXAMPLE, OPTIONS_SCHEMA, PAYSLIP_OPTIONS
from gaji.documents.payslips.schemas import (
    BUNDLE_PROGRESS,
    BUNDLE_PROGRESS_EXAMPLE,
    PAYSLIP_TEMPLATE,
    TEMPLATE,
    TEMPLATE_EXAMPLE,
)
from gaji.web.operations import Request, Response, Router, json_response, saved_response

router = Router("Payslip documents")

PDF = "application/pdf"
ZIP = "application/zip"
TEMPLATE_PATH = "/clients/{client_id}/payslip_template"
OPTIONS_PATH = "/clients/{client_id}/payslip_options"
BUNDLES_PATH = "/payment_runs/{payment_run_id}/payslips/zip"


@router.get("/payslips/{payslip_id}.pdf", file_types=[PDF], has_rules_version=True, error_statuses=[409])
async def read_payslip_pdf(request: Request) -> Response:
    """Download a payslip as PDF."""
    pdf, document = await service.read_pdf(request.tenant, request.ids["payslip_id"])
    headers = {"Content-Disposition": f'inline; filename="{document.file_name}"'}
    return Response(pdf, headers=headers, media_type=PDF).with_rules_version([document.rules_version])


@router.get(
    TEMPLATE_PATH,
    response_schema=json_schemas.wrapped_schema("payslip_template", TEMPLATE),
    example={"payslip_template": TEMPLATE_EXAMPLE},
)
async def read_payslip_template(request: Request) -> Response:
    """Retrieve the template of a client's payslips: its own, or the built-in one."""
    return json_response({"payslip_template": await templates.read_template(request.tenant, request.ids["client_id"])})


async def _check_template(request: Request) -> None:
    await templates.check_template(request.tenant, request.ids["client_id"], request.body)


@router.put(
    TEMPLATE_PATH,
    body_schema=PAYSLIP_TEMPLATE.json_schema(),
    response_schema=json_schemas.SAVED,
    prepare=_check_template,
)
async def replace_payslip_template(request: Request) -> Response:
    """Replace the payslip template. A template that does not compile is rejected with Typst's message."""
    client_id = request.ids["client_id"]
    validated = await templates.replace_template(request.tenant, client_id, request.body)
    return saved_response("The payslip template has been saved", id=client_id, warnings=validated.warnings)


@router.delete(TEMPLATE_PATH, response_schema=json_schemas.DELETED)
async def delete_payslip_template(request: Request) -> Response:
    """Delete the client's template and use the built-in one again."""
    await templates.delete_template(request.tenant, request.ids["client_id"])
    return json_response({"message": "The payslips of this client use the built-in template"})


@router.get(
    OPTIONS_PATH,
    response_schema=json_schemas.wrapped_schema("payslip_options", OPTIONS_SCHEMA),
    example={"payslip_options": OPTIONS_EXAMPLE},
)
async def read_payslip_options(request: Request) -> Response:
    """Retrieve what the payslips of a client show."""
    return json_response({"payslip_options": await options.read_options(request.tenant, request.ids["client_id"])})


@router.patch(OPTIONS_PATH, body_schema=PAYSLIP_OPTIONS.json_schema(partial=True), response_schema=json_schemas.SAVED)
async def update_payslip_options(request: Request) -> Response:
    """Change what the payslips of a client show. Null returns an option to its default."""
    client_id = request.ids["client_id"]
    warnings = await options.update_options(request.tenant, client_id, request.body)
    return saved_response("The payslip options have been saved", id=client_id, warnings=warnings)


@router.post(BUNDLES_PATH, response_schema=json_schemas.STARTED)
async def start_payslip_bundle(request: Request) -> Response:
    """Queue a ZIP file with all payslips of a payment run. Poll the returned UUID for its progress."""
    uuid = await bundles.start_bundle(request.tenant, request.ids["payment_run_id"])
    return json_response({"message": "Started", "uuid": uuid})


@router.get(f"{BUNDLES_PATH}/{{uuid}}", response_schema=BUNDLE_PROGRESS, example=BUNDLE_PROGRESS_EXAMPLE)
async def read_payslip_bundle(request: Request) -> Response:
    """Retrieve the progress of a payslip ZIP file."""
    run_id, uuid = request.ids["payment_run_id"], request.names["uuid"]
    return json_response(await bundles.read_progress(request.tenant, run_id, uuid))


@router.get(
    f"{BUNDLES_PATH}/{{uuid}}.zip", file_types=[ZIP], has_rules_version=True, error_statuses=[409], allows_replica=True
)
async def download_payslip_bundle(request: Request) -> Response:
    """Download a payslip ZIP file that is complete."""
    run_id = request.ids["payment_run_id"]
    bundle = await bundles.read_bundle(request.tenant, run_id, request.names["uuid"])
    headers = {"Content-Disposition": f'attachment; filename="payslips-{run_id}.zip"'}
    return Response(b"", headers=headers, media_type=ZIP, file=bundle.file).with_rules_version(bundle.rules_versions)
