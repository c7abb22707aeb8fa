"""Payslips on paper over HTTP."""

from gaji.core.validation import JsonSchema
from gaji.documents.payslips import service, templates
from gaji.documents.payslips.bundles import service as bundles
from gaji.documents.payslips.schemas import PAYSLIP_TEMPLATE
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, answer, saved

router = Router("Payslips on paper")

PDF = "application/pdf"
ZIP = "application/zip"
TEMPLATE = "/clients/{client_id}/payslip_template"
BUNDLES = "/payment_runs/{payment_run_id}/payslips/zip"

TEMPLATE_FORM: JsonSchema = {
    "type": "object",
    "title": "PayslipTemplate",
    "required": ["template", "own", "updated_at"],
    "properties": {
        "template": {"type": "string"},
        "own": {"type": "boolean", "description": "Whether the client put it in place of ours."},
        "updated_at": {"type": ["string", "null"], "format": "date-time"},
    },
}
TEMPLATE_EXAMPLE = {"template": "#let data = json(bytes(sys.inputs.data))\n…", "own": False, "updated_at": None}
STARTED: JsonSchema = {
    "type": "object",
    "required": ["message", "uuid"],
    "properties": {"message": schemas.MESSAGE, "uuid": {"type": "string", "format": "uuid"}},
    "examples": [{"message": "Started", "uuid": "1f0a3b52-7a3c-4a63-9a51-0f4f6f0f2c11"}],
}
PROGRESS: JsonSchema = {
    "type": "object",
    "title": "PayslipBundle",
    "required": ["state", "payslips", "done", "message"],
    "properties": {
        "state": {"type": "string", "enum": ["queued", "running", "complete", "failed"]},
        "payslips": {"type": "integer", "description": "How many are to be in the file."},
        "done": {"type": "integer", "description": "How many are in it."},
        "message": {"type": ["string", "null"], "description": "Why it failed."},
    },
}


@router.get("/payslips/{payslip_id}.pdf", files=[PDF], by_rules=True, statuses=[409])
async def read_payslip_pdf(call: Request) -> Response:
    """A payslip as PDF."""
    pdf, paper = await service.read_pdf(call.tenant, call.ids["payslip_id"])
    headers = {"Content-Disposition": f'inline; filename="{paper.file_name}"'}
    return Response(pdf, headers=headers, media_type=PDF).by_rules([paper.rules_version])


@router.get(
    TEMPLATE,
    answers=schemas.wrapped("payslip_template", TEMPLATE_FORM),
    example={"payslip_template": TEMPLATE_EXAMPLE},
)
async def read_payslip_template(call: Request) -> Response:
    """The template of a client's payslips, its own or ours."""
    return answer({"payslip_template": await templates.read_template(call.tenant, call.ids["client_id"])})


@router.put(TEMPLATE, takes=PAYSLIP_TEMPLATE.json_schema(), answers=schemas.SAVED, statuses=[422])
async def replace_payslip_template(call: Request) -> Response:
    """Put a template in place of ours; one that does not work is refused with Typst's message."""
    client_id = call.ids["client_id"]
    reading = await templates.replace_template(call.tenant, client_id, call.body)
    return saved("The payslip template has been saved", id=client_id, warnings=reading.warnings)


@router.delete(TEMPLATE, answers=schemas.DELETED)
async def delete_payslip_template(call: Request) -> Response:
    """Go back to our template."""
    await templates.delete_template(call.tenant, call.ids["client_id"])
    return answer({"message": "The payslips of this client are set by the template that comes with Gaji"})


@router.post(BUNDLES, answers=STARTED, statuses=[409])
async def start_payslip_bundle(call: Request) -> Response:
    """Have all payslips of a payment run put into one ZIP file; its uuid is asked about."""
    uuid = await bundles.start(call.tenant, call.ids["payment_run_id"])
    return answer({"message": "Started", "uuid": uuid})


@router.get(
    f"{BUNDLES}/{{uuid}}",
    answers=PROGRESS,
    example={"state": "running", "payslips": 1000, "done": 340, "message": None},
)
async def read_payslip_bundle(call: Request) -> Response:
    """How far the ZIP file of a payment run is."""
    return answer(await bundles.progress(call.tenant, call.ids["payment_run_id"], call.names["uuid"]))


@router.get(f"{BUNDLES}/{{uuid}}.zip", files=[ZIP], by_rules=True, statuses=[409])
async def download_payslip_bundle(call: Request) -> Response:
    """The ZIP file of a payment run, once it is complete."""
    run_id = call.ids["payment_run_id"]
    found = await bundles.read(call.tenant, run_id, call.names["uuid"])
    headers = {"Content-Disposition": f'attachment; filename="payslips-{run_id}.zip"'}
    return Response(b"", headers=headers, media_type=ZIP, file=found.file).by_rules(found.rules_versions)
