"""Payment run endpoints."""

from gaji.approvals.models import Approval
from gaji.approvals.schemas import REQUESTED, approval_json
from gaji.core import json_schemas
from gaji.core.external_references import EXTERNAL_ID_TYPE
from gaji.core.field_types import Integer, OneOf
from gaji.db.json_lists import wrap_element
from gaji.payroll.payment_runs import schemas as run_schemas
from gaji.payroll.payment_runs import service
from gaji.payroll.payment_runs.finalise import finalise_run, unfinalise_run
from gaji.payroll.payment_runs.open_run import open_run
from gaji.payroll.payment_runs.schemas import MADE_PAYMENT, PAYMENT_RUN_UPDATE
from gaji.web.operations import Request, Response, Router, pending_response, saved_response
from gaji.web.query_parameters import IDS, Flag, QueryParameter, date_range

router = Router("Payment runs")

FINALISATION_PENDING = "The payment run is finalised when another person approves it"
RUN_PATH = "/payment_runs/{payment_run_id}"


@router.get(
    "/clients/{client_id}/payment_runs",
    response_schema=json_schemas.list_schema("payment_run", run_schemas.LIST_FORM),
    query=[
        IDS,
        QueryParameter("external_id", EXTERNAL_ID_TYPE, "Only the run with this external ID."),
        QueryParameter("wave_id", Integer(minimum=1), "Only the runs of this wave."),
        *date_range("`period_end_date`"),
        QueryParameter("finalised", Flag(), "Only finalised runs, or only runs that are not."),
        QueryParameter("state", OneOf(run_schemas.STATES, "payment_run_state"), "Only the runs in this state."),
    ],
    paged=True,
    has_changes=True,
    has_rules_version=True,
    example=[{"payment_run": run_schemas.LIST_EXAMPLE}],
    allows_replica=True,
)
async def list_payment_runs(request: Request) -> Response:
    """List the payment runs of a client, newest first."""
    client_id = request.ids["client_id"]
    if request.changes is not None:
        changed, versions = await service.list_changed_runs(request.tenant, client_id, request.changes)
        return request.changes_response("payment_run", changed).with_rules_version(versions)
    runs, versions = await service.list_runs(request.tenant, client_id, request.page, request.parameters)
    return request.list_response("payment_run", runs).with_rules_version(versions)


@router.post(
    "/clients/{client_id}/payment_runs",
    body_schema=run_schemas.OPEN_BODY,
    response_schema=json_schemas.SAVED,
)
async def open_payment_run(request: Request) -> Response:
    """Open a payment run and calculate it. Large runs are calculated in the background; poll GET for progress.

    With `corrects`, the run has only the differences between what that run paid and what it should have paid.
    """
    run_id, warnings = await open_run(request.tenant, request.ids["client_id"], request.body)
    return saved_response("The payment run has been opened", id=run_id, warnings=warnings)


@router.get(
    RUN_PATH,
    response_schema=json_schemas.wrapped_schema("payment_run", run_schemas.READ_FORM),
    has_rules_version=True,
    example={"payment_run": run_schemas.READ_EXAMPLE},
)
async def read_payment_run(request: Request) -> Response:
    """Retrieve a payment run with its state, counts and progress."""
    run, versions = await service.read_run(request.tenant, request.ids["payment_run_id"])
    return Response(wrap_element("payment_run", run)).with_rules_version(versions)


@router.patch(
    RUN_PATH,
    body_schema=PAYMENT_RUN_UPDATE.json_schema(partial=True),
    body_example={"payment_date": "2026-01-30"},
    response_schema=json_schemas.SAVED,
)
async def update_payment_run(request: Request) -> Response:
    """Update a payment run: the day on which it is paid, and whether it is in the accounting system."""
    run_id = request.ids["payment_run_id"]
    warnings = await service.update_run(request.tenant, run_id, request.body)
    return saved_response("The payment run has been updated", id=run_id, warnings=warnings)


