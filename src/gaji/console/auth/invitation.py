"""Using an invitation: whoever has the link chooses a password and is in."""

from gaji.console.forms import Field, Form, as_validation_error
from gaji.console.pages import PageRouter
from gaji.console.auth.sign_in import keep_session
from gaji.console.request import PageRequest
from gaji.core.constants import LISTS
from gaji.core.errors import Conflict, ValidationError
from gaji.identity import invitations
from gaji.identity.invitations import Invitation
from gaji.web.responses import HttpResponse

router = PageRouter()

ROLES = {str(entry.value): entry.name for entry in LISTS["role"]}
FORM = Form(
    [
        Field("name", "Your name", most=100, autocomplete="name"),
        Field(
            "new",
            "Password",
            kind="password",
            hint="At least 12 characters.",
            required=True,
            autocomplete="new-password",
        ),
        Field("again", "Password again", kind="password", required=True, autocomplete="new-password"),
    ]
)


@router.get("/invitation", public=True)
async def show_invitation(request: PageRequest) -> HttpResponse:
    """What one is invited to, and the form to choose a password."""
    token = request.query.get("token", "")
    return _page(request, token, await invitations.look(request.service.pool, token))


@router.post("/invitation", public=True)
async def accept_invitation(request: PageRequest) -> HttpResponse:
    """Accept: someone new is signed in, and whoever can sign in already does so."""
    token = request.form.get("token", "")
    found = await invitations.look(request.service.pool, token)
    try:
        session = await invitations.accept(request.service.pool, request.service.vault, token, request.form)
    except (ValidationError, Conflict) as error:
        return _page(request, token, found, error)
    if session is None:
        return request.redirect("/", f"You have the role now. Sign in as {found.email}, with the password that you have")
    keep_session(request, session)
    return request.redirect("/", f"Welcome. From now on, sign in as {found.email}")


def _page(request: PageRequest, token: str, found: Invitation, error: ValidationError | Conflict | None = None) -> HttpResponse:
    form = Form([one for one in FORM.fields if not found.known])
    if error:
        kept = {"name": request.form.get("name", "")[:100]}
        form = form.with_values(kept).with_errors(as_validation_error(error))
    return request.render(
        "invitation.html",
        status=error.status if error else 200,
        invitation=found,
        role=ROLES[found.role],
        form=form,
        token=token,
    )
