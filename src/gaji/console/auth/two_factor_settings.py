"""Two-step sign-in: turn it on with an authenticator app, and off."""

from segno import make_qr

from gaji.console.auth.sign_in import require_user, start_session
from gaji.console.forms import Field, Form
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import ValidationError
from gaji.identity import passkeys, second_factor
from gaji.identity.one_time_codes import format_secret, provisioning_uri
from gaji.identity.sessions import SignedInUser
from gaji.web.responses import HttpResponse

router = PageRouter()

PASSWORD = Field("password", "Current password", kind="password", required=True, autocomplete="current-password")
TURN_ON = Form(
    [
        Field("code", "Code", hint="The 6 digits shown in the app.", required=True, autocomplete="one-time-code"),
        PASSWORD,
    ]
)
TURN_OFF = Form(
    [
        Field("code", "Code", hint="From the app, or a recovery code.", required=True, autocomplete="one-time-code"),
        PASSWORD,
    ]
)


@router.get("/two-steps")
async def show_two_factor(request: PageRequest) -> HttpResponse:
    """Show whether two-step sign-in is on, and the form to turn it on or off."""
    return await _page(request, require_user(request))


@router.post("/two-steps/on")
async def turn_on(request: PageRequest) -> HttpResponse:
    """Turn two-step sign-in on, and show the recovery codes once."""
    user, pool, vault = require_user(request), request.state.pool, request.state.vault
    try:
        enrolment = await second_factor.enable_second_factor(pool, vault, user, request.secret, *_submitted(request))
    except ValidationError as error:
        return await _page(request, user, error)
    await start_session(request, enrolment.token)
    request.secret = enrolment.token
    return request.render("recovery_codes.html", codes=enrolment.recovery_codes, next="/two-steps")


@router.post("/two-steps/off")
async def turn_off(request: PageRequest) -> HttpResponse:
    """Turn two-step sign-in off. All other sessions end."""
    user, pool, vault = require_user(request), request.state.pool, request.state.vault
    try:
        token = await second_factor.disable_second_factor(pool, vault, user, *_submitted(request))
    except ValidationError as error:
        return await _page(request, user, error)
    await start_session(request, token)
    left = await passkeys.list_passkeys(pool, user.home_user_id)
    text = "The authenticator app is removed. Your passkeys remain" if left else "Two-step sign-in is off"
    return request.redirect("/two-steps", f"{text}. You are signed out on all other devices")


@router.post("/two-steps/required", step_up=True)
async def require_for_account(request: PageRequest) -> HttpResponse:
    """Require two-step sign-in of all users of the account, or no longer."""
    required = request.form.get("required") == "yes"
    await second_factor.require_for_account(request.tenant, require_user(request), required)
    notice = "Two-step sign-in is required now" if required else "Two-step sign-in is no longer required"
    return request.redirect("/two-steps", notice)


def _submitted(request: PageRequest) -> tuple[str, str]:
    """Return the submitted password and code."""
    return request.form.get("password", ""), request.form.get("code", "")


async def _page(request: PageRequest, user: SignedInUser, error: ValidationError | None = None) -> HttpResponse:
    if not (user.can_change_sign_in and user.has_password):
        return request.render("two_factor_unavailable.html")
    factor = await second_factor.find_second_factor(request.state.pool, request.state.vault, user)
    has_app = factor is not None and factor.secret is not None
    form = TURN_OFF if has_app else TURN_ON
    if error:
        form = form.with_errors(error)
    status = error.status if error else 200
    if has_app:
        has_passkeys = bool(await passkeys.list_passkeys(request.state.pool, user.home_user_id))
        return request.render("two_factor_on.html", status=status, factor=factor, form=form, has_passkeys=has_passkeys)
    secret = second_factor.proposed_secret(request.state.vault, request.secret)
    app_link = provisioning_uri(secret, user.email)
    qr_code = make_qr(app_link, error="m")
    return request.render(
        "two_factor_off.html",
        status=status,
        factor=factor,
        form=form,
        secret=format_secret(secret),
        app_link=app_link,
        qr_code=qr_code.svg_inline(svgclass=None, lineclass=None, omitsize=True),
    )
