"""Acting in another account of the signed-in person, and leaving one."""

from urllib.parse import quote

from gaji.console.auth.sign_in import record_access, require_user, start_session
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import LOCAL_PATH, PageRequest
from gaji.core.errors import Conflict, NotFound
from gaji.core.field_types import MAX_ID, parse_integer
from gaji.identity import access_events, account_departures, sessions
from gaji.web.responses import HttpResponse

router = PageRouter()

PATH = "/account/switch"
LEAVE_PATH = "/account/leave"


@router.post(PATH)
async def switch_account(request: PageRequest) -> HttpResponse:
    """Act in another account from now on, and continue with a page of it."""
    account_id = parse_integer(request.form.get("account")) or 0
    if not 0 < account_id <= MAX_ID:
        raise NotFound("You have no access to this account")
    return await switch_to(request, account_id, request.form.get("next", ""))


@router.post(
    LEAVE_PATH,
    confirm=Confirmation(
        "Leave this account?",
        "You lose your roles in all companies of the account, and your API keys for it stop working. "
        "Your other accounts stay as they are. To come back, you need a new invitation.",
        "Leave account",
    ),
    step_up=True,
)
async def leave_account(request: PageRequest) -> HttpResponse:
    """Give up all roles in the account, and act in another one from now on."""
    user = require_user(request)
    others = [account.account_id for account in user.accounts if not account.is_current]
    if not others:
        is_by_provider = user.method == sessions.BY_SINGLE_SIGN_ON
        raise Conflict(account_departures.BY_SINGLE_SIGN_ON if is_by_provider else account_departures.ONLY_ACCOUNT)
    await account_departures.leave_account(request.tenant)
    return await switch_to(request, others[0], "/", f"You have left {user.account_name}")


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
