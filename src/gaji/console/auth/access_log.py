"""The log of sign-ins, downloads and the use of API keys, and the audit log of the account."""

from gaji.company.audit_log.service import list_account_entries
from gaji.console.audit_entries import describe_account_entries
from gaji.console.pages import PageRouter
from gaji.console.pagination import build_pager
from gaji.console.request import PageRequest
from gaji.identity import access_events
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50
KINDS = {
    access_events.SIGN_IN: "Signed in",
    access_events.SIGN_IN_FAILED: "Failed to sign in",
    access_events.PASSWORD_RESET: "Set a password with a link",
    access_events.NEW_ADDRESS: "Used an API key from a new address",
    access_events.DOWNLOAD: "Downloaded a file",
    access_events.IDENTIFIERS: "Opened identifiers or account numbers",
    access_events.PASSKEY_REFUSED: "Refused a passkey that may have been copied",
    access_events.CONFIRMATION_FAILED: "Failed to confirm their identity",
    access_events.EMAIL_CHANGED: "Changed their email address",
    access_events.IDENTIFIER_TAKEN: "Sent identifiers that are in use, with an API key that hides them",
}


@router.get("/access-log")
async def show_access_log(request: PageRequest) -> HttpResponse:
    """Show the events that the user may see, newest first."""
    page = request.list_page(PER_PAGE)
    events, has_more = await access_events.list_events(request.tenant, page)
    total = page.offset + len(events) + has_more
    return request.render("access_log.html", events=events, kinds=KINDS, pager=build_pager(request, page, total))


@router.get("/account/changes")
async def show_account_changes(request: PageRequest) -> HttpResponse:
    """Show the changes that belong to no company and that the user may see, newest first."""
    page = request.list_page(PER_PAGE)
    entries, total = await list_account_entries(request.tenant, {}, page)
    return request.render(
        "account_changes.html", entries=describe_account_entries(entries), pager=build_pager(request, page, total)
    )
