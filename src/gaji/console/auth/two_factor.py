"""Signing in with two steps: turned on with a picture for an app, and off again."""

from segno import make_qr

from gaji.console.forms import Field, Form
from gaji.console.pages import PageRouter
from gaji.console.auth.sign_in import keep_session
from gaji.console.request import PageRequest
from gaji.core.errors import Unauthenticated, ValidationError
from gaji.identity import second_factor
from gaji.identity.one_time_codes import address_of, shown_secret
from gaji.identity.sessions import Person
from gaji.web.responses import HttpResponse

router = PageRouter()

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


@router.get("/two-steps")
async def show_two_steps(request: PageRequest) -> HttpResponse:
    """Whether one signs in with two steps, and the form to turn it on or off."""
    return await _page(request, _person(request))


@router.post("/two-steps/on")
async def turn_on(request: PageRequest) -> HttpResponse:
    """Turn it on, and show the recovery codes, this once."""
    person, pool, vault = _person(request), request.service.pool, request.service.vault
    try:
        done = await second_factor.turn_on(pool, vault, person, request.secret, *_given(request))
    except ValidationError as error:
        return await _page(request, person, error)
    keep_session(request, done.token)
    request.secret = done.token
    return request.render("recovery_codes.html", codes=done.recovery_codes)


@router.post("/two-steps/off")
async def turn_off(request: PageRequest) -> HttpResponse:
    """Turn it off; all other sessions end."""
    person, pool, vault = _person(request), request.service.pool, request.service.vault
    try:
        token = await second_factor.turn_off(pool, vault, person, *_given(request))
    except ValidationError as error:
        return await _page(request, person, error)
    keep_session(request, token)
    return request.redirect("/two-steps", "Two-step sign-in is off. You are signed out everywhere else")


def _person(request: PageRequest) -> Person:
    if request.person is None:
        raise Unauthenticated("Please sign in")
    return request.person


def _given(request: PageRequest) -> tuple[str, str]:
    return request.form.get("password", ""), request.form.get("code", "")


async def _page(request: PageRequest, person: Person, error: ValidationError | None = None) -> HttpResponse:
    factor = await second_factor.find(request.service.pool, request.service.vault, person)
    form = TURN_OFF if factor else TURN_ON
    shown = form.with_errors(error) if error else form
    status = error.status if error else 200
    if factor:
        return request.render("two_factor_on.html", status=status, factor=factor, form=shown)
    secret = second_factor.proposed_secret(request.service.vault, request.secret)
    picture = make_qr(address_of(secret, person.email), error="m")
    return request.render(
        "two_factor_off.html",
        status=status,
        form=shown,
        secret=shown_secret(secret),
        picture=picture.svg_inline(svgclass=None, lineclass=None, omitsize=True),
    )
