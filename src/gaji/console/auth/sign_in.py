"""Sign-in, sign-out and change of password."""

import asyncio
import re
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from gaji.console import cookies
from gaji.console.error_messages import ErrorSummary
from gaji.console.formats import format_count
from gaji.console.forms import Field, Form
from gaji.console.pages import PageRouter
from gaji.console.request import LOCAL_PATH, PageRequest
from gaji.core.errors import Conflict, Forbidden, GajiError, TooManyRequests, Unauthenticated, ValidationError
from gaji.identity import (
    access_events,
    email_changes,
    passkey_sign_in,
    password_resets,
    second_factor,
    sessions,
    sign_in_limits,
)
from gaji.identity.access_events import AccessSource
from gaji.identity.email_changes import PendingEmailChange
from gaji.identity.passkey_checks import PasskeyRefused, RelyingParty, find_relying_party
from gaji.identity.passkey_sign_in import PasskeyAttempt
from gaji.identity.sessions import (
    PARTIAL_SESSION_LIFETIME,
    SESSION_LIFETIME,
    Credentials,
    NewSession,
    SignedInUser,
)
from gaji.identity.single_sign_on import sign_in as single_sign_on
from gaji.mail.outbox import is_mail_set_up
from gaji.web.asgi import header, site_url
from gaji.web.responses import HttpResponse

router = PageRouter()
_recording: set[asyncio.Task[None]] = set()
"""Tasks that record failures. The event loop itself does not keep them."""

SIGN_IN_KEY = re.compile(r"[A-Za-z0-9_-]{22}")
"""Of an address for single sign-on."""
DEVICE_LIFETIME_S = 365 * 24 * 3600
FORM_GRACE = timedelta(days=7)
"""How long after the end of a session a form that is sent in it comes back after sign-in."""
CHANGED_NOTICE = "Password changed. You are signed out on all other devices"
EMAIL_CHANGE_ENDED = (
    "Your request to change your email address to {email} has ended for your safety. Request it again here"
)
NEW_PASSWORD_FIELDS = (
    Field(
        "new",
        "New password",
        kind="password",
        hint="At least 12 characters.",
        required=True,
        autocomplete="new-password",
    ),
    Field("again", "Repeat new password", kind="password", required=True, autocomplete="new-password"),
)
PASSWORD_FORM = Form(
    [
        Field("current", "Current password", kind="password", required=True, autocomplete="current-password"),
        *NEW_PASSWORD_FIELDS,
    ]
)


@router.get("/sign-in", public=True)
async def show_sign_in(request: PageRequest) -> HttpResponse:
    """Show the sign-in form."""
    if request.user is not None:
        return request.redirect("/")
    return await _sign_in_page(request, request.query.get("next", ""))


@router.post("/sign-in", public=True)
async def sign_in(request: PageRequest) -> HttpResponse:
    """Sign in, and continue to the page that was requested."""
    email, next_path = request.form.get("email", ""), request.form.get("next", "")
    attempt = Credentials(email, request.form.get("password", ""), request.address, _device(request))
    try:
        session = await sessions.sign_in(request.state.pool, request.state.vault, attempt)
    except (ValidationError, TooManyRequests, Conflict) as error:
        if not isinstance(error, TooManyRequests):
            record_failure(request, email)
        return await _sign_in_page(request, next_path, email, error)
    return await enter_session(request, session, next_path)


@router.get("/sign-in/forgotten", public=True)
async def show_forgotten_password(request: PageRequest) -> HttpResponse:
    """Say how to get a link to set a new password, or ask for the email to send it to."""
    return request.render("forgotten_password.html", mails=is_mail_set_up(), error=None)


