"""Signing in and out, and changing one's password."""

import re
from typing import Any
from urllib.parse import quote

from gaji.console import cookies
from gaji.console.forms import Field, Form
from gaji.console.pages import PageRouter

from gaji.console.request import PageRequest
from gaji.core.errors import GajiError, TooManyRequests, Unauthenticated, ValidationError
from gaji.identity import second_factor, sessions
from gaji.identity.sessions import HALF_LASTING, LASTING, Attempt
from gaji.web.responses import HttpResponse

router = PageRouter()

OWN_PATH = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")
"""A path of ours; two slashes would be another site's address."""
PASSWORD = Form(
    [
        Field("current", "Current password", kind="password", required=True, autocomplete="current-password"),
        Field(
            "new",
            "New password",
            kind="password",
            hint="At least 12 characters.",
            required=True,
            autocomplete="new-password",
        ),
        Field("again", "New password again", kind="password", required=True, autocomplete="new-password"),
    ]
)


@router.get("/sign-in", public=True)
async def sign_in_page(request: PageRequest) -> HttpResponse:
    """The form to sign in."""
    if request.person is not None:
        return request.redirect("/")
    return _sign_in_page(request, request.query.get("next", ""))


@router.post("/sign-in", public=True)
async def sign_in(request: PageRequest) -> HttpResponse:
    """Sign in, and go where one wanted to go."""
    email, after = request.form.get("email", ""), request.form.get("next", "")
    attempt = Attempt(email, request.form.get("password", ""), request.address)
    try:
        begun = await sessions.sign_in(request.service.pool, request.service.vault, attempt)
    except (ValidationError, TooManyRequests) as error:
        return _sign_in_page(request, after, email, error)
    if begun.half:
        seconds = int(HALF_LASTING.total_seconds())
        request.headers.append(cookies.set_cookie(request.scope, cookies.HALF_SESSION, begun.token, seconds))
        return request.redirect(
            f"/sign-in/code?next={quote(after, safe='/')}" if OWN_PATH.fullmatch(after) else "/sign-in/code"
        )
    return _let_in(request, begun.token, after)


@router.get("/sign-in/code", public=True)
async def code_page(request: PageRequest) -> HttpResponse:
    """The form for the code, after the password was right."""
    if request.person is not None:
        return request.redirect("/")
    if not await second_factor.is_half(request.service.pool, _half_token(request)):
        return _from_the_start(request)
    return _code_page(request, request.query.get("next", ""))


@router.post("/sign-in/code", public=True)
async def give_code(request: PageRequest) -> HttpResponse:
    """Complete signing in, and go where one wanted to go."""
    code, after = request.form.get("code", ""), request.form.get("next", "")
    pool, vault = request.service.pool, request.service.vault
    try:
        done = await second_factor.complete(pool, vault, _half_token(request), code, request.address)
    except (ValidationError, TooManyRequests) as error:
        return _code_page(request, after, error)
    if done is None:
        return _from_the_start(request)
    left = done.recovery_codes_left
    said = "" if left is None else f"That recovery code is used up. {format_count(left, 'recovery code is', 'are')} left"
    request.headers.append(cookies.clear_cookie(request.scope, cookies.HALF_SESSION))
    return _let_in(request, done.token, after, said)


@router.post("/sign-out")
async def sign_out(request: PageRequest) -> HttpResponse:
    """End this session."""
    await sessions.sign_out(request.service.pool, request.secret)
    request.headers.append(cookies.clear_cookie(request.scope, cookies.SESSION))
    return request.redirect("/sign-in", "You are signed out")


@router.get("/password")
async def password_page(request: PageRequest) -> HttpResponse:
    """The form to change one's password."""
    return request.render("password.html", form=PASSWORD)


@router.post("/password")
async def change_password(request: PageRequest) -> HttpResponse:
    """Change one's password; all other sessions end."""
    if request.person is None:
        raise Unauthenticated("Please sign in")
    given = [request.form.get(one.name, "") for one in PASSWORD.fields]
    try:
        token = await sessions.change_password(request.service.pool, request.service.vault, request.person, *given)
    except ValidationError as error:
        return request.render("password.html", status=422, form=PASSWORD.with_errors(error))
    keep_session(request, token)
    return request.redirect("/password", "Your password has been changed. You are signed out everywhere else")


def keep_session(request: PageRequest, token: str) -> None:
    """Have the browser keep the token of a session that has just begun, and forget what a visitor had."""
    request.headers.append(cookies.clear_cookie(request.scope, cookies.VISITOR))
    request.headers.append(cookies.set_cookie(request.scope, cookies.SESSION, token, int(LASTING.total_seconds())))


def _let_in(request: PageRequest, token: str, after: str, said: str = "") -> HttpResponse:
    keep_session(request, token)
    return request.redirect(after if OWN_PATH.fullmatch(after) else "/", said)


def _half_token(request: PageRequest) -> str:
    return cookies.read_cookies(request.scope).get(cookies.HALF_SESSION, "")


def _from_the_start(request: PageRequest) -> HttpResponse:
    request.headers.append(cookies.clear_cookie(request.scope, cookies.HALF_SESSION))
    return request.redirect("/sign-in", "That took too long. Please sign in again")


def _sign_in_page(request: PageRequest, after: str, email: str = "", error: GajiError | None = None) -> HttpResponse:
    return _refused_or_new(request, "sign_in.html", error, next=after, email=email[:254])


def _code_page(request: PageRequest, after: str, error: GajiError | None = None) -> HttpResponse:
    return _refused_or_new(request, "sign_in_code.html", error, next=after)


def _refused_or_new(request: PageRequest, template: str, error: GajiError | None, **values: Any) -> HttpResponse:
    if error is None:
        return request.render(template, error=None, **values)
    request.headers += error.headers.items()
    # Without its faults by field: there is one sentence to be told.
    return request.render(template, status=error.status, error=GajiError(error.message), **values)
