"""Using an invitation: whoever has the link chooses a password and is in."""

from gaji.console.forms import Field, Form, as_faults
from gaji.console.pages import Pages
from gaji.console.auth.sign_in import keep_session
from gaji.console.request import Visit
from gaji.core.constants import LISTS
from gaji.core.errors import Conflict, ValidationError
from gaji.identity import invitations
from gaji.identity.invitations import Invitation
from gaji.web.gateway import Response

pages = Pages()

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


@pages.get("/invitation", public=True)
async def show_invitation(visit: Visit) -> Response:
    """What one is invited to, and the form to choose a password."""
    token = visit.query.get("token", "")
    return _page(visit, token, await invitations.look(visit.service.pool, token))


@pages.post("/invitation", public=True)
async def accept_invitation(visit: Visit) -> Response:
    """Accept: someone new is signed in, and whoever can sign in already does so."""
    token = visit.form.get("token", "")
    found = await invitations.look(visit.service.pool, token)
    try:
        session = await invitations.accept(visit.service.pool, visit.service.vault, token, visit.form)
    except (ValidationError, Conflict) as error:
        return _page(visit, token, found, error)
    if session is None:
        return visit.go("/", f"You have the role now. Sign in as {found.email}, with the password that you have")
    keep_session(visit, session)
    return visit.go("/", f"Welcome. From now on, sign in as {found.email}")


def _page(visit: Visit, token: str, found: Invitation, error: ValidationError | Conflict | None = None) -> Response:
    form = Form([one for one in FORM.fields if not found.known])
    if error:
        kept = {"name": visit.form.get("name", "")[:100]}
        form = form.filled(kept).with_faults(as_faults(error))
    return visit.show(
        "invitation.html",
        status=error.status if error else 200,
        invitation=found,
        role=ROLES[found.role],
        form=form,
        token=token,
    )