@router.post("/sign-in/forgotten", public=True)
async def request_password_reset(request: PageRequest) -> HttpResponse:
    """Send a link to set a new password. The answer is the same whether or not there is such a user."""
    if not is_mail_set_up():
        return request.redirect("/sign-in/forgotten")
    email, state = request.form.get("email", ""), request.state
    try:
        await password_resets.request_reset(state.pool, state.vault, email, request.address)
    except TooManyRequests as error:
        return form_page(request, "forgotten_password.html", error, mails=True)
    notice = "If a user has this email address, a link to set a new password is on its way"
    return request.redirect("/sign-in", notice)


@router.get("/sign-in/code", public=True)
async def show_code_form(request: PageRequest) -> HttpResponse:
    """Show the form for the second factor, after the password was accepted."""
    if request.user is not None:
        return request.redirect("/")
    return await _code_page(request, request.query.get("next", ""))


@router.post("/sign-in/code", public=True)
async def submit_code(request: PageRequest) -> HttpResponse:
    """Check the second factor, and continue to the page that was requested."""
    code, next_path = request.form.get("code", ""), request.form.get("next", "")
    pool, vault = request.state.pool, request.state.vault
    try:
        session = await second_factor.complete_sign_in(
            pool, vault, _partial_token(request), code, request.address, _device(request)
        )
    except (ValidationError, TooManyRequests) as error:
        return await _code_page(request, next_path, error)
    if session is None:
        return _restart(request)
    codes_left = session.recovery_codes_left
    notice = "" if codes_left is None else f"Recovery code used. {format_count(codes_left, 'recovery code')} left"
    request.headers.append(cookies.clear_cookie(request.scope, cookies.PARTIAL_SESSION))
    await _remember_device(request, session.user_id)
    await record_access(request, session.acting_user_id, access_events.SIGN_IN)
    return await _redirect_signed_in(request, session.token, next_path, notice)


@router.post("/sign-in/passkey/options", public=True)
async def begin_passkey(request: PageRequest) -> HttpResponse:
    """Return what the browser needs to use any passkey of this site."""
    state, party = request.state, require_relying_party(request)
    options = await passkey_sign_in.begin_sign_in(state.pool, state.vault, request.secret, party, request.address)
    return request.respond(200, options.encode(), "application/json")


@router.post("/sign-in/passkey", public=True)
async def sign_in_with_passkey(request: PageRequest) -> HttpResponse:
    """Sign in with a passkey alone."""
    next_path, state = request.form.get("next", ""), request.state
    try:
        session = await passkey_sign_in.sign_in(state.pool, state.vault, request.secret, _passkey_attempt(request))
    except (ValidationError, TooManyRequests, Conflict) as error:
        _record_refusal(request, error)
        return await _sign_in_page(request, next_path, error=error)
    return await enter_session(request, session, next_path)


@router.post("/sign-in/code/passkey/options", public=True)
async def begin_passkey_as_second_step(request: PageRequest) -> HttpResponse:
    """Return what the browser needs to use a passkey of the user whose password was right."""
    party, token = require_relying_party(request), _partial_token(request)
    options = await passkey_sign_in.begin_second_step(request.state.pool, token, party)
    if options is None:
        raise Forbidden("Your sign-in has expired. Please sign in again")
    return request.respond(200, options.encode(), "application/json")


@router.post("/sign-in/code/passkey", public=True)
async def submit_passkey(request: PageRequest) -> HttpResponse:
    """Sign in with a passkey after the password."""
    next_path, token, state = request.form.get("next", ""), _partial_token(request), request.state
    try:
        attempt = _passkey_attempt(request)
        session = await passkey_sign_in.complete_sign_in(state.pool, state.vault, token, attempt)
    except (ValidationError, TooManyRequests) as error:
        _record_refusal(request, error)
        return await _code_page(request, next_path, error)
    if session is None:
        return _restart(request)
    request.headers.append(cookies.clear_cookie(request.scope, cookies.PARTIAL_SESSION))
    return await enter_session(request, session, next_path)


