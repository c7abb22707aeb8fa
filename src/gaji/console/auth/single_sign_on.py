"""Single sign-on: sign-in at the provider of an account, and the settings for administrators."""

import base64
import binascii
from dataclasses import replace
from urllib.parse import quote

import msgspec

from gaji.console import cookies
from gaji.console.auth.sign_in import SIGN_IN_KEY, access_source, enter_session, form_page, remembered_key
from gaji.console.forms import Field, Form, build_form
from gaji.console.pages import PageRouter
from gaji.console.request import LOCAL_PATH, PageRequest
from gaji.core.errors import Conflict, GajiError, NotFound, TooManyRequests, Unavailable, ValidationError
from gaji.core.vault import DecryptionError, SealedCell
from gaji.identity.access_events import BY_SINGLE_SIGN_ON
from gaji.identity.mail_requests import queue_on_request
from gaji.identity.single_sign_on import service, sign_in
from gaji.identity.single_sign_on.provider import current_client
from gaji.identity.single_sign_on.schemas import SINGLE_SIGN_ON
from gaji.identity.single_sign_on.service import SingleSignOnSettings
from gaji.identity.single_sign_on.sign_in import PENDING_LIFETIME, PendingSignIn, SignInRefused
from gaji.mail.outbox import is_mail_set_up, queue_sign_in_address
from gaji.web.asgi import site_url
from gaji.web.responses import HttpResponse

router = PageRouter()

SETTINGS = "/single-sign-on"
CELL = SealedCell(0, "cookies", 0, cookies.PENDING_SIGN_IN)
REMEMBERED_S = 365 * 24 * 3600
NO_PUBLIC_URL = (
    "Single sign-on needs the address of this site; ask the person who runs this server to set GAJI_PUBLIC_URL"
)
INPUT_TYPES = {"issuer": "url", "client_secret": "password"}
REQUIREMENTS = (
    ("nobody", "Nobody: passwords are accepted too"),
    ("staff", "Everyone except employees who only see their own payslips and leave"),
    ("everyone", "Everyone"),
)


@router.get("/sign-in/sso", public=True)
async def show_address_form(request: PageRequest) -> HttpResponse:
    """Go to the sign-in address that was used on this device, or say how to get it."""
    next_path = request.query.get("next", "")
    if key := remembered_key(request):
        return request.redirect(f"/sso/{key}" + _next_query(next_path))
    return request.render("single_sign_on_address.html", mails=is_mail_set_up(), error=None)


@router.post("/sign-in/sso", public=True)
async def send_address(request: PageRequest) -> HttpResponse:
    """Send the sign-in address. The answer is the same whether or not there is such a user."""
    if not is_mail_set_up():
        return request.redirect("/sign-in/sso")
    email, state = request.form.get("email", ""), request.state
    try:
        await queue_on_request(state.pool, state.vault, email, request.address, queue_sign_in_address)
    except TooManyRequests as error:
        return form_page(request, "single_sign_on_address.html", error, mails=True)
    notice = "If this email address can use single sign-on, the address to sign in is on its way"
    return request.redirect("/sign-in", notice)


@router.get("/sso/{sign_in_key}", public=True)
async def begin(request: PageRequest) -> HttpResponse:
    """Go to the provider of an account."""
    key, site = request.names["sign_in_key"], site_url(request.scope)
    if not site:
        raise Conflict(NO_PUBLIC_URL)
    next_path = request.query.get("next", "")
    try:
        url, pending = await sign_in.begin_sign_in(
            request.state.pool,
            request.state.vault,
            current_client(),
            key,
            f"{site}/sso/{key}/callback",
            next_path if LOCAL_PATH.fullmatch(next_path) else "",
            again=request.query.get("again") == "yes",
        )
    except (NotFound, SignInRefused, Unavailable) as error:
        return _refusal(request, error)
    lifetime_s = int(PENDING_LIFETIME.total_seconds())
    sealed = _seal(request, pending)
    request.headers.append(cookies.set_cookie(request.scope, cookies.PENDING_SIGN_IN, sealed, lifetime_s))
    return request.redirect(url)


