"""The devices on which a user is signed in."""

from gaji.console.formats import format_count
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import NotFound
from gaji.identity import sessions
from gaji.web.responses import HttpResponse

router = PageRouter()

METHODS = {sessions.LOCAL: "Password or passkey", sessions.BY_SINGLE_SIGN_ON: "Single sign-on"}


@router.get("/devices")
async def show_devices(request: PageRequest) -> HttpResponse:
    """Show the user's sessions."""
    rows = await sessions.list_sessions(request.state.pool, request.secret)
    return request.render("sessions.html", sessions=rows, methods=METHODS)


@router.post("/devices/{session_id}/sign-out")
async def sign_out_device(request: PageRequest) -> HttpResponse:
    """End another session of the user."""
    if not await sessions.end_other_sessions(request.state.pool, request.secret, request.ids["session_id"]):
        raise NotFound("This device is already signed out")
    return request.redirect("/devices", "Device signed out")


@router.post("/devices/sign-out")
async def sign_out_others(request: PageRequest) -> HttpResponse:
    """End all other sessions of the user."""
    count = await sessions.end_other_sessions(request.state.pool, request.secret)
    return request.redirect("/devices", f"Signed out on {format_count(count, 'other device')}")
