"""Accepting an invitation."""

from dataclasses import replace

from gaji.console.auth.sign_in import start_session
from gaji.console.forms import Field, Form
from gaji.console.glossary import ROLE_NAMES
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import Conflict, NotFound, ValidationError
from gaji.identity import invitations
from gaji.identity.invitations import Invitation
from gaji.identity.schemas import MAX_EMAIL_LENGTH
from gaji.mail.outbox import is_mail_set_up
from gaji.web.responses import HttpResponse

router = PageRouter()

MAX_NAME_LENGTH = 100
MAX_CODE_LENGTH = 30
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


EMAIL_FIELD = Field(
    "email",
    "Email",
    kind="email",
    hint="You sign in with it.",
    required=True,
    autocomplete="username",
)


@router.get("/invitation", public=True)
async def show_invitation(request: PageRequest) -> HttpResponse:
    """Show the invitation and the form to set a password, or ask for the code of a printed invitation."""
    token = request.query.get("token", "").strip()
    if not token:
        return request.render("invitation_code.html", error="", code="")
    try:
        invitation = await invitations.find_invitation(request.state.pool, token)
    except NotFound as error:
        code = token[:MAX_CODE_LENGTH]
        return request.render("invitation_code.html", status=error.status, error=error.message, code=code)
    return _page(request, token, invitation)


@router.post("/invitation", public=True)
async def accept_invitation(request: PageRequest) -> HttpResponse:
    """Accept the invitation. New users are signed in; others sign in with their password."""
    token = request.form.get("token", "")
    invitation = await invitations.find_invitation(request.state.pool, token)
    try:
        session = await invitations.accept_invitation(request.state.pool, request.state.vault, token, request.form)
    except (ValidationError, Conflict) as error:
        return _page(request, token, invitation, error)
    email = invitation.email or request.form.get("email", "").strip()
    if session is None:
        return request.redirect("/", f"Invitation accepted. Sign in as {email} with your existing password")
    await start_session(request, session)
    return request.redirect("/", f"Welcome. From now on, sign in as {email}")


def _page(
    request: PageRequest, token: str, invitation: Invitation, error: ValidationError | Conflict | None = None
) -> HttpResponse:
    form = _form(invitation)
    if error:
        # Passwords are not sent back to the browser.
        typed = {name: request.form.get(name, "")[:MAX_EMAIL_LENGTH] for name in ("name", "email")}
        form = form.with_values(typed).with_errors(error)
    return request.render(
        "invitation.html",
        status=error.status if error else 200,
        invitation=invitation,
        role=ROLE_NAMES[invitation.role],
        form=form,
        token=token,
    )


def _form(invitation: Invitation) -> Form:
    if invitation.known:
        return Form([])
    form = FORM if invitation.email else Form([_email_field(), *FORM.fields])
    return form.with_values({"name": invitation.name[:MAX_NAME_LENGTH]})


def _email_field() -> Field:
    if not is_mail_set_up():
        return EMAIL_FIELD
    return replace(EMAIL_FIELD, hint="You sign in with it, and get a link there if you forget your password.")
