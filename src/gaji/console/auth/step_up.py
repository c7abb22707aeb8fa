"""Step-up: pages that ask a user of an old session to prove again who they are, and the page that asks."""

from dataclasses import replace
from urllib.parse import quote

from gaji.console import cookies, unsent_forms
from gaji.console.auth.sign_in import record_access, remembered_key, require_relying_party, require_user
from gaji.console.error_messages import ErrorSummary
from gaji.console.pages import Page, PageRouter
from gaji.console.request import LOCAL_PATH, PageRequest, previous_path
from gaji.core.errors import Forbidden, GajiError, TooManyRequests, ValidationError
from gaji.identity import access_events, passkeys, second_factor, session_confirmations
from gaji.identity.passkey_checks import PasskeyRefused, find_relying_party
from gaji.identity.sessions import BY_SINGLE_SIGN_ON
from gaji.web.asgi import header, site_url
from gaji.web.responses import HttpResponse

router = PageRouter()

PATH = "/confirm-identity"
OPTIONS_PATH = "/confirm-identity/options"
PATHS = (PATH, OPTIONS_PATH)
"""Requests to these keep the form that was sent."""
CONFIRMED = f"Confirmed. You will not be asked again for {session_confirmations.RECENT.seconds // 60} minutes"
DOWNLOAD_AGAIN = "Confirmed. Now click the download again"
FAILURES = {
    "password": "The password is incorrect",
    "code": "The code is incorrect or was used before",
    "credential": "The passkey was not accepted",
}


def require_recent_proof(page: Page) -> Page:
    """Return the page with the rule, if it declares it. The form that was sent comes back after the confirmation."""
    if not page.step_up:
        return page

    async def handler(request: PageRequest) -> HttpResponse:
        if request.user is None or (callable(page.step_up) and not await page.step_up(request)):
            return await page.handler(request)
        if await session_confirmations.is_confirmed(request.state.pool, request.secret):
            return await page.handler(request)
        return _ask(page, request)

    return replace(page, handler=handler)


@router.get(PATH)
async def show_confirmation(request: PageRequest) -> HttpResponse:
    """Ask the user for the password, a code or a passkey."""
    return await _page(request, request.query.get("next", ""), is_download="download" in request.query)


@router.post(OPTIONS_PATH)
async def begin_passkey(request: PageRequest) -> HttpResponse:
    """Return what the browser needs to use a passkey."""
    user, party = require_user(request), require_relying_party(request)
    options = await session_confirmations.begin_passkey(request.state.pool, user, request.secret, party)
    return request.respond(200, options.encode(), "application/json")


@router.post(PATH)
async def confirm(request: PageRequest) -> HttpResponse:
    """Check the proof, and continue to the page that asked for it."""
    next_path, user_id = request.form.get("next", ""), require_user(request).caller.user_id
    is_download = "download" in request.query
    try:
        await _check(request)
    except (ValidationError, TooManyRequests) as error:
        if isinstance(error, ValidationError):
            is_copy = isinstance(error, PasskeyRefused) and error.is_copy
            kind = access_events.PASSKEY_REFUSED if is_copy else access_events.CONFIRMATION_FAILED
            await record_access(request, user_id, kind)
        return await _page(request, next_path, error, is_download=is_download)
    notice = DOWNLOAD_AGAIN if is_download else CONFIRMED
    return request.redirect(next_path if LOCAL_PATH.fullmatch(next_path) else "/", notice)


async def _check(request: PageRequest) -> None:
    pool, vault, user, token = request.state.pool, request.state.vault, require_user(request), request.secret
    if response := request.form.get("credential"):
        party = require_relying_party(request)
        await session_confirmations.confirm_with_passkey(pool, vault, user, token, party, response)
    elif code := request.form.get("code"):
        await session_confirmations.confirm_with_code(pool, vault, user, token, code)
    else:
        password = request.form.get("password", "")
        await session_confirmations.confirm_with_password(pool, vault, user, token, password)


def _ask(page: Page, request: PageRequest) -> HttpResponse:
    """Redirect to the page that asks, which continues with the requested page, or with the form that was sent."""
    if "text/html" not in (header(request.scope, b"accept") or ""):
        raise Forbidden("Confirm first that it is you: reload the page")
    path, details = request.back_path, ""
    if page.method == "POST" and (sealed := unsent_forms.seal_form(request, request.acting_user_id)):
        lifetime_s = unsent_forms.LIFETIME_S
        request.headers.append(cookies.set_cookie(request.scope, cookies.UNSENT_FORM, sealed, lifetime_s))
        path = unsent_forms.PATH
    elif page.is_file and previous_path(request.scope):
        details = "&download=yes"
    elif page.method == "GET":
        query = request.scope["query_string"].decode("latin-1")
        path = f"{request.path}?{query}" if query else request.path
    return request.redirect(f"{PATH}?next={quote(path, safe='/')}{details}")


async def _page(
    request: PageRequest, next_path: str, error: GajiError | None = None, *, is_download: bool
) -> HttpResponse:
    user, pool = require_user(request), request.state.pool
    is_own = user.can_change_sign_in
    factor = await second_factor.find_second_factor(pool, request.state.vault, user) if is_own else None
    party = find_relying_party(site_url(request.scope))
    request.headers += error.headers.items() if error else ()
    return request.render(
        "step_up.html",
        status=error.status if error else 200,
        error=ErrorSummary(_message(error), []) if error else None,
        next=next_path,
        is_download=is_download,
        sign_in_key=remembered_key(request) if user.method == BY_SINGLE_SIGN_ON else "",
        has_codes=factor is not None,
        has_app=factor is not None and factor.secret is not None,
        has_passkeys=bool(party and factor and await passkeys.list_passkeys(pool, user.home_user_id)),
    )


def _message(error: GajiError) -> str:
    return FAILURES[next(iter(error.errors))] if isinstance(error, ValidationError) else error.message
