"""Payment runs over HTTP."""

from gaji.db.json_lists import wrapped
from gaji.payroll.payment_runs import service
from gaji.payroll.payment_runs import finalise
from gaji.payroll.payment_runs import open_run
from gaji.payroll.payment_runs import schemas as shapes
from gaji.payroll.payment_runs.rules import CHANGE, PAYMENT_RUN
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, saved

routes = Router("Payment runs")

RUN = "/payment_runs/{payment_run_id}"


@routes.get(
    "/clients/{client_id}/payment_runs",
    answers=schemas.array_of("payment_run", shapes.LIST_FORM),
    paged=True,
    example=[{"payment_run": shapes.LIST_EXAMPLE}],
)
async def list_payment_runs(call: Request) -> Response:
    """The payment runs of a client, newest first."""
    return call.listed("payment_run", await service.list_runs(call.tenant, call.ids["client_id"], call.page))


@routes.post(
    "/clients/{client_id}/payment_runs",
    takes=PAYMENT_RUN.json_schema(),
    answers=schemas.SAVED,
    statuses=[409, 422],
)
async def open_payment_run(call: Request) -> Response:
    """Open a payment run and calculate it: at once if it is small, in a job that GET follows if it is large."""
    run_id, reading = await open_run.open_run(call.tenant, call.ids["client_id"], call.body)
    return saved("The payment run has been opened", id=run_id, warnings=reading.warnings)


@routes.get(RUN, answers=schemas.wrapped("payment_run", shapes.READ_FORM), example={"payment_run": shapes.READ_EXAMPLE})
async def read_payment_run(call: Request) -> Response:
    """One payment run, with its state, its counts and its progress."""
    return Response(wrapped("payment_run", await service.read_run(call.tenant, call.ids["payment_run_id"])))


@routes.patch(RUN, takes=CHANGE.json_schema(partial=True), answers=schemas.SAVED, statuses=[422])
async def update_payment_run(call: Request) -> Response:
    """Note whether a payment run is in the accounting system."""
    run_id = call.ids["payment_run_id"]
    reading = await service.change_run(call.tenant, run_id, call.body)
    return saved("The payment run has been updated", id=run_id, warnings=reading.warnings)


@routes.delete(RUN, answers=schemas.DELETED, statuses=[409])
async def delete_payment_run(call: Request) -> Response:
    """Remove a payment run that is not finalised; its drafts stay, but for once-off ones."""
    await service.delete_run(call.tenant, call.ids["payment_run_id"])
    return saved("The payment run has been deleted")


@routes.get(
    f"{RUN}/payslips",
    answers=schemas.array_of("payslip", shapes.PAYSLIP),
    paged=True,
    by_rules=True,
    example=[{"payslip": shapes.PAYSLIP_EXAMPLE}],
)
async def list_payslips_of_payment_run(call: Request) -> Response:
    """The payslips of a payment run with their items."""
    found, versions = await service.list_payslips(call.tenant, call.ids["payment_run_id"], call.page)
    return call.listed("payslip", found).by_rules(versions)


@routes.post(f"{RUN}/calculate", answers=schemas.SAVED, statuses=[409])
async def calculate_payment_run(call: Request) -> Response:
    """Calculate all payslips of a payment run again."""
    run_id = call.ids["payment_run_id"]
    await service.calculate_run(call.tenant, run_id)
    return saved("The payment run has been calculated", id=run_id)


@routes.post(f"{RUN}/finalise", answers=schemas.SAVED, statuses=[409])
async def finalise_payment_run(call: Request) -> Response:
    """Finalise all payslips of a payment run, or none when one of them is not ready."""
    run_id = call.ids["payment_run_id"]
    count = await finalise.finalise_run(call.tenant, run_id)
    return saved(f"The payment run has been finalised: {_payslips(count)}", id=run_id)


@routes.post(f"{RUN}/unfinalise", answers=schemas.SAVED, statuses=[409])
async def unfinalise_payment_run(call: Request) -> Response:
    """Make the payslips of a finalised payment run drafts again."""
    run_id = call.ids["payment_run_id"]
    count = await finalise.unfinalise_run(call.tenant, run_id)
    return saved(f"The payment run is no longer finalised: {_payslips(count)}", id=run_id)


@routes.post(f"{RUN}/release", answers=schemas.SAVED, statuses=[409])
async def release_payment_run(call: Request) -> Response:
    """Let employees see their payslips of a finalised payment run."""
    run_id = call.ids["payment_run_id"]
    await service.release_run(call.tenant, run_id)
    return saved("The payment run has been released", id=run_id)


def _payslips(count: int) -> str:
    return "1 payslip" if count == 1 else f"{count:,} payslips"
