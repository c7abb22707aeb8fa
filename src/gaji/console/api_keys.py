"""API keys: made here, shown once, ended here."""

from gaji.console.forms import Form, form_of, require_records
from gaji.console.pages import Pages
from gaji.console.request import Visit
from gaji.core.errors import ValidationError
from gaji.identity import own_keys
from gaji.identity.own_keys import API_KEY
from gaji.web.gateway import Response
from gaji.web.requests import origin

pages = Pages()

FORM = form_of(API_KEY.attributes, {})


@pages.get("/api-keys")
async def list_keys(visit: Visit) -> Response:
    """One's keys, and the form for a new one."""
    return await _page(visit, FORM)


@pages.post("/api-keys")
async def create_key(visit: Visit) -> Response:
    """Make a key and show it, this once."""
    chosen = visit.fields.get("client_ids", [])
    require_records(chosen, [str(one.id) for one in await visit.companies()], "company")
    body = {**FORM.body(visit.form), "client_ids": chosen or None}
    try:
        key = await own_keys.create_key(visit.tenant, body)
    except ValidationError as error:
        return await _page(visit, FORM.filled(visit.form).with_faults(error), status=error.status)
    return await _page(visit, FORM, key=key)


@pages.post("/api-keys/{key_id}/revoke")
async def revoke_key(visit: Visit) -> Response:
    """End a key now."""
    await own_keys.revoke_key(visit.tenant, visit.ids["key_id"])
    return visit.go("/api-keys", "The key is revoked; requests with it are refused from now on")


async def _page(visit: Visit, form: Form, *, status: int = 200, key: str = "") -> Response:
    return visit.show(
        "keys.html",
        status=status,
        here="API keys",
        form=form,
        key=key,
        chosen=visit.fields.get("client_ids", []) if form.faults else [],
        keys=await own_keys.list_keys(visit.tenant),
        companies=await visit.companies(),
        address=origin(visit.scope),
    )
