"""Bulk input: a grid of employees and inputs, typed or pasted from a spreadsheet. The only page that needs a script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from gaji.company.waves.queries import load_pay_calendars
from gaji.console.error_messages import error_text
from gaji.console.forms import field_text
from gaji.console.glossary import LABELS, input_label
from gaji.console.pages import PageRouter
from gaji.console.pagination import build_pager
from gaji.console.request import PageRequest
from gaji.console.work_items import BASIC_SALARY
from gaji.core.errors import MalformedRequest
from gaji.core.threads import run_in_thread_if_many
from gaji.db.json_lists import ListPage
from gaji.payroll.bulk_input import service
from gaji.payroll.bulk_input.service import EntityResult
from gaji.payroll.calculation_definitions import service as calculation_types
from gaji.payroll.calculations.queries import PayslipInputs, load_payslip_inputs
from gaji.payroll.payslips import summaries
from gaji.payroll.payslips.queries import load_draft_ids
from gaji.people.employees import directory
from gaji.people.employees.directory import EmployeeRow
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 200
MAX_COLUMNS = 12
DEFAULT_COLUMNS = ("calc.basic_salary.overtime_hours_input", "calc.bonus.amount", "calc.reimbursement.amount")
PAY_TYPE_COLUMNS = {"hourly": "calc.basic_salary.hours_input", "daily": "calc.basic_salary.days_input"}
"""The column that is usually needed if somebody is paid by the hour or by the day."""
NUMERIC_TYPES = ("money", "quantity", "halves", "percentage")
JSON = "application/json"


@dataclass(frozen=True)
class GridCell:
    """A cell: what is saved for the payslip, and what applies if it is blank."""

    name: str
    label: str
    saved: str
    inherited: str


@dataclass(frozen=True)
class GridRow:
    """An employee with a cell for each column. Without a draft payslip, no cells."""

    employee: EmployeeRow
    cells: Sequence[GridCell]


@router.get("/companies/{client_id}/bulk_input")
async def show_grid(request: PageRequest) -> HttpResponse:
    """Show the grid for a pay schedule and the chosen inputs, with what is saved."""
    company = await request.writable_company(request.ids["client_id"])
    async with request.tenant.read_only() as tx:
        calendars = await load_pay_calendars(tx, company.id)
        next_periods = await summaries.load_next_periods(tx, company.id)
    wave_id = _parse_id(request.query.get("wave", "")) or next(iter(next_periods), None)
    period = next_periods.get(wave_id or 0)
    inputs = _input_labels(await calculation_types.list_types(request.tenant, company.id))
    page = ListPage(request.page_number(), PER_PAGE)
    employees, total = await directory.search_employees(
        request.tenant, company.id, "", page, state="serving", wave_id=wave_id
    )
    saved = await _load_inputs(request, company.id, employees, period.end) if period else {}
    chosen = [name for name in request.queries.get("input", _default_columns(saved)) if name in inputs][:MAX_COLUMNS]
    return request.render(
        "bulk_input.html",
        company=company,
        here="Bulk input",
        labels={known_id: calendar.schedule.label for known_id, calendar in calendars.items()},
        wave_id=wave_id,
        period=period,
        inputs=inputs,
        chosen=chosen,
        max_columns=MAX_COLUMNS,
        rows=[_grid_row(employee, saved.get(employee.id), chosen, inputs) for employee in employees] if period else [],
        storage_key=f"gaji-bulk-input:{request.tenant.caller.user_id}:{company.id}:{period.end}" if period else "",
        pager=build_pager(request, page, total),
    )


async def _load_inputs(
    request: PageRequest, client_id: int, employees: Sequence[EmployeeRow], end: date
) -> dict[int, PayslipInputs]:
    """Load the inputs of the drafts of employees, by employee."""
    async with request.tenant.read_only() as tx:
        drafts = await load_draft_ids(tx, client_id, [employee.id for employee in employees], end)
        return await load_payslip_inputs(tx, client_id, drafts, end)


def _default_columns(saved: Mapping[int, PayslipInputs]) -> list[str]:
    """Return the columns that are usually needed, and those with saved values.

    The columns of normal hours and days come first, so that nobody enters normal hours as overtime.
    """
    pay_types = {
        inputs.get(BASIC_SALARY, {}).get("pay_type")
        for payslip in saved.values()
        for inputs in (payslip.entered, payslip.inherited)
    }
    usual = [*(column for pay_type, column in PAY_TYPE_COLUMNS.items() if pay_type in pay_types), *DEFAULT_COLUMNS]
    used = {
        f"calc.{calc_type}.{name}"
        for payslip in saved.values()
        for calc_type, values in payslip.entered.items()
        for name in values
    }
    return [*usual, *sorted(used - set(usual))]


def _grid_row(
    employee: EmployeeRow, saved: PayslipInputs | None, columns: Sequence[str], labels: Mapping[str, str]
) -> GridRow:
    if saved is None:
        return GridRow(employee, [])
    return GridRow(employee, [_grid_cell(column, labels[column], saved) for column in columns])


def _grid_cell(column: str, label: str, saved: PayslipInputs) -> GridCell:
    _, calc_type, name = column.split(".")
    texts = [field_text(inputs.get(calc_type, {}).get(name)) for inputs in (saved.entered, saved.inherited)]
    return GridCell(column, label, *texts)


@router.post("/companies/{client_id}/bulk_input")
async def save_grid(request: PageRequest) -> HttpResponse:
    """Save the grid, each employee completely or not at all, and return the result for each."""
    company = await request.writable_company(request.ids["client_id"])
    try:
        body = msgspec.json.decode(request.body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise MalformedRequest("The body is not a JSON object") from None
    outcomes = await service.save_entities(request.tenant, company.id, body)
    results = await run_in_thread_if_many(
        len(outcomes), lambda: msgspec.json.encode([_result_json(outcome) for outcome in outcomes])
    )
    return request.respond(200, results, JSON)


def _result_json(result: EntityResult) -> dict[str, Any]:
    errors = result.entity.errors
    return {
        "id": result.entity.sent.get("id"),
        "message": result.message,
        "errors": {path: error_text(error) for path, error in errors.items()},
    }


def _input_labels(types: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the labels of the numeric inputs of payslips, by their key in bulk input."""
    return {
        f"calc.{calculation_type['calc_type']}.{item_input['name']}": (
            f"{LABELS.get(calculation_type['calc_type'], calculation_type['name'])}: "
            f"{_lowered(input_label(item_input['name']))}"
        )
        for calculation_type in types
        for item_input in calculation_type["inputs"]
        if "payslip" in item_input["levels"] and item_input["type"] in NUMERIC_TYPES
    }


def _lowered(text: str) -> str:
    """Return a label for the middle of a line.

    >>> _lowered("Overtime hours"), _lowered("Hours on Monday")
    ('overtime hours', 'hours on Monday')
    """
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def _parse_id(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
