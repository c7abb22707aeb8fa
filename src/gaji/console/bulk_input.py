"""Bulk input: a grid of employees and inputs, typed or pasted from a spreadsheet. The one page that needs a script."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from gaji.company.waves.queries import waves
from gaji.console.pagination import build_pager
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import MalformedRequest
from gaji.db.json_lists import Page
from gaji.payroll.bulk_input import service
from gaji.payroll.calculation_definitions import service as calculation_types
from gaji.payroll.payslips import summaries
from gaji.people.employees import directory
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 200
MOST_COLUMNS = 12
USUAL = ("calc.basic_salary.overtime_hours_input", "calc.bonus.amount", "calc.reimbursement.amount")
JSON = "application/json"


@router.get("/companies/{client_id}/bulk_input")
async def show_grid(request: PageRequest) -> HttpResponse:
    """The grid: people of a pay frequency, and the inputs that were chosen."""
    company = await request.writable_company(request.ids["client_id"])
    async with request.tenant.reading() as tx:
        known = await waves(tx, company.id)
        following = await summaries.next_periods(tx, company.id)
    wave_id = _number(request.query.get("wave", "")) or next(iter(following), None)
    inputs = _inputs(await calculation_types.list_types(request.tenant, company.id))
    chosen = [name for name in request.queries.get("input", USUAL) if name in inputs][:MOST_COLUMNS]
    page = Page(request.page_number(), PER_PAGE)
    people, total = await directory.search(request.tenant, company.id, "", page, state="serving", wave_id=wave_id)
    return request.render(
        "bulk_input.html",
        company=company,
        here="Bulk input",
        labels={one: wave.schedule.label for one, wave in known.items()},
        wave_id=wave_id,
        period=following.get(wave_id or 0),
        inputs=inputs,
        chosen=chosen,
        people=people if wave_id else [],
        pages=build_pager(request, page, total),
    )


@router.post("/companies/{client_id}/bulk_input")
async def enter(request: PageRequest) -> HttpResponse:
    """Save what was filled in, each employee whole or not at all; says how each fared."""
    company = await request.writable_company(request.ids["client_id"])
    try:
        body = msgspec.json.decode(request.body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise MalformedRequest("The body is not a JSON object") from None
    outcomes = await service.save_entities(request.tenant, company.id, body)
    told = [{"id": one.entity.sent.get("id"), "message": one.message, "errors": one.entity.faults} for one in outcomes]
    return request.respond(200, msgspec.json.encode(told), JSON)


def _inputs(types: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """By the key of bulk input, the label of every input that a payslip can have and that is a number."""
    return {
        f"calc.{kind['calc_type']}.{one['name']}": f"{kind['name']}: {_plain(one['name'])}"
        for kind in types
        for one in kind["inputs"]
        if "payslip" in one["levels"] and one["type"] in ("money", "quantity", "halves", "percentage")
    }


def _plain(name: str) -> str:
    return name.removesuffix("_input").replace("_", " ")


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
