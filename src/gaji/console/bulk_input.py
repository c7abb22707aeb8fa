"""Bulk input: a grid of employees and inputs, typed or pasted from a spreadsheet. The only page that needs a script."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from gaji.company.waves.queries import load_pay_calendars
from gaji.console.calculation_form import PAY_TYPES, WITHOUT_EFFECT
from gaji.console.error_messages import error_text
from gaji.console.forms import field_text
from gaji.console.glossary import FORMS, LABELS, input_label
from gaji.console.pages import PageRouter
from gaji.console.pagination import build_pager
from gaji.console.paid_holidays import QUANTITIES, paid_holidays_text
from gaji.console.request import PageRequest
from gaji.console.work_items import BASIC_SALARY
from gaji.core.errors import ErrorCode, MalformedRequest
from gaji.core.threads import run_in_thread_if_many
from gaji.db.json_lists import ListPage
from gaji.payroll.bulk_input import service
from gaji.payroll.bulk_input.entities import BulkEntity, parse_entities
from gaji.payroll.bulk_input.service import EntityResult
from gaji.payroll.calculation_definitions import service as calculation_types
from gaji.payroll.calculations.queries import PayslipInputs, load_pay_types, load_payslip_inputs
from gaji.payroll.payslips import summaries
from gaji.payroll.payslips.queries import load_draft_ids, load_payslip_periods
from gaji.payroll.payslips.summaries import NextPeriod
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
OVERTIME_MEANT = ErrorCode(
    "overtime_meant", "has no effect: this employee is paid {pay_type}. Did you mean overtime hours?"
)
JSON = "application/json"
DraftKey = tuple[int | None, date | None]
"""The employee and the end of the period."""


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
        paid_holidays=await _paid_holidays(request, company.id, saved, chosen, period) if period else "",
        hints=_worked_time_hints(chosen),
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


async def _paid_holidays(
    request: PageRequest, client_id: int, saved: Mapping[int, PayslipInputs], columns: Sequence[str], period: NextPeriod
) -> str:
    """Return which public holidays the hours and days in the grid must include. Empty if there are none."""
    pay_types = {pay_type for name, pay_type in QUANTITIES.items() if f"calc.{BASIC_SALARY}.{name}" in columns}
    employee_ids = [employee_id for employee_id, inputs in saved.items() if _entered_pay_types(inputs) & pay_types]
    if not employee_ids:
        return ""
    async with request.tenant.read_only() as tx:
        calendar = (await load_pay_calendars(tx, client_id))[period.wave_id]
    days = (calendar.schedule.start(period.offset), period.end)
    return await paid_holidays_text(request.tenant, client_id, employee_ids, days)


def _worked_time_hints(columns: Sequence[str]) -> dict[str, str]:
    """Return the hint of the form for each column with the time worked, by label."""
    names = [name for name in QUANTITIES if f"calc.{BASIC_SALARY}.{name}" in columns]
    return {input_label(name): FORMS["pay_item"][name].hint or "" for name in names}


def _entered_pay_types(saved: PayslipInputs) -> Set[Any]:
    return {inputs.get(BASIC_SALARY, {}).get("pay_type") for inputs in (saved.entered, saved.inherited)}


def _default_columns(saved: Mapping[int, PayslipInputs]) -> list[str]:
    """Return the columns that are usually needed, and those with saved values.

    The columns of normal hours and days come first, so that nobody enters normal hours as overtime.
    """
    pay_types = {pay_type for payslip in saved.values() for pay_type in _entered_pay_types(payslip)}
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
    pay_types = await _load_pay_types(request, company.id, await asyncio.to_thread(parse_entities, body))
    outcomes = await service.save_parsed(request.tenant, company.id, lambda: _parse_rows(body, pay_types))
    results = await run_in_thread_if_many(
        len(outcomes), lambda: msgspec.json.encode([_result_json(outcome) for outcome in outcomes])
    )
    return request.respond(200, results, JSON)


async def _load_pay_types(
    request: PageRequest, client_id: int, entities: Sequence[BulkEntity]
) -> dict[DraftKey, Set[str]]:
    """Load the pay types of the drafts whose basic salary is changed, by employee and end of the period."""
    employees_by_end: dict[date, list[int]] = defaultdict(list)
    for entity in entities:
        if entity.employee_id and entity.payslip_date and not PAY_TYPES.keys().isdisjoint(_salary_inputs(entity)):
            employees_by_end[entity.payslip_date].append(entity.employee_id)
    pay_types: dict[DraftKey, Set[str]] = {}
    async with request.tenant.read_only() as tx:
        for end, employee_ids in employees_by_end.items():
            drafts = await load_draft_ids(tx, client_id, employee_ids, end)
            days = await load_payslip_periods(tx, client_id, list(drafts.values()))
            loaded = await load_pay_types(tx, client_id, drafts, days)
            pay_types |= {(employee_id, end): values for employee_id, values in loaded.items()}
    return pay_types


def _parse_rows(body: Mapping[str, Any], pay_types: Mapping[DraftKey, Set[str]]) -> list[BulkEntity]:
    """Return the rows, with errors at inputs of the basic salary that have no effect on the pay type."""
    entities = parse_entities(body)
    for entity in entities:
        inputs = _salary_inputs(entity)
        entered = inputs.get("pay_type")
        known = {str(entered)} if entered else pay_types.get((entity.employee_id, entity.payslip_date), frozenset())
        without_effect = [name for name, pay_type in PAY_TYPES.items() if inputs.get(name) and pay_type not in known]
        for name in without_effect if known else ():
            kind = OVERTIME_MEANT if name == "hours_input" else WITHOUT_EFFECT
            entity.errors.add(f"calc.{BASIC_SALARY}.{name}", kind, pay_type=" and ".join(sorted(known)))
    return entities


def _salary_inputs(entity: BulkEntity) -> Mapping[str, Any]:
    return entity.inputs.get(BASIC_SALARY, {})


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
