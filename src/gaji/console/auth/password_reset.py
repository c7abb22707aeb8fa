"""Setting a new password with a link or the code of a slip."""

from gaji.console.auth.code_entry import CodeEntry
from gaji.console.auth.sign_in import NEW_PASSWORD_FIELDS, enter_session, record_access
from gaji.console.forms import Form
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import NotFound, ValidationError
from gaji.identity import access_events, invitations, password_resets
from gaji.web.responses import HttpResponse

router = PageRouter()

FORM = Form(NEW_PASSWORD_FIELDS)
CODE_ENTRY = CodeEntry(
    "Set a new password",
    "/reset-password",
    "it has been used or replaced, or is older than a day; start again with “Forgotten password?” on the sign-in "
    "page, or ask the person who does your payroll for a new slip",
)


@router.get("/reset-password", public=True)
async def show_password_reset(request: PageRequest) -> HttpResponse:
    """Show the form to set a new password, or ask for the code of a slip."""
    token = request.query.get("token", "").strip()
    if not token:
        return CODE_ENTRY.show(request)
    try:
        user = await password_resets.find_user(request.state.pool, token)
    except NotFound:
        return await CODE_ENTRY.redirect_or_show_error(request, token, "/invitation", invitations.find_invitation)
    return request.render("password_reset.html", email=user.email, form=FORM, token=token)


@router.post("/reset-password", public=True)
async def reset_password(request: PageRequest) -> HttpResponse:
    """Set the new password and sign in."""
    token, pool = request.form.get("token", ""), request.state.pool
    try:
        user = await password_resets.find_user(pool, token)
        session = await password_resets.use_reset(pool, request.state.vault, token, request.form)
    except NotFound:
        return CODE_ENTRY.show_ended(request)
    except ValidationError as error:
        form = FORM.with_errors(error)
        return request.render("password_reset.html", status=422, email=user.email, form=form, token=token)
    await record_access(request, session.user_id, access_events.PASSWORD_RESET)
    return await enter_session(request, session, "", "Password set. You are signed out on all other devices")
