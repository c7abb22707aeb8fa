"""Signing in and out, and changing one's password."""

import re
from typing import Any
from urllib.parse import quote

from gaji.console import cookies
from gaji.console.forms import Field, Form
from gaji.console.pages import Pages
from gaji.console.rendering import count
from gaji.console.request import Visit
from gaji.core.errors import GajiError, TooManyRequests, Unauthenticated, ValidationError
from gaji.identity import second_factor, sessions
from gaji.identity.sessions import HALF_LASTING, LASTING, Attempt
from gaji.web.gateway import Response

pages = Pages()

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


@pages.get("/sign-in", public=True)
async def sign_in_page(visit: Visit) -> Response:
    """The form to sign in."""
    if visit.person is not None:
        return visit.go("/")
    return _sign_in_page(visit, visit.query.get("next", ""))


@pages.post("/sign-in", public=True)
async def sign_in(visit: Visit) -> Response:
    """Sign in, and go where one wanted to go."""
    email, after = visit.form.get("email", ""), visit.form.get("next", "")
    attempt = Attempt(email, visit.form.get("password", ""), visit.address)
    try:
        begun = await sessions.sign_in(visit.service.pool, visit.service.vault, attempt)
    except (ValidationError, TooManyRequests) as error:
        return _sign_in_page(visit, after, email, error)
    if begun.half:
        seconds = int(HALF_LASTING.total_seconds())
        visit.headers.append(cookies.keep(visit.scope, cookies.HALF_SESSION, begun.token, seconds))
        return visit.go(
            f"/sign-in/code?next={quote(after, safe='/')}" if OWN_PATH.fullmatch(after) else "/sign-in/code"
        )
    return _let_in(visit, begun.token, after)


@pages.get("/sign-in/code", public=True)
async def code_page(visit: Visit) -> Response:
    """The form for the code, after the password was right."""
    if visit.person is not None:
        return visit.go("/")
    if not await second_factor.is_half(visit.service.pool, _half_token(visit)):
        return _from_the_start(visit)
    return _code_page(visit, visit.query.get("next", ""))


@pages.post("/sign-in/code", public=True)
async def give_code(visit: Visit) -> Response:
    """Complete signing in, and go where one wanted to go."""
    code, after = visit.form.get("code", ""), visit.form.get("next", "")
    pool, vault = visit.service.pool, visit.service.vault
    try:
        done = await second_factor.complete(pool, vault, _half_token(visit), code, visit.address)
    except (ValidationError, TooManyRequests) as error:
        return _code_page(visit, after, error)
    if done is None:
        return _from_the_start(visit)
    left = done.recovery_codes_left
    said = "" if left is None else f"That recovery code is used up. {count(left, 'recovery code is', 'are')} left"
    visit.headers.append(cookies.forget(visit.scope, cookies.HALF_SESSION))
    return _let_in(visit, done.token, after, said)


@pages.post("/sign-out")
async def sign_out(visit: Visit) -> Response:
    """End this session."""
    await sessions.sign_out(visit.service.pool, visit.secret)
    visit.headers.append(cookies.forget(visit.scope, cookies.SESSION))
    return visit.go("/sign-in", "You are signed out")


@pages.get("/password")
async def password_page(visit: Visit) -> Response:
    """The form to change one's password."""
    return visit.show("password.html", form=PASSWORD)


@pages.post("/password")
async def change_password(visit: Visit) -> Response:
    """Change one's password; all other sessions end."""
    if visit.person is None:
        raise Unauthenticated("Please sign in")
    given = [visit.form.get(one.name, "") for one in PASSWORD.fields]
    try:
        token = await sessions.change_password(visit.service.pool, visit.service.vault, visit.person, *given)
    except ValidationError as error:
        return visit.show("password.html", status=422, form=PASSWORD.with_faults(error))
    keep_session(visit, token)
    return visit.go("/password", "Your password has been changed. You are signed out everywhere else")


def keep_session(visit: Visit, token: str) -> None:
    """Have the browser keep the token of a session that has just begun, and forget what a visitor had."""
    visit.headers.append(cookies.forget(visit.scope, cookies.VISITOR))
    visit.headers.append(cookies.keep(visit.scope, cookies.SESSION, token, int(LASTING.total_seconds())))


def _let_in(visit: Visit, token: str, after: str, said: str = "") -> Response:
    keep_session(visit, token)
    return visit.go(after if OWN_PATH.fullmatch(after) else "/", said)


def _half_token(visit: Visit) -> str:
    return cookies.read(visit.scope).get(cookies.HALF_SESSION, "")


def _from_the_start(visit: Visit) -> Response:
    visit.headers.append(cookies.forget(visit.scope, cookies.HALF_SESSION))
    return visit.go("/sign-in", "That took too long. Please sign in again")


def _sign_in_page(visit: Visit, after: str, email: str = "", error: GajiError | None = None) -> Response:
    return _refused_or_new(visit, "sign_in.html", error, next=after, email=email[:254])


def _code_page(visit: Visit, after: str, error: GajiError | None = None) -> Response:
    return _refused_or_new(visit, "sign_in_code.html", error, next=after)


def _refused_or_new(visit: Visit, template: str, error: GajiError | None, **values: Any) -> Response:
    if error is None:
        return visit.show(template, error=None, **values)
    visit.headers += error.headers.items()
    # Without its faults by field: there is one sentence to be told.
    return visit.show(template, status=error.status, error=GajiError(error.message), **values)
