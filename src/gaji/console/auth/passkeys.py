"""The user's passkeys."""

from gaji.console.auth.sign_in import require_relying_party, require_user
from gaji.console.forms import Field, Form
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import ValidationError
from gaji.identity import passkeys
from gaji.identity.passkey_checks import find_relying_party
from gaji.web.asgi import site_url
from gaji.web.responses import HttpResponse

router = PageRouter()

PATH = "/passkeys"
JSON = "application/json"
FORM = Form(
    [
        Field(
            "name",
            "Name",
            hint="Such as the device or password manager that keeps it.",
            required=True,
            max_length=passkeys.MAX_NAME_LENGTH,
            autocomplete="off",
        )
    ]
)


@router.get(PATH, step_up=True)
async def show_passkeys(request: PageRequest) -> HttpResponse:
    """Show the user's passkeys, and the form to add one."""
    return await _page(request, FORM)


@router.post("/passkeys/options", step_up=True)
async def begin_registration(request: PageRequest) -> HttpResponse:
    """Return what the browser needs to make a passkey."""
    user, party = require_user(request), require_relying_party(request)
    options = await passkeys.begin_registration(request.state.pool, user, request.secret, party)
    return request.respond(200, options.encode(), JSON)


@router.post(PATH, step_up=True)
async def add_passkey(request: PageRequest) -> HttpResponse:
    """Add a passkey. If it turned two-step sign-in on, show the recovery codes once."""
    user, party = require_user(request), require_relying_party(request)
    name, response = request.form.get("name", ""), request.form.get("credential", "")
    try:
        codes = await passkeys.add_passkey(request.state.pool, user, request.secret, party, name, response)
    except ValidationError as error:
        return await _page(request, FORM.with_values({"name": name}).with_errors(error), error.status)
    if codes:
        return request.render("recovery_codes.html", codes=codes, next=PATH)
    return request.redirect(PATH, "Passkey added")


@router.post("/passkeys/{passkey_id}/rename")
async def rename_passkey(request: PageRequest) -> HttpResponse:
    """Rename a passkey."""
    name = request.form.get("name", "")
    await passkeys.rename_passkey(request.state.pool, require_user(request), request.ids["passkey_id"], name)
    return request.redirect(PATH, "Passkey renamed")


@router.post(
    "/passkeys/{passkey_id}/delete",
    confirm=Confirmation(
        "Remove this passkey?", "You can no longer sign in with it. Delete it on your device as well.", "Remove"
    ),
    step_up=True,
)
async def remove_passkey(request: PageRequest) -> HttpResponse:
    """Remove a passkey."""
    pool, user = request.state.pool, require_user(request)
    if await passkeys.remove_passkey(pool, user, request.ids["passkey_id"]):
        return request.redirect(PATH, "Passkey removed. Two-step sign-in is off now, and recovery codes have ended")
    return request.redirect(PATH, "Passkey removed")


async def _page(request: PageRequest, form: Form, status: int = 200) -> HttpResponse:
    user = require_user(request)
    is_own = user.can_change_sign_in
    listed = await passkeys.list_passkeys(request.state.pool, user.home_user_id) if is_own else []
    return request.render(
        "passkeys.html",
        status=status,
        form=form,
        passkeys=listed,
        max_name_length=passkeys.MAX_NAME_LENGTH,
        is_full=len(listed) >= passkeys.MAX_PASSKEYS,
        party=find_relying_party(site_url(request.scope)),
    )
