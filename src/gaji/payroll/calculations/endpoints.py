"""Calculations over HTTP."""

from gaji.core.validation import Record
from gaji.db.json_lists import cut, json_text
from gaji.payroll.calculations import inherited, service
from gaji.payroll.calculations.rules import CALCULATION, INHERITED
from gaji.payroll.calculations.service import Saved
from gaji.payroll.calculations.schemas import (
    CALCULATION as ELEMENT,
)
from gaji.payroll.calculations.schemas import (
    CALCULATION_EXAMPLE,
    INHERITED_EXAMPLE,
)
from gaji.payroll.calculations.schemas import (
    INHERITED as INHERITED_ELEMENT,
)
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, answer, saved

routes = Router("Calculations")

LIST = {
    "answers": {"type": "array", "items": ELEMENT},
    "paged": True,
    "example": [CALCULATION_EXAMPLE],
}
ENTER = {"takes": CALCULATION.json_schema(), "answers": schemas.SAVED, "statuses": [409, 422]}


def _listed(call: Request, elements: list[Record]) -> Response:
    return call.listed_bare(cut([json_text(one) for one in elements], call.page))


def _saved(done: Saved) -> Response:
    return saved(done.message, id=done.id, warnings=done.warnings)


@routes.get("/clients/{client_id}/calculations", **LIST)
async def list_client_calculations(call: Request) -> Response:
    """The calculations that are switched on for a client."""
    return _listed(call, await service.list_for_client(call.tenant, call.ids["client_id"]))


@routes.get("/employees/{employee_id}/calculations", statuses=[403], **LIST)
async def list_employee_calculations(call: Request) -> Response:
    """The calculations of an employee, and with id null those that they inherit."""
    return _listed(call, await service.list_for_employee(call.tenant, call.ids["employee_id"]))


@routes.get("/payslips/{payslip_id}/calculations", statuses=[403], **LIST)
async def list_payslip_calculations(call: Request) -> Response:
    """The calculations of a payslip, and with id null those that it inherits."""
    return _listed(call, await service.list_for_payslip(call.tenant, call.ids["payslip_id"]))


@routes.get("/calculations/{calculation_id}", answers=ELEMENT, example=CALCULATION_EXAMPLE)
async def read_calculation(call: Request) -> Response:
    """One calculation."""
    return answer(await service.read_calculation(call.tenant, call.ids["calculation_id"]))


@routes.post("/clients/{client_id}/calculations", **ENTER)
async def enter_client_calculation(call: Request) -> Response:
    """Switch a calculation on for a client, or change what is said of it."""
    return _saved(await service.save_client_calculation(call.tenant, call.ids["client_id"], call.body))


@routes.post("/employees/{employee_id}/calculations", **ENTER)
async def enter_employee_calculation(call: Request) -> Response:
    """Enter a recurring calculation of an employee, or change the one of this type."""
    return _saved(await service.save_employee_calculation(call.tenant, call.ids["employee_id"], call.body))


@routes.post("/payslips/{payslip_id}/calculations", **ENTER)
async def enter_payslip_calculation(call: Request) -> Response:
    """Enter a calculation of one payslip, or change the one of this type."""
    return _saved(await service.save_payslip_calculation(call.tenant, call.ids["payslip_id"], call.body))


@routes.patch(
    "/calculations/{calculation_id}",
    takes=CALCULATION.json_schema(partial=True),
    answers=schemas.SAVED,
    statuses=[409, 422],
)
async def update_calculation(call: Request) -> Response:
    """Change a calculation."""
    return _saved(await service.update_calculation(call.tenant, call.ids["calculation_id"], call.body))


@routes.delete("/calculations/{calculation_id}", answers=schemas.DELETED, statuses=[409])
async def delete_calculation(call: Request) -> Response:
    """Remove a calculation; what the levels above say then holds."""
    await service.delete_calculation(call.tenant, call.ids["calculation_id"])
    return saved("The calculation has been deleted")


@routes.get(
    "/employees/{employee_id}/inherited_calculations",
    answers={"type": "array", "items": INHERITED_ELEMENT},
    paged=True,
    example=[INHERITED_EXAMPLE],
)
async def list_inherited_calculations(call: Request) -> Response:
    """The inherited calculations of an employee."""
    return _listed(call, await inherited.list_inherited(call.tenant, call.ids["employee_id"]))


@routes.get("/inherited_calculations/{inherited_id}", answers=INHERITED_ELEMENT, example=INHERITED_EXAMPLE)
async def read_inherited_calculation(call: Request) -> Response:
    """One inherited calculation."""
    return answer(await inherited.read_inherited(call.tenant, call.ids["inherited_id"]))


@routes.patch(
    "/employees/{employee_id}/inherited_calculations",
    takes=INHERITED.json_schema(),
    answers=schemas.SAVED,
    statuses=[409, 422],
)
async def update_inherited_calculation(call: Request) -> Response:
    """Change an inherited calculation of an employee from a day on."""
    return _saved(Saved(*await inherited.change_inherited(call.tenant, call.ids["employee_id"], call.body)))
