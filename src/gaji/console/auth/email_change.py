"""Change of email: ask for a new address, and confirm it with a link or a code."""

from gaji.console.auth.sign_in import record_access, require_user
from gaji.console.forms import Field, Form
from gaji.console.pages import PageRouter
from gaji.console.portal.access import load_access
from gaji.console.request import PageRequest
from gaji.core.errors import Conflict, NotFound, TooManyRequests, ValidationError
from gaji.identity import access_events, email_changes
from gaji.identity.schemas import MAX_EMAIL_LENGTH
from gaji.mail.outbox import is_mail_set_up
from gaji.web.responses import HttpResponse

router = PageRouter()

MAX_CODE_LENGTH = 60
"""Of what is shown again after an error."""
FORM = Form(
    [Field("email", "New email", kind="email", max_length=MAX_EMAIL_LENGTH, required=True, autocomplete="email")]
)
PASSWORD = Form(
    [
        Field(
            "password",
            "Password",
            kind="password",
            hint="Of your Gaji sign-in.",
            required=True,
            autocomplete="current-password",
        )
    ]
)


@router.get("/email")
async def show_email(request: PageRequest) -> HttpResponse:
    """Show the form for a new address, and the change that waits for confirmation."""
    return await _page(request, FORM)


@router.post("/email", step_up=True)
async def request_email_change(request: PageRequest) -> HttpResponse:
    """Ask for a new address. The answer is the same if another user has it."""
    typed = request.form.get("email", "")
    try:
        await email_changes.request_change(request.state.pool, request.state.vault, require_user(request), typed)
    except (ValidationError, TooManyRequests) as error:
        request.headers += error.headers.items()
        form = FORM.with_values({"email": typed[:MAX_EMAIL_LENGTH]}).with_errors(error)
        return await _page(request, form, error.status)
    return request.redirect("/email")


@router.post("/email/keep")
async def cancel_email_change(request: PageRequest) -> HttpResponse:
    """Keep the current address."""
    await email_changes.cancel_change(request.state.pool, require_user(request))
    return request.redirect("/email", "Your email address stays as it is")


@router.get("/email/confirm", public=True)
async def show_email_confirmation(request: PageRequest) -> HttpResponse:
    """Show the new address. Users who are not signed in enter their password."""
    token = request.query.get("token", "").strip()
    try:
        return await _confirmation_page(request, token)
    except NotFound as error:
        return await _ended_page(request, token, error)


@router.post("/email/confirm", public=True)
async def confirm_email_change(request: PageRequest) -> HttpResponse:
    """Change the address."""
    token, state = request.form.get("token", ""), request.state
    arguments = token, request.user, request.secret, request.form.get("password", "")
    try:
        change = await email_changes.confirm_change(state.pool, state.vault, *arguments)
    except (ValidationError, TooManyRequests, Conflict) as error:
        request.headers += error.headers.items()
        return await _confirmation_page(request, token, error)
    except NotFound as error:
        return await _ended_page(request, token, error)
    await record_access(request, change.user_id, access_events.EMAIL_CHANGED)
    return request.redirect("/", f"From now on, sign in as {change.new_email}")


async def _page(
    request: PageRequest, form: Form, status: int = 200, *, code: str = "", problem: str = ""
) -> HttpResponse:
    """Show the page. `problem` is what is wrong with a link or with the code that was entered."""
    user = require_user(request)
    pending = await email_changes.find_own(request.state.pool, user) if user.can_change_sign_in else None
    is_owner = any(company.role == "owner" for company in await request.companies())
    return request.render(
        "email.html",
        status=status,
        form=form,
        pending=pending,
        mails=is_mail_set_up(),
        is_owner=is_owner,
        code=code,
        problem=problem,
    )


async def _ended_page(request: PageRequest, token: str, error: NotFound) -> HttpResponse:
    """Show the page of a signed-in user again, with the code that does not work."""
    if request.user is None:
        raise error
    await load_access(request)
    return await _page(request, FORM, error.status, code=token[:MAX_CODE_LENGTH], problem=error.message)


async def _confirmation_page(
    request: PageRequest, token: str, error: ValidationError | TooManyRequests | Conflict | None = None
) -> HttpResponse:
    change = await email_changes.find_change(request.state.pool, token)
    is_signed_in = request.user is not None and email_changes.is_own_change(request.user, change)
    form = Form([]) if is_signed_in else PASSWORD
    if error:
        form = form.with_errors(error)
    status = error.status if error else 200
    return request.render("email_confirmation.html", status=status, change=change, form=form, token=token)
