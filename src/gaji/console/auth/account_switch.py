"""Acting in another account of the signed-in person."""

from urllib.parse import quote

from gaji.console.auth.sign_in import record_access, start_session
from gaji.console.pages import PageRouter
from gaji.console.request import LOCAL_PATH, PageRequest
from gaji.core.errors import NotFound
from gaji.core.validation import MAX_ID, parse_integer
from gaji.identity import access_events, sessions
from gaji.web.responses import HttpResponse

router = PageRouter()

PATH = "/account/switch"


@router.post(PATH)
async def switch_account(request: PageRequest) -> HttpResponse:
    """Act in another account from now on, and continue with a page of it."""
    account_id = parse_integer(request.form.get("account")) or 0
    if not 0 < account_id <= MAX_ID:
        raise NotFound("You have no access to this account")
    return await switch_to(request, account_id, request.form.get("next", ""))


async def switch_to(request: PageRequest, account_id: int, next_path: str, notice: str = "") -> HttpResponse:
    """Let the session act in an account, or go to its provider if it requires single sign-on. Raises NotFound.

    The session gets another token, so forms of pages that are still open do not work any more.
    """
    path = next_path if LOCAL_PATH.fullmatch(next_path) else "/"
    switch = await sessions.switch_account(request.state.pool, request.secret, account_id)
    if switch.token is None:
        return request.redirect(f"/sso/{switch.sign_in_key}?next={quote(path, safe='/')}", notice)
    await start_session(request, switch.token)
    await record_access(request, switch.acting_user_id, access_events.SIGN_IN)
    return request.redirect(path, notice)
