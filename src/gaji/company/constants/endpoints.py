"""The data lists over HTTP."""

from gaji.core.constants import LISTS
from gaji.core.errors import NotFound
from gaji.core.validation import suggest
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, answer

routes = Router("Constants")

ENTRIES = {name: [{"value": entry.value, "name": entry.name} for entry in entries] for name, entries in LISTS.items()}


@routes.get("/constants", answers=schemas.CONSTANTS, example={"gender": ENTRIES["gender"]})
async def list_constants(call: Request) -> Response:
    """Every data list, by its name."""
    async with call.tenant.reading():
        return answer(ENTRIES)


@routes.get("/constants/{list_name}", answers=schemas.CONSTANT_ENTRIES, example=ENTRIES["gender"])
async def read_constants(call: Request) -> Response:
    """One data list."""
    name = call.names["list_name"]
    async with call.tenant.reading():
        if name in ENTRIES:
            return answer(ENTRIES[name])
    meant = suggest(name, list(ENTRIES))
    hint = f" Did you mean {meant}?" if meant else f" There are: {', '.join(sorted(ENTRIES))}"
    raise NotFound(f"There is no list {name[:60]!r}.{hint}")
