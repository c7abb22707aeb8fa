"""Signing in and out, and changing one's password."""

import re

from gaji.accounts import sessions
from gaji.accounts.sessions import LASTING, Attempt
from gaji.console import cookies
from gaji.console.forms import Field, Form
from gaji.console.pages import Pages
from gaji.console.visit import Visit
from gaji.errors import GajiError, Invalid, TooManyRequests, Unauthenticated
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
    client = visit.scope["client"]
    email, after = visit.form.get("email", ""), visit.form.get("next", "")
    attempt = Attempt(email, visit.form.get("password", ""), client[0] if client else "")
    try:
        token = await sessions.sign_in(visit.service.pool, visit.service.vault, attempt)
    except (Invalid, TooManyRequests) as error:
        return _sign_in_page(visit, after, email, error)
    keep_session(visit, token)
    return visit.go(after if OWN_PATH.fullmatch(after) else "/")


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
    except Invalid as error:
        return visit.show("password.html", status=422, form=PASSWORD.with_faults(error))
    keep_session(visit, token)
    return visit.go("/password", "Your password has been changed. You are signed out everywhere else")


def keep_session(visit: Visit, token: str) -> None:
    """Have the browser keep the token of a session that has just begun, and forget what a visitor had."""
    visit.headers.append(cookies.forget(visit.scope, cookies.VISITOR))
    visit.headers.append(cookies.keep(visit.scope, cookies.SESSION, token, int(LASTING.total_seconds())))


def _sign_in_page(visit: Visit, after: str, email: str = "", error: GajiError | None = None) -> Response:
    if error:
        visit.headers += error.headers.items()
        plain = GajiError(error.message)
    status = error.status if error else 200
    return visit.show("sign_in.html", status=status, next=after, email=email[:254], error=plain if error else None)