@router.post("/sign-out")
async def sign_out(request: PageRequest) -> HttpResponse:
    """End the session."""
    await sessions.sign_out(request.state.pool, request.secret)
    request.headers.append(cookies.clear_cookie(request.scope, cookies.SESSION))
    return request.redirect("/sign-in", "You are signed out")


@router.get("/password")
async def show_password_form(request: PageRequest) -> HttpResponse:
    """Show the form to change the password."""
    return await _password_page(request, PASSWORD_FORM)


@router.post("/password")
async def change_password(request: PageRequest) -> HttpResponse:
    """Change the password. All other sessions end."""
    user = require_user(request)
    current, new, again = (request.form.get(name, "") for name in ("current", "new", "again"))
    pending = await _find_email_change(request)
    try:
        token = await sessions.change_password(request.state.pool, request.state.vault, user, current, new, again)
    except ValidationError as error:
        return await _password_page(request, PASSWORD_FORM.with_errors(error), status=422)
    await start_session(request, token)
    if pending:
        return request.redirect("/email", f"{CHANGED_NOTICE}. {EMAIL_CHANGE_ENDED.format(email=pending.new_email)}")
    return request.redirect("/", CHANGED_NOTICE)


async def _password_page(request: PageRequest, form: Form, status: int = 200) -> HttpResponse:
    return request.render("password.html", status=status, form=form, email_change=await _find_email_change(request))


async def _find_email_change(request: PageRequest) -> PendingEmailChange | None:
    """Return the pending change of the user's email address, which ends when the password changes."""
    user = require_user(request)
    return await email_changes.find_own(request.state.pool, user) if user.can_change_sign_in else None


def require_user(request: PageRequest) -> SignedInUser:
    """Return the signed-in user. Raises Unauthenticated."""
    if request.user is None:
        raise Unauthenticated("Please sign in")
    return request.user


def require_relying_party(request: PageRequest) -> RelyingParty:
    """Return the site that passkeys belong to. Raises Conflict if they do not work at this address."""
    party = _relying_party(request)
    if party is None:
        raise Conflict("Passkeys do not work at this address")
    return party


async def enter_session(
    request: PageRequest, session: NewSession, next_path: str, notice: str = "", event_path: str = ""
) -> HttpResponse:
    """Continue to the requested page, or to the page that asks for the second factor.

    `event_path` says how the user signed in, if not with a password.
    """
    if session.is_partial:
        lifetime_s = int(PARTIAL_SESSION_LIFETIME.total_seconds())
        request.headers.append(cookies.set_cookie(request.scope, cookies.PARTIAL_SESSION, session.token, lifetime_s))
        query = f"?next={quote(next_path, safe='/')}" if LOCAL_PATH.fullmatch(next_path) else ""
        return request.redirect(f"/sign-in/code{query}", notice)
    await _remember_device(request, session.user_id)
    await record_access(request, session.acting_user_id, access_events.SIGN_IN, event_path)
    return await _redirect_signed_in(request, session.token, next_path, notice)


async def record_access(request: PageRequest, user_id: int, kind: str, path: str = "") -> None:
    """Record an access event of a user."""
    await access_events.record_event(request.state.pool, user_id, kind, access_source(request), path=path)


def record_failure(request: PageRequest, email: str) -> None:
    """Record a failed sign-in later, so that the time of the answer does not tell whether there is such a user."""
    _record_later(access_events.record_failed_sign_in(request.state.pool, email, access_source(request)))


def _record_refusal(request: PageRequest, error: GajiError) -> None:
    """Record a passkey that was not accepted, later."""
    if isinstance(error, PasskeyRefused) and error.user_id is not None:
        kind = access_events.PASSKEY_REFUSED if error.is_copy else access_events.SIGN_IN_FAILED
        _record_later(access_events.record_event(request.state.pool, error.user_id, kind, access_source(request)))


def _record_later(work: Coroutine[Any, Any, None]) -> None:
    task = asyncio.create_task(work)
    _recording.add(task)
    task.add_done_callback(_recording.discard)


