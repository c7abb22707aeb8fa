"""Accounting endpoints."""

from gaji.core import json_schemas
from gaji.db.json_lists import slice_page
from gaji.payroll.accounting import service
from gaji.payroll.accounting.schemas import (
    ACCOUNT,
    ACCOUNT_ELEMENT,
    ACCOUNTS_REQUEST,
    JOURNAL,
    JOURNAL_EXAMPLE,
    SHARES_REQUEST,
    SHARES_RESPONSE,
    SPLIT_EXAMPLE,
    SPLITS,
    SPLITS_RESPONSE,
    SPLITS_SAVED,
)
from gaji.web.operations import Request, Response, Router, json_response, saved_response

routes = Router("Accounting")


@routes.get(
    "/clients/{client_id}/accounts",
    response_schema=json_schemas.list_schema("account", ACCOUNT_ELEMENT),
    paged=True,
    example=[{"account": json_schemas.resource_example(ACCOUNT)}],
)
async def list_accounts(request: Request) -> Response:
    """List the ledger accounts of every payslip item of a client."""
    accounts = await service.list_accounts(request.tenant, request.ids["client_id"])
    return request.list_response("account", slice_page(accounts, request.page))


@routes.put(
    "/clients/{client_id}/accounts",
    body_schema=ACCOUNTS_REQUEST,
    response_schema=json_schemas.SAVED,
)
async def replace_accounts(request: Request) -> Response:
    """Replace the ledger accounts of a client. Items that are left out get the default accounts."""
    client_id = request.ids["client_id"]
    warnings = await service.replace_accounts(request.tenant, client_id, request.json_value)
    return saved_response("The accounts have been saved", id=client_id, warnings=warnings)


@routes.get(
    "/clients/{client_id}/accounting_splits",
    response_schema=SPLITS_RESPONSE,
    example={"mode": "employee", "splits": SPLIT_EXAMPLE},
)
async def read_accounting_splits(request: Request) -> Response:
    """Return how the journals of a client are divided."""
    return json_response(await service.read_splits(request.tenant, request.ids["client_id"]))


@routes.put(
    "/clients/{client_id}/accounting_splits",
    body_schema=SPLITS.json_schema(),
    response_schema=SPLITS_SAVED,
    example={"message": "The accounting splits have been saved", "id": 1, "splits": SPLIT_EXAMPLE},
)
async def replace_accounting_splits(request: Request) -> Response:
    """Change how the journals of a client are divided."""
    client_id = request.ids["client_id"]
    splits, warnings = await service.replace_splits(request.tenant, client_id, request.body)
    return saved_response("The accounting splits have been saved", id=client_id, splits=splits, warnings=warnings)


@routes.get("/employees/{employee_id}/accounting_splits", response_schema=SHARES_RESPONSE, example={"3": 60, "4": 40})
async def read_employee_accounting_splits(request: Request) -> Response:
    """Return the percentages of an employee by accounting split."""
    return json_response(await service.read_employee_splits(request.tenant, request.ids["employee_id"]))


@routes.put(
    "/employees/{employee_id}/accounting_splits",
    body_schema=SHARES_REQUEST,
    response_schema=json_schemas.SAVED,
)
async def replace_employee_accounting_splits(request: Request) -> Response:
    """Replace the percentages of an employee. They must add up to 100; an empty object removes them all."""
    employee_id = request.ids["employee_id"]
    await service.replace_employee_splits(request.tenant, employee_id, request.body)
    return saved_response("The accounting splits of the employee have been saved", id=employee_id)


@routes.get(
    "/payment_runs/{payment_run_id}/accounting",
    response_schema={"type": "array", "items": JOURNAL},
    has_rules_version=True,
    example=JOURNAL_EXAMPLE,
    error_statuses=[409],
)
async def read_accounting(request: Request) -> Response:
    """Return the accounting journal of a pay run."""
    journal = await service.read_journal(request.tenant, request.ids["payment_run_id"])
    return json_response([journal.journal_json]).with_rules_version(journal.rules_versions)
