"""Search for pages, actions, companies and people. The command palette shows the results of this page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from gaji.company.clients.service import ClientMembership
from gaji.console.company_names import company_name
from gaji.console.formats import format_count
from gaji.console.glossary import ROLE_NAMES
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.people.employees.directory import PersonMatch, search_people
from gaji.web.responses import HttpResponse

router = PageRouter()

MAX_PEOPLE = 8
MAX_COMPANIES = 12
COMPANY_PAGES = (
    ("Dashboard", "", "home overview"),
    ("Employees", "/employees", "people staff working hours overtime weekly salary wages"),
    (
        "Pay runs",
        "/payment_runs",
        "payroll salary salaries bank giro open finalise reopen release late unpaid mark paid",
    ),
    ("Past payslips", "/retro_proposals", "late corrections"),
    ("Filings", "/filings", "cpf ezpay levy fwl sdl withholding tax late overdue submit"),
    ("Tax certificates", "/tax_certificates", "ir8a ais iras year end"),
    ("Tax clearance (IR21)", "/tax_certificates#tax-clearance", "ir21 iras leavers withheld pay directive release"),
    ("Leave", "/leave", "absences requests calendar approve waiting"),
    ("Reports", "/reports", "cpf levy wage offsets costs"),
    ("Settings", "/settings", "company pay schedules weekly monthly points departments"),
    ("Switching from another payroll", "/settings/take_on", "opening balances migration"),
    ("Custom fields", "/settings/custom_fields", "additional information"),
    ("Custom items", "/settings/items", "pay allowances deductions formulas"),
    ("Profiles", "/settings/profiles", "shared pay items"),
    ("Ledger accounts", "/settings/accounts", "journals accounting"),
    ("Journal splits", "/settings/splits", "accounting"),
    ("Accounting program", "/settings/account_mappings", "xero quickbooks journals"),
    ("Leave types and policies", "/settings/leave_types", "annual sick entitlement accrual carry-over"),
    ("Logo and payslip options", "/settings/payslip_options", "message"),
    ("Payslip template", "/settings/payslip_template", "layout pdf"),
    ("Users and roles", "/settings/users", "permissions invite"),
    ("Approval by a second person", "/settings/approvals", "four eyes approve bank account payment"),
    ("Webhooks", "/settings/webhooks", "notify integrations"),
    ("Self-service", "/self-service", "portal invitations access"),
    ("Retention periods", "/settings/retention", "personal data pdpa erase delete former employees"),
    ("Audit log", "/settings/changes", "changes history"),
)
"""Name, path, and other words that the page is found by."""
COMPANY_ACTIONS = (
    ("Add employee", "/employees/new", "hire new"),
    ("Import employees", "/employees/import", "workbook excel upload"),
    ("Import opening balances", "/settings/take_on/import", "workbook excel upload"),
    ("Invite employees to self-service", "/self-service", "portal"),
    ("Bulk input", "/bulk_input", "overtime hours grid salary"),
    ("Once-off pay run", "/payment_runs/new", "bonus"),
    ("Add pay schedule", "/waves/new", "weekly monthly frequency new"),
    ("Edit company details", "/details", "uen address bank account cpf submission number"),
)
LISTS_OF_COMPANIES = (
    (
        "Companies that need attention",
        "/companies?show=attention",
        "needs cpf filings late overdue unpaid pay run waiting leave requests approvals release journal work pass",
    ),
    ("Companies by next pay date", "/companies?sort=pay_date", "pay run open finalise release unpaid salary payroll"),
    ("Companies with late pay runs", "/companies?show=late_runs", "overdue unpaid open finalise payroll"),
    ("Companies with wages not marked as paid", "/companies?show=unpaid", "unpaid late overdue payments bank giro"),
    (
        "Companies with released pay without a file",
        "/companies?show=released_pay",
        "withheld tax clearance ir21 bank giro",
    ),
    ("Companies with payslips not released", "/companies?show=unreleased", "waiting employees see"),
    (
        "Companies with late filings",
        "/companies?show=late_filings",
        "cpf files overdue ezpay submit ir21 tax clearance ir8a",
    ),
    ("Companies with tax clearance (IR21) to check", "/companies?show=clearances", "leavers foreigners due soon leave"),
    ("Companies with corrections to finalise", "/companies?show=corrections", "open differences"),
    ("Companies with pay that differs", "/companies?show=differs", "corrections differences changed"),
    ("Companies with journals not posted", "/companies?show=unposted", "accounting"),
    ("Companies with work passes that end", "/companies?show=passes", "expired expiring expire foreign workers"),
    (
        "Companies with missing details",
        "/companies?show=details",
        "bank account cpf submission number settings",
    ),
    ("Companies with leave and other approvals", "/companies?show=approvals", "waiting approve absences requests"),
)
"""Found where no company is chosen."""
ACCOUNT_PAGES = (
    ("Companies", "/companies", ""),
    ("API keys", "/api-keys", "tokens integrations"),
    ("Email", "/email", "address sign-in"),
    ("Password", "/password", ""),
    ("Two-step sign-in", "/two-steps", "authenticator app recovery codes"),
    ("Passkeys", "/passkeys", "sign-in fingerprint security key"),
    ("Devices", "/devices", "sessions sign out"),
    ("Access log", "/access-log", "sign-ins downloads history"),
    ("Account changes", "/account/changes", "audit log users api keys history"),
)


@dataclass(frozen=True)
class SearchResult:
    """Something to open."""

    text: str
    path: str
    note: str = ""
    words: str = ""
    """Other words that it is found by."""


@dataclass(frozen=True)
class ResultGroup:
    """Results of one kind."""

    title: str
    results: Sequence[SearchResult]
    more: str = ""
    """How many results are left out, and how to find them."""


@router.get("/search")
async def search(request: PageRequest) -> HttpResponse:
    """Show what matches the query: of the company that the user comes from, and of all others."""
    companies = await request.companies()
    company_id = request.query.get("company", "")
    company = next((company for company in companies if str(company.id) == company_id), None)
    query = request.query.get("q", "").strip()
    groups = [_match_companies(companies, query)]
    if request.query.get("only") != "companies":
        pages, actions = _pages(company), _actions(request, company)
        people = await _search_people(request, companies, company, query)
        named = ResultGroup("Pages of companies", _pages_of_named_companies(companies, query))
        groups = [people, _matching("Pages", pages, query), _matching("Actions", actions, query), *groups, named]
    return request.render(
        "search.html",
        company=company,
        here="Search",
        query=query,
        only=request.query.get("only", ""),
        groups=[group for group in groups if group.results],
    )


def _pages(company: ClientMembership | None) -> list[SearchResult]:
    pages = _company_results(company, COMPANY_PAGES) if company else _results(LISTS_OF_COMPANIES)
    return pages + _results(ACCOUNT_PAGES)


def _results(entries: Iterable[tuple[str, str, str]]) -> list[SearchResult]:
    return [SearchResult(text, path, words=words) for text, path, words in entries]


def _actions(request: PageRequest, company: ClientMembership | None) -> list[SearchResult]:
    actions = _company_results(company, COMPANY_ACTIONS) if company and company.can_write else []
    if request.user and request.user.caller.administrator:
        actions.append(SearchResult("New company", "/companies/new"))
    return actions


def _company_results(
    company: ClientMembership, entries: Iterable[tuple[str, str, str]], note: str = ""
) -> list[SearchResult]:
    return [SearchResult(text, f"/companies/{company.id}{path}", note, words) for text, path, words in entries]


def _pages_of_named_companies(companies: Sequence[ClientMembership], query: str) -> list[SearchResult]:
    """Return the pages that a query such as "bedok filings" asks for: some words name a company, others a page."""
    words = query.lower().split()
    named = [company for company in companies if any(_has_words(company.name, [word]) for word in words)]
    results = (result for company in named[:MAX_COMPANIES] for result in _named_pages(company, words))
    return list(islice(results, MAX_COMPANIES))


def _named_pages(company: ClientMembership, words: Sequence[str]) -> Sequence[SearchResult]:
    page_words = [word for word in words if not _has_words(company.name, [word])]
    if not page_words:
        return []
    pages = _company_results(company, COMPANY_PAGES, note=company_name(company))
    return _matching("", pages, " ".join(page_words)).results


async def _search_people(
    request: PageRequest, companies: Sequence[ClientMembership], company: ClientMembership | None, query: str
) -> ResultGroup:
    if not query:
        return ResultGroup("People", [])
    names = {membership.id: company_name(membership) for membership in companies}
    ids = sorted(names, key=lambda client_id: company is None or client_id != company.id)
    async with request.tenant.read_only() as tx:
        matches = await search_people(tx, ids, query, MAX_PEOPLE + 1)
    title = f"People, the first {MAX_PEOPLE}" if len(matches) > MAX_PEOPLE else "People"
    return ResultGroup(title, [_person(match, names[match.client_id]) for match in matches[:MAX_PEOPLE]])


def _person(match: PersonMatch, company: str) -> SearchResult:
    return SearchResult(match.employee.name, f"/employees/{match.id}", f"{match.employee.number} · {company}")


def _match_companies(companies: Sequence[ClientMembership], query: str) -> ResultGroup:
    results = (
        SearchResult(company_name(company), f"/companies/{company.id}", ROLE_NAMES[company.role], company.uen or "")
        for company in companies
    )
    matches = _matching("Companies", results, query).results
    number = len(matches) - MAX_COMPANIES
    hint = "Type more of the name" if query else "Type a name or UEN"
    more = f"{format_count(number, 'more company', 'more companies')}. {hint} to find {'it' if number == 1 else 'them'}"
    return ResultGroup("Companies", matches[:MAX_COMPANIES], more if number > 0 else "")


def _matching(title: str, results: Iterable[SearchResult], query: str) -> ResultGroup:
    """Return the results in which every word of the query begins a word, first those with all words in the name."""
    words = query.lower().split()
    matches = [result for result in results if _has_words(f"{result.text} {result.words}", words)]
    return ResultGroup(title, sorted(matches, key=lambda result: not _has_words(result.text, words)))


def _has_words(text: str, words: Sequence[str]) -> bool:
    parts = text.lower().replace("-", " ").split()
    return all(any(part.startswith(word) for part in parts) for word in words)
