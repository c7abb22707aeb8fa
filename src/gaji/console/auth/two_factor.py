"""Signing in with two steps: turned on with a picture for an app, and off again."""

from segno import make_qr

from gaji.console.forms import Field, Form
from gaji.console.pages import Pages
from gaji.console.auth.sign_in import keep_session
from gaji.console.request import Visit
from gaji.core.errors import Unauthenticated, ValidationError
from gaji.identity import second_factor
from gaji.identity.one_time_codes import address_of, shown_secret
from gaji.identity.sessions import Person
from gaji.web.gateway import Response

pages = Pages()

PASSWORD = Field("password", "Current password", kind="password", required=True, autocomplete="current-password")
TURN_ON = Form(
    [
        Field("code", "Code", hint="The 6 digits that the app shows.", required=True, autocomplete="one-time-code"),
        PASSWORD,
    ]
)
TURN_OFF = Form(
    [
        Field("code", "Code", hint="From the app, or a recovery code.", required=True, autocomplete="one-time-code"),
        PASSWORD,
    ]
)


@pages.get("/two-steps")
async def show_two_steps(visit: Visit) -> Response:
    """Whether one signs in with two steps, and the form to turn it on or off."""
    return await _page(visit, _person(visit))


@pages.post("/two-steps/on")
async def turn_on(visit: Visit) -> Response:
    """Turn it on, and show the recovery codes, this once."""
    person, pool, vault = _person(visit), visit.service.pool, visit.service.vault
    try:
        done = await second_factor.turn_on(pool, vault, person, visit.secret, *_given(visit))
    except ValidationError as error:
        return await _page(visit, person, error)
    keep_session(visit, done.token)
    visit.secret = done.token
    return visit.show("recovery_codes.html", codes=done.recovery_codes)


@pages.post("/two-steps/off")
async def turn_off(visit: Visit) -> Response:
    """Turn it off; all other sessions end."""
    person, pool, vault = _person(visit), visit.service.pool, visit.service.vault
    try:
        token = await second_factor.turn_off(pool, vault, person, *_given(visit))
    except ValidationError as error:
        return await _page(visit, person, error)
    keep_session(visit, token)
    return visit.go("/two-steps", "Two-step sign-in is off. You are signed out everywhere else")


def _person(visit: Visit) -> Person:
    if visit.person is None:
        raise Unauthenticated("Please sign in")
    return visit.person


def _given(visit: Visit) -> tuple[str, str]:
    return visit.form.get("password", ""), visit.form.get("code", "")


async def _page(visit: Visit, person: Person, error: ValidationError | None = None) -> Response:
    factor = await second_factor.find(visit.service.pool, visit.service.vault, person)
    form = TURN_OFF if factor else TURN_ON
    shown = form.with_faults(error) if error else form
    status = error.status if error else 200
    if factor:
        return visit.show("two_steps_on.html", status=status, factor=factor, form=shown)
    secret = second_factor.proposed_secret(visit.service.vault, visit.secret)
    picture = make_qr(address_of(secret, person.email), error="m")
    return visit.show(
        "two_steps_off.html",
        status=status,
        form=shown,
        secret=shown_secret(secret),
        picture=picture.svg_inline(svgclass=None, lineclass=None, omitsize=True),
    )
