"""What a payslip would be with a custom item as it was typed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.company.waves.queries import waves
from gaji.console.settings.employee_picker import employee_named
from gaji.console.forms import Field, Form
from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.core.errors import INVALID, Errors, NotFound, ValidationError
from gaji.db.json_lists import Page
from gaji.payroll.calculation_definitions.preview import preview_definition
from gaji.payroll.payslips.summaries import next_periods
from gaji.people.employees import directory

TRIAL = Form(
    [
        Field("try.employee", "Employee", hint="A number or a part of the name; left open, the first one in service."),
        Field(
            "try.inputs",
            "Entered for the item",
            hint="Such as amount=120, or rate=15 and quantity=8, with commas between them.",
        ),
    ]
)


@dataclass(frozen=True)
class Outcome:
    """What a trial came to."""

    who: str
    end: date
    line: Mapping[str, Any] | None
    """The explained line of the item; None when it does not stand on the payslip."""
    nett_pay: str


async def outcome_of(request: PageRequest, client_id: int, definition_id: int | None, body: Mapping[str, Any]) -> Outcome:
    """Try the item on the employee that was chosen, in the period that they are paid for next."""
    faults: Errors = Errors()
    inputs = _inputs(request.form.get("try.inputs", ""), faults)
    employee = await _employee(request, client_id, faults)
    if faults or employee is None:
        raise ValidationError(faults)
    end = await _period_end(request, client_id, employee.wave_id)
    asked = {"employee_id": employee.id, "period_end_date": str(end), "inputs": inputs}
    tried, found = await preview_definition(request.tenant, client_id, definition_id, body, asked)
    lines = {str(one["item"]): one for one in found.explanation}
    nett = lines.get("nett_pay")
    return Outcome(employee.name, end, lines.get(str(tried)), str(nett["amount"]) if nett else "0.00")


async def _employee(request: PageRequest, client_id: int, faults: Errors) -> directory.Listed | None:
    text = request.form.get("try.employee", "").strip()
    if text:
        return await employee_named(request.tenant, client_id, text, "try.employee", faults)
    found, _ = await directory.search(request.tenant, client_id, "", Page(1, 1), state="serving")
    if not found:
        faults.add("try.employee", INVALID, reason="there is nobody to try it on")
    return found[0] if found else None


async def _period_end(request: PageRequest, client_id: int, wave_id: int) -> date:
    """The end of the period that is to be paid next, or of the one that holds today."""
    async with request.tenant.reading() as tx:
        following = (await next_periods(tx, client_id)).get(wave_id)
        wave = (await waves(tx, client_id)).get(wave_id)
    if following is not None:
        return following.end
    if wave is None:
        raise NotFound(f"There is no wave {wave_id}")
    return wave.schedule.end(wave.schedule.offset_containing(clock.today()))


def _inputs(text: str, faults: Errors) -> dict[str, str]:
    """Inputs by their names."""
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    if any(not separator for _, separator, _ in pairs):
        faults.add("try.inputs", INVALID, reason="must be names and values, such as rate=15, quantity=8")
    return {name.strip(): value.strip() for name, _, value in pairs}
