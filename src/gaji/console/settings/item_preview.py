"""Preview of a custom item: an employee's payslip with the item as submitted."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.company.waves.queries import load_pay_calendars
from gaji.console.forms import Field, Form
from gaji.console.request import PageRequest
from gaji.console.settings.employee_picker import find_employee
from gaji.core import clock
from gaji.core.errors import ErrorCode, Errors, NotFound, ValidationError
from gaji.db.json_lists import ListPage
from gaji.engine.explanations import NETT_PAY, ExplainedLine
from gaji.payroll.calculation_definitions.preview import preview_definition
from gaji.payroll.payslips.summaries import load_next_periods
from gaji.people.employees import directory

PREVIEW_PREFIX = "try."
PREVIEW_FORM = Form(
    [
        Field(
            "try.employee",
            "Employee",
            hint="Number or part of the name. If blank: the first employee in service.",
        ),
        Field(
            "try.inputs",
            "Inputs of the item",
            hint="For example: amount=120 or rate=15, quantity=8. Separate inputs by commas.",
        ),
    ]
)
NO_EMPLOYEES = ErrorCode("no_employees", "the company has no employees in service")
NOT_NAMED_VALUES = ErrorCode("not_named_values", "must be names and values, such as rate=15, quantity=8")


@dataclass(frozen=True)
class ItemPreview:
    """The result of a preview."""

    employee_name: str
    end: date
    line: ExplainedLine | None
    """The explained line of the item. None if it is not on the payslip."""
    nett_pay: str


async def preview_item(
    request: PageRequest, client_id: int, definition_id: int | None, body: Mapping[str, Any]
) -> ItemPreview:
    """Return the preview for the submitted employee, in the period that is paid next."""
    errors = Errors()
    inputs = _parse_inputs(request.form.get("try.inputs", ""), errors)
    employee = await _find_employee(request, client_id, errors)
    if errors or employee is None:
        raise ValidationError(errors)
    end = await _period_end(request, client_id, employee.wave_id)
    target = {"employee_id": employee.id, "period_end_date": str(end), "inputs": inputs}
    item_id, explained = await preview_definition(request.tenant, client_id, definition_id, body, target)
    lines = {line.name: line for line in explained.explanation}
    nett_pay = lines.get(NETT_PAY)
    return ItemPreview(employee.name, end, lines.get(str(item_id)), nett_pay.amount if nett_pay else "0.00")


async def _find_employee(request: PageRequest, client_id: int, errors: Errors) -> directory.EmployeeRow | None:
    text = request.form.get("try.employee", "").strip()
    if text:
        return await find_employee(request.tenant, client_id, text, "try.employee", errors)
    employees, _ = await directory.search_employees(request.tenant, client_id, "", ListPage(1, 1), state="serving")
    if not employees:
        errors.add("try.employee", NO_EMPLOYEES)
    return employees[0] if employees else None


async def _period_end(request: PageRequest, client_id: int, wave_id: int) -> date:
    """Return the end of the period that is paid next, or else of the current period."""
    async with request.tenant.read_only() as tx:
        next_period = (await load_next_periods(tx, client_id)).get(wave_id)
        calendar = (await load_pay_calendars(tx, client_id)).get(wave_id)
    if next_period is not None:
        return next_period.end
    if calendar is None:
        raise NotFound(f"Pay schedule {wave_id} does not exist")
    return calendar.schedule.end(calendar.schedule.offset_containing(clock.today()))


def _parse_inputs(text: str, errors: Errors) -> dict[str, str]:
    """Return the values by name, from text such as `rate=15, quantity=8`."""
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    if any(not separator for _, separator, _ in pairs):
        errors.add("try.inputs", NOT_NAMED_VALUES)
    return {name.strip(): value.strip() for name, _, value in pairs}