@router.get("/sso/{sign_in_key}/callback", public=True)
async def complete(request: PageRequest) -> HttpResponse:
    """Sign in with the answer of the provider, and continue to the page that was requested."""
    key, pending, state = request.names["sign_in_key"], _open_pending(request), request.state
    request.headers.append(cookies.clear_cookie(request.scope, cookies.PENDING_SIGN_IN))
    try:
        session = await sign_in.complete_sign_in(
            state.pool, state.vault, current_client(), pending, key, request.query, access_source(request)
        )
    except (NotFound, SignInRefused, TooManyRequests, Unavailable) as error:
        return _refusal(request, error, key)
    request.headers.append(cookies.set_cookie(request.scope, cookies.SIGN_IN_KEY, key, REMEMBERED_S))
    next_path = pending.next_path if pending else ""
    return await enter_session(request, session, next_path, event_path=BY_SINGLE_SIGN_ON)


@router.get(SETTINGS)
async def show_settings(request: PageRequest) -> HttpResponse:
    """Show the settings of the account."""
    settings = await service.find_settings(request.tenant)
    return _settings_page(request, settings, _settings_form(settings))


@router.post(f"{SETTINGS}/new", step_up=True)
async def create_settings(request: PageRequest) -> HttpResponse:
    """Begin to set up single sign-on."""
    await service.create_settings(request.tenant)
    return request.redirect(SETTINGS)


@router.post(SETTINGS, step_up=True)
async def save_settings(request: PageRequest) -> HttpResponse:
    """Save the settings of the account."""
    settings = await service.find_settings(request.tenant)
    form = _settings_form(settings)
    if not site_url(request.scope):
        raise Conflict(NO_PUBLIC_URL)
    try:
        await service.update_settings(request.tenant, current_client(), form.to_body(request.form))
    except ValidationError as error:
        # The secret is not sent back to the browser.
        submitted = form.with_values({**request.form, "client_secret": ""}).with_errors(error)
        return _settings_page(request, settings, submitted, error.status)
    return request.redirect(SETTINGS, "Single sign-on saved")


@router.post(f"{SETTINGS}/required", step_up=True)
async def require_for_users(request: PageRequest) -> HttpResponse:
    """Require single sign-on, or no longer."""
    required_of = request.form.get("required_of", "")
    await service.require_for_users(request.tenant, required_of)
    notice = "Passwords are accepted again" if required_of == "nobody" else "Single sign-on is required now"
    return request.redirect(SETTINGS, notice)


def _settings_form(settings: SingleSignOnSettings | None) -> Form:
    values = {}
    if settings is not None:
        values = {
            "issuer": settings.issuer,
            "oauth_client": settings.oauth_client,
            "email_domains": ", ".join(settings.email_domains),
            "enabled": settings.enabled,
        }
    form = build_form("single_sign_on", SINGLE_SIGN_ON.attributes, values)
    return Form([replace(field, kind=INPUT_TYPES.get(field.name, field.kind)) for field in form.fields])


def _settings_page(
    request: PageRequest, settings: SingleSignOnSettings | None, form: Form, status: int = 200
) -> HttpResponse:
    required_of = settings.required_of if settings else ""
    requirement = Field("required_of", "Who must use it", "select", required_of, required=True, options=REQUIREMENTS)
    return request.render("single_sign_on.html", status=status, settings=settings, form=form, requirement=requirement)


def _refusal(request: PageRequest, error: GajiError, key: str = "") -> HttpResponse:
    return form_page(request, "single_sign_on_refused.html", error, key=key if SIGN_IN_KEY.fullmatch(key) else "")


def _next_query(next_path: str) -> str:
    return f"?next={quote(next_path, safe='/')}" if LOCAL_PATH.fullmatch(next_path) else ""


def _seal(request: PageRequest, pending: PendingSignIn) -> str:
    sealed = request.state.vault.seal(msgspec.msgpack.encode(pending), CELL)
    return base64.urlsafe_b64encode(sealed).decode().rstrip("=")


def _open_pending(request: PageRequest) -> PendingSignIn | None:
    """Return the sign-in that this browser began, if any."""
    text = cookies.read_cookies(request.scope).get(cookies.PENDING_SIGN_IN, "")
    try:
        sealed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        return msgspec.msgpack.decode(request.state.vault.open_bytes(sealed, CELL), type=PendingSignIn)
    except (DecryptionError, binascii.Error, ValueError, msgspec.MsgspecError):
        return None
