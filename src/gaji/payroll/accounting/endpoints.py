"""Accounting over HTTP."""

from gaji.db.json_lists import cut
from gaji.payroll.accounting import service
from gaji.payroll.accounting import schemas as shapes
from gaji.payroll.accounting.rules import ACCOUNT, SPLITS
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, answer, saved

routes = Router("Accounting")

SPLIT_EXAMPLE = [{"id": "3", "name": "Sales"}, {"id": "4", "name": "Operations"}]


@routes.get(
    "/clients/{client_id}/accounts",
    answers=schemas.array_of("account", shapes.ACCOUNT_ELEMENT),
    paged=True,
    example=[{"account": schemas.example(ACCOUNT)}],
)
async def list_accounts(call: Request) -> Response:
    """The ledger accounts of every payslip item of a client."""
    found = await service.list_accounts(call.tenant, call.ids["client_id"])
    return call.listed("account", cut(found, call.page))


@routes.put("/clients/{client_id}/accounts", takes=shapes.GIVEN_ACCOUNTS, answers=schemas.SAVED, statuses=[422])
async def replace_accounts(call: Request) -> Response:
    """Name the ledger accounts of a client in place of those before; items that are left out have the usual ones."""
    client_id = call.ids["client_id"]
    warnings = await service.replace_accounts(call.tenant, client_id, call.value)
    return saved("The accounts have been saved", id=client_id, warnings=warnings)


@routes.get(
    "/clients/{client_id}/accounting_splits",
    answers=shapes.SPLITS,
    example={"mode": "employee", "splits": SPLIT_EXAMPLE},
)
async def read_accounting_splits(call: Request) -> Response:
    """Over what the journals of a client are divided."""
    return answer(await service.read_splits(call.tenant, call.ids["client_id"]))


@routes.put(
    "/clients/{client_id}/accounting_splits",
    takes=SPLITS.json_schema(),
    answers=shapes.SPLITS_SAVED,
    example={"message": "The accounting splits have been saved", "id": 1, "splits": SPLIT_EXAMPLE},
    statuses=[409, 422],
)
async def replace_accounting_splits(call: Request) -> Response:
    """Choose over what the journals of a client are divided."""
    client_id = call.ids["client_id"]
    splits, warnings = await service.replace_splits(call.tenant, client_id, call.body)
    return saved("The accounting splits have been saved", id=client_id, splits=splits, warnings=warnings)


@routes.get("/employees/{employee_id}/accounting_splits", answers=shapes.SHARES, example={"3": 60, "4": 40})
async def read_employee_accounting_splits(call: Request) -> Response:
    """The percentages that an employee is divided by, by split."""
    return answer(await service.read_employee_splits(call.tenant, call.ids["employee_id"]))


@routes.put(
    "/employees/{employee_id}/accounting_splits",
    takes=shapes.GIVEN_SHARES,
    answers=schemas.SAVED,
    statuses=[409, 422],
)
async def replace_employee_accounting_splits(call: Request) -> Response:
    """Divide an employee over splits by percentages that add up to 100; an empty object divides them no more."""
    employee_id = call.ids["employee_id"]
    await service.replace_employee_splits(call.tenant, employee_id, call.body)
    return saved("The accounting splits of the employee have been saved", id=employee_id)


@routes.get(
    "/payment_runs/{payment_run_id}/accounting",
    answers={"type": "array", "items": shapes.JOURNAL},
    example=shapes.JOURNAL_EXAMPLE,
    statuses=[409],
)
async def read_accounting(call: Request) -> Response:
    """The accounting journal of a pay run."""
    found = await service.read_journal(call.tenant, call.ids["payment_run_id"])
    return answer([found.journal_json]).by_rules(found.rules_versions)
