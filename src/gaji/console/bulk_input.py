"""Bulk input: a grid of employees and inputs, typed or pasted from a spreadsheet. The only page that needs a script."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from gaji.company.waves.queries import load_pay_calendars
from gaji.console.calculation_form import input_label
from gaji.console.error_messages import error_text
from gaji.console.pages import PageRouter
from gaji.console.pagination import build_pager
from gaji.console.request import PageRequest
from gaji.core.errors import MalformedRequest
from gaji.core.threads import run_in_thread_if_many
from gaji.db.json_lists import ListPage
from gaji.payroll.bulk_input import service
from gaji.payroll.bulk_input.service import EntityResult
from gaji.payroll.calculation_definitions import service as calculation_types
from gaji.payroll.payslips import summaries
from gaji.people.employees import directory
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 200
MAX_COLUMNS = 12
DEFAULT_COLUMNS = ("calc.basic_salary.overtime_hours_input", "calc.bonus.amount", "calc.reimbursement.amount")
NUMERIC_TYPES = ("money", "quantity", "halves", "percentage")
JSON = "application/json"


@router.get("/companies/{client_id}/bulk_input")
async def show_grid(request: PageRequest) -> HttpResponse:
    """Show the grid for a pay schedule and the chosen inputs."""
    company = await request.writable_company(request.ids["client_id"])
    async with request.tenant.read_only() as tx:
        calendars = await load_pay_calendars(tx, company.id)
        next_periods = await summaries.load_next_periods(tx, company.id)
    wave_id = _parse_id(request.query.get("wave", "")) or next(iter(next_periods), None)
    inputs = _input_labels(await calculation_types.list_types(request.tenant, company.id))
    chosen = [name for name in request.queries.get("input", DEFAULT_COLUMNS) if name in inputs][:MAX_COLUMNS]
    page = ListPage(request.page_number(), PER_PAGE)
    employees, total = await directory.search_employees(
        request.tenant, company.id, "", page, state="serving", wave_id=wave_id
    )
    return request.render(
        "bulk_input.html",
        company=company,
        here="Bulk input",
        labels={known_id: calendar.schedule.label for known_id, calendar in calendars.items()},
        wave_id=wave_id,
        period=next_periods.get(wave_id or 0),
        inputs=inputs,
        chosen=chosen,
        max_columns=MAX_COLUMNS,
        employees=employees if wave_id else [],
        pager=build_pager(request, page, total),
    )


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
            f"{calculation_type['name']}: {input_label(item_input['name']).lower()}"
        )
        for calculation_type in types
        for item_input in calculation_type["inputs"]
        if "payslip" in item_input["levels"] and item_input["type"] in NUMERIC_TYPES
    }


def _parse_id(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