def access_source(request: PageRequest) -> AccessSource:
    """Return where a request came from."""
    return AccessSource(request.address, header(request.scope, b"user-agent") or "")


def remembered_key(request: PageRequest) -> str:
    """Return the key of the address for single sign-on that was used on this device, or an empty text."""
    key = cookies.read_cookies(request.scope).get(cookies.SIGN_IN_KEY, "")
    return key if SIGN_IN_KEY.fullmatch(key) else ""


async def start_session(request: PageRequest, token: str) -> None:
    """Set the cookie of a new session, clear the visitor cookie, and record the device."""
    user_agent = header(request.scope, b"user-agent") or ""
    await sessions.describe_session(request.state.pool, token, user_agent, request.address)
    # Longer than the session, so that a form that is sent after its end can be kept and comes back after sign-in.
    lifetime_s = int((SESSION_LIFETIME + FORM_GRACE).total_seconds())
    request.headers.append(cookies.clear_cookie(request.scope, cookies.VISITOR))
    request.headers.append(cookies.set_cookie(request.scope, cookies.SESSION, token, lifetime_s))


async def _redirect_signed_in(request: PageRequest, token: str, next_path: str, notice: str = "") -> HttpResponse:
    await start_session(request, token)
    return request.redirect(next_path if LOCAL_PATH.fullmatch(next_path) else "/", notice)


async def _remember_device(request: PageRequest, user_id: int) -> None:
    """Make this device a known one of the user, and tell the user by mail if it was not."""
    if not sign_in_limits.is_known_device(request.state.vault, user_id, _device(request)):
        await access_events.report_new_device(request.state.pool, user_id, access_source(request))
    device = sign_in_limits.new_device(request.state.vault, user_id)
    request.headers.append(cookies.set_cookie(request.scope, cookies.DEVICE, device, DEVICE_LIFETIME_S))


def _device(request: PageRequest) -> str:
    return cookies.read_cookies(request.scope).get(cookies.DEVICE, "")


def _passkey_attempt(request: PageRequest) -> PasskeyAttempt:
    response = request.form.get("credential", "")
    return PasskeyAttempt(require_relying_party(request), response, request.address, _device(request))


def _partial_token(request: PageRequest) -> str:
    return cookies.read_cookies(request.scope).get(cookies.PARTIAL_SESSION, "")


def _restart(request: PageRequest) -> HttpResponse:
    request.headers.append(cookies.clear_cookie(request.scope, cookies.PARTIAL_SESSION))
    return request.redirect("/sign-in", "Your sign-in has expired. Please sign in again")


async def _sign_in_page(
    request: PageRequest, next_path: str, email: str = "", error: GajiError | None = None
) -> HttpResponse:
    values = {
        "next": next_path,
        "email": email[:254],
        "party": _relying_party(request),
        "offers_single_sign_on": await single_sign_on.is_offered(request.state.pool),
    }
    return form_page(request, "sign_in.html", error, **values)


async def _code_page(request: PageRequest, next_path: str, error: GajiError | None = None) -> HttpResponse:
    state = request.state
    partial = await second_factor.find_partial_session(state.pool, state.vault, _partial_token(request))
    if partial is None:
        return _restart(request)
    offers_passkey = partial.has_passkeys and _relying_party(request) is not None
    values = {"next": next_path, "partial": partial, "offers_passkey": offers_passkey}
    return form_page(request, "sign_in_code.html", error, **values)


def _relying_party(request: PageRequest) -> RelyingParty | None:
    return find_relying_party(site_url(request.scope))


def form_page(request: PageRequest, template: str, error: GajiError | None, **values: Any) -> HttpResponse:
    """Return a page with a small form, and what was wrong, if anything."""
    if error is None:
        return request.render(template, error=None, **values)
    request.headers += error.headers.items()
    return request.render(template, status=error.status, error=ErrorSummary(error.message, []), **values)
