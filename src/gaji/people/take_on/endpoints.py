"""Take-on balances over HTTP."""

from gaji.core.validation import JsonSchema
from gaji.people.take_on import service
from gaji.people.take_on.schemas import AMOUNTS, TAKE_ON
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, answer, saved

routes = Router("Take-on balances")

AMOUNT: JsonSchema = {"type": "string", "pattern": r"^\d+\.\d{2}$"}
BALANCES: JsonSchema = {
    "type": "object",
    "title": "TakeOnBalances",
    "required": [one.name for one in TAKE_ON.attributes],
    "properties": {
        "year": {"type": "integer"},
        **{name: AMOUNT | {"description": description} for name, description in AMOUNTS},
        "ir8a": {"type": "object", "additionalProperties": AMOUNT},
        "leave": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}


@routes.get("/employees/{employee_id}/take_on_balances", answers=BALANCES, example=schemas.example(TAKE_ON))
async def read_take_on_balances(call: Request) -> Response:
    """The take-on balances of an employee."""
    return answer(await service.read_take_on(call.tenant, call.ids["employee_id"]))


@routes.put(
    "/employees/{employee_id}/take_on_balances", takes=TAKE_ON.json_schema(), answers=schemas.SAVED, statuses=[422]
)
async def replace_take_on_balances(call: Request) -> Response:
    """Replace the take-on balances of an employee."""
    employee_id = call.ids["employee_id"]
    reading = await service.replace_take_on(call.tenant, employee_id, call.body)
    return saved("The take-on balances have been saved", id=employee_id, warnings=reading.warnings)
