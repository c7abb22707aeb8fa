"""The user's API keys."""

from typing import Any

from gaji.console.forms import Form, build_form, require_known_ids
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest
from gaji.console.tables import SortKeys, build_table
from gaji.core.errors import ValidationError
from gaji.identity import api_keys
from gaji.identity.schemas import API_KEY
from gaji.web.responses import HttpResponse

router = PageRouter()

FORM = build_form("api_key", API_KEY.attributes, {})
SORT_KEYS: SortKeys[Any] = {
    "name": lambda key: key.name,
    "last_used": lambda key: key.last_used_at,
    "state": lambda key: (key.revoked_at is not None, key.expires_at is not None),
}


@router.get("/api-keys")
async def list_keys(request: PageRequest) -> HttpResponse:
    """Show the user's keys, and the form for a new one."""
    return await _page(request, FORM)


@router.post("/api-keys", step_up=True)
async def create_key(request: PageRequest) -> HttpResponse:
    """Create a key and show it once."""
    client_ids = request.fields.get("client_ids", [])
    require_known_ids(client_ids, [str(company.id) for company in await request.companies()], "company")
    body = {**FORM.to_body(request.form), "client_ids": client_ids or None}
    try:
        key = await api_keys.create_key(request.tenant, body)
    except ValidationError as error:
        return await _page(request, FORM.with_values(request.form).with_errors(error), status=error.status)
    return await _page(request, FORM, key=key)


@router.post(
    "/api-keys/{key_id}/revoke",
    confirm=Confirmation(
        "Revoke this API key?", "Programs that use it are rejected at once. A revoked key cannot be restored.", "Revoke"
    ),
    step_up=True,
)
async def revoke_key(request: PageRequest) -> HttpResponse:
    """Revoke a key."""
    await api_keys.revoke_key(request.tenant, request.ids["key_id"])
    return request.redirect("/api-keys", "API key revoked. Requests with it are rejected from now on")


async def _page(request: PageRequest, form: Form, *, status: int = 200, key: str = "") -> HttpResponse:
    return request.render(
        "api_keys.html",
        status=status,
        here="API keys",
        form=form,
        key=key,
        chosen=request.fields.get("client_ids", []) if form.errors else [],
        table=build_table(request, await api_keys.list_keys(request.tenant), SORT_KEYS, largest_first=("last_used",)),
        companies=await request.companies(),
    )
