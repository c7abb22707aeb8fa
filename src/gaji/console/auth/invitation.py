"""Accepting an invitation."""

from dataclasses import replace
from urllib.parse import urlencode

from gaji.console.auth.account_switch import switch_to
from gaji.console.auth.code_entry import CodeEntry
from gaji.console.auth.sign_in import record_failure, start_session
from gaji.console.forms import Field, Form
from gaji.console.glossary import ROLE_NAMES
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import Conflict, NotFound, TooManyRequests, ValidationError
from gaji.identity import invitations, password_resets
from gaji.identity.invitations import Invitation
from gaji.identity.schemas import MAX_EMAIL_LENGTH
from gaji.mail.outbox import is_mail_set_up
from gaji.web.responses import HttpResponse

router = PageRouter()

MAX_NAME_LENGTH = 100
CODE_ENTRY = CodeEntry(
    "Your invitation",
    "/invitation",
    "the invitation has been used or withdrawn, or is older than 7 days; ask the person who invited you for a new one",
)
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
        return CODE_ENTRY.show(request)
    try:
        invitation = await invitations.find_invitation(request.state.pool, token)
    except NotFound:
        return await CODE_ENTRY.redirect_or_show_error(request, token, "/reset-password", password_resets.find_user)
    return _page(request, token, invitation)


@router.post("/invitation", public=True)
async def accept_invitation(request: PageRequest) -> HttpResponse:
    """Accept the invitation. New users are signed in; others sign in with their password."""
    try:
        return await _accept(request)
    except NotFound:
        return CODE_ENTRY.show_ended(request)


async def _accept(request: PageRequest) -> HttpResponse:
    token, state = request.form.get("token", ""), request.state
    invitation = await invitations.find_invitation(state.pool, token)
    if "as_signed_in" in request.form:
        return await _accept_as_signed_in(request, token, invitation)
    try:
        session = await invitations.accept_invitation(state.pool, state.vault, token, request.form, request.address)
    except (ValidationError, Conflict, TooManyRequests) as error:
        if isinstance(error, Conflict) and invitation.email:
            record_failure(request, invitation.email)
        return _page(request, token, invitation, error)
    email = invitation.email or request.form.get("email", "").strip()
    if session is None and request.user is not None and request.user.email.lower() == email.lower():
        return request.redirect("/", f"Invitation accepted. You now have access to {invitation.company}")
    if session is None:
        return request.redirect("/", f"Invitation accepted. Sign in as {email} with your existing password")
    await start_session(request, session)
    return request.redirect("/", f"Welcome. From now on, sign in as {email}")


async def _accept_as_signed_in(request: PageRequest, token: str, invitation: Invitation) -> HttpResponse:
    """Give the signed-in person a user in the account, and continue there."""
    try:
        account_id = await invitations.accept_as_signed_in(request.state.pool, token, request.secret)
    except Conflict as error:
        return _page(request, token, invitation, error)
    return await switch_to(request, account_id, "", f"Welcome to {invitation.company}")


def _page(
    request: PageRequest,
    token: str,
    invitation: Invitation,
    error: ValidationError | Conflict | TooManyRequests | None = None,
) -> HttpResponse:
    form = _form(invitation)
    if error:
        request.headers += error.headers.items()
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
        as_signed_in=invitations.is_for(invitation, request.user) and not invitation.known,
        sign_in_path=f"/sign-in?{urlencode({'next': f'/invitation?token={token}'})}",
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
