"""The log of sign-ins, downloads and the use of API keys, and the audit log of the account."""

import re
from collections.abc import Mapping

from gaji.company.audit_log.service import list_account_entries
from gaji.console.audit_entries import describe_account_entries
from gaji.console.company_names import company_name
from gaji.console.company_steps import PATH_OF_CPF_FILES, PATH_OF_PAYMENT_FILES
from gaji.console.pages import PageRouter
from gaji.console.pagination import build_pager
from gaji.console.request import PageRequest
from gaji.identity import access_events
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50
COMPANY_PATH = re.compile(r"(?:/v1)?/(?:companies|clients)/(\d+)(?:/|$)")
PATHS_OF_SEVERAL_COMPANIES = {
    f"{PATH_OF_CPF_FILES}/zip": "CPF files of several companies",
    f"{PATH_OF_PAYMENT_FILES}/zip": "Payment files of several companies",
}
"""What is downloaded at these paths."""
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
    names = {str(company.id): company_name(company) for company in await request.companies()}
    return request.render(
        "access_log.html",
        events=events,
        kinds=KINDS,
        subjects={event.path: _subject(event.path, names) for event in events},
        pager=build_pager(request, page, total),
    )


def _subject(path: str, names: Mapping[str, str]) -> str:
    """Return the company of a path, by the IDs of those that the user can see, or what several companies have there.

    >>> _subject("/v1/clients/14/employees/export", {"14": "Bedok Tailors"}), _subject("/companies/cpf_files/zip", {})
    ('Bedok Tailors', 'CPF files of several companies')
    """
    company = COMPANY_PATH.match(path)
    return names.get(company[1], "") if company else PATHS_OF_SEVERAL_COMPANIES.get(path, "")


@router.get("/account/changes")
async def show_account_changes(request: PageRequest) -> HttpResponse:
    """Show the changes that belong to no company and that the user may see, newest first."""
    page = request.list_page(PER_PAGE)
    entries, total = await list_account_entries(request.tenant, {}, page)
    return request.render(
        "account_changes.html", entries=describe_account_entries(entries), pager=build_pager(request, page, total)
    )