@router.delete(RUN_PATH, response_schema=json_schemas.DELETED)
async def delete_payment_run(request: Request) -> Response:
    """Delete a payment run that is not finalised. Its regular drafts stay; once-off payslips are deleted."""
    await service.delete_run(request.tenant, request.ids["payment_run_id"])
    return saved_response("The payment run has been deleted")


@router.get(
    f"{RUN_PATH}/payslips",
    response_schema=json_schemas.list_schema("payslip", run_schemas.PAYSLIP),
    query=[IDS, QueryParameter("employee_id", Integer(minimum=1), "Only the payslip of this employee.")],
    paged=True,
    has_rules_version=True,
    example=[{"payslip": run_schemas.PAYSLIP_EXAMPLE}],
    allows_replica=True,
)
async def list_payslips_of_payment_run(request: Request) -> Response:
    """List the payslips of a payment run with their items."""
    run_id = request.ids["payment_run_id"]
    payslips, versions = await service.list_payslips(request.tenant, run_id, request.page, request.parameters)
    return request.list_response("payslip", payslips).with_rules_version(versions)


@router.post(f"{RUN_PATH}/calculate", response_schema=json_schemas.SAVED)
async def calculate_payment_run(request: Request) -> Response:
    """Recalculate all payslips of a payment run."""
    run_id = request.ids["payment_run_id"]
    await service.calculate_run(request.tenant, run_id)
    return saved_response("The payment run has been calculated", id=run_id)


@router.post(
    f"{RUN_PATH}/finalise",
    response_schema=run_schemas.FINALISED,
    pending_when="The client requires approval. The run is finalised when another person approves it.",
    pending_schema=REQUESTED,
)
async def finalise_payment_run(request: Request) -> Response:
    """Finalise all payslips of a payment run, or none if one of them is not ready. Says what differs from before."""
    run_id = request.ids["payment_run_id"]
    run = await finalise_run(request.tenant, run_id)
    if isinstance(run, Approval):
        element = approval_json(run, hide_identifiers=request.tenant.caller.hide_identifiers)
        return pending_response(FINALISATION_PENDING, id=run_id, approval=element)
    extra = {} if run.differences is None else {"differences": run.differences}
    return saved_response(f"The payment run has been finalised: {_payslips(run.payslips)}", id=run_id, **extra)


@router.post(f"{RUN_PATH}/unfinalise", response_schema=json_schemas.SAVED)
async def unfinalise_payment_run(request: Request) -> Response:
    """Turn the payslips of a finalised payment run into drafts again."""
    run_id = request.ids["payment_run_id"]
    count = await unfinalise_run(request.tenant, run_id)
    return saved_response(f"The payment run has been unfinalised: {_payslips(count)}", id=run_id)


@router.post(f"{RUN_PATH}/release", response_schema=json_schemas.SAVED)
async def release_payment_run(request: Request) -> Response:
    """Release the payslips of a finalised payment run to employees."""
    run_id = request.ids["payment_run_id"]
    await service.release_run(request.tenant, run_id)
    return saved_response("The payment run has been released", id=run_id)


@router.post(
    f"{RUN_PATH}/mark_paid",
    body_schema=MADE_PAYMENT.json_schema(),
    body_example={"payment_date": "2026-01-30"},
    response_schema=json_schemas.SAVED,
)
async def mark_payment_run_paid(request: Request) -> Response:
    """Record that the payments of a finalised payment run were made, and on which day. The body is optional."""
    run_id = request.ids["payment_run_id"]
    warnings = await service.mark_paid(request.tenant, run_id, request.body if request.raw_body else {})
    return saved_response("The payment run has been marked as paid", id=run_id, warnings=warnings)


@router.post(f"{RUN_PATH}/mark_not_paid", response_schema=json_schemas.SAVED)
async def mark_payment_run_not_paid(request: Request) -> Response:
    """Record that the payments of a payment run were not made. Its reissued payments are deleted."""
    run_id = request.ids["payment_run_id"]
    await service.mark_not_paid(request.tenant, run_id)
    return saved_response("The payment run has been marked as not paid", id=run_id)


def _payslips(count: int) -> str:
    return "1 payslip" if count == 1 else f"{count:,} payslips"
