"""Accepting an invitation."""

from gaji.console.auth.sign_in import start_session
from gaji.console.forms import Field, Form
from gaji.console.glossary import ROLE_NAMES
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import Conflict, ValidationError
from gaji.identity import invitations
from gaji.identity.invitations import Invitation
from gaji.web.responses import HttpResponse

router = PageRouter()

MAX_NAME_LENGTH = 100
FORM = Form(
    [
        Field("name", "Your name", max_length=MAX_NAME_LENGTH, autocomplete="name"),
        Field(
            "new",
            "Password",
            kind="password",
            hint="At least 12 characters.",
            required=True,
            autocomplete="new-password",
        ),
        Field("again", "Repeat password", kind="password", required=True, autocomplete="new-password"),
    ]
)


@router.get("/invitation", public=True)
async def show_invitation(request: PageRequest) -> HttpResponse:
    """Show the invitation, and the form to set a password."""
    token = request.query.get("token", "")
    return _page(request, token, await invitations.find_invitation(request.state.pool, token))


@router.post("/invitation", public=True)
async def accept_invitation(request: PageRequest) -> HttpResponse:
    """Accept the invitation. New users are signed in; others sign in with their password."""
    token = request.form.get("token", "")
    invitation = await invitations.find_invitation(request.state.pool, token)
    try:
        session = await invitations.accept_invitation(request.state.pool, request.state.vault, token, request.form)
    except (ValidationError, Conflict) as error:
        return _page(request, token, invitation, error)
    if session is None:
        return request.redirect("/", f"Invitation accepted. Sign in as {invitation.email} with your existing password")
    await start_session(request, session)
    return request.redirect("/", f"Welcome. From now on, sign in as {invitation.email}")


def _page(
    request: PageRequest, token: str, invitation: Invitation, error: ValidationError | Conflict | None = None
) -> HttpResponse:
    form = Form([]) if invitation.known else FORM
    if error:
        # Passwords are not sent back to the browser.
        form = form.with_values({"name": request.form.get("name", "")[:MAX_NAME_LENGTH]}).with_errors(error)
    return request.render(
        "invitation.html",
        status=error.status if error else 200,
        invitation=invitation,
        role=ROLE_NAMES[invitation.role],
        form=form,
        token=token,
    )
