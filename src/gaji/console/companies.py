"""The user's companies, and the form for a new one."""

from gaji.company.clients import service
from gaji.company.clients.schemas import CLIENT
from gaji.console.company_list import FILTERS, SORT_KEYS, load_statuses
from gaji.console.company_plans import MAX_COMPANIES
from gaji.console.forms import Form, Values, build_form
from gaji.console.pages import PageRouter
from gaji.console.pagination import build_pager
from gaji.console.request import PageRequest
from gaji.console.table_sort import parse_sort
from gaji.console.tables import matches_words, sort_rows
from gaji.core.errors import Forbidden, Unauthenticated, ValidationError
from gaji.payroll.run_steps.models import CompanyStep
from gaji.payroll.run_steps.service import list_batches
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 100
MAX_BATCHES = 3
"""How many of the steps that the user started for several companies are listed."""
LARGEST = ("headcount", "late_filings", "approvals")
"""Columns that are sorted from the largest value first."""
STEPS = {
    CompanyStep.OPEN: "Open pay runs…",
    CompanyStep.FINALISE: "Finalise…",
    CompanyStep.MARK_PAID: "Mark as paid…",
    CompanyStep.RELEASE: "Release payslips…",
}
"""What can be done for the selected companies."""


def company_form(values: Values) -> Form:
    """Return the form for a company's details."""
    return build_form("company", CLIENT.attributes, values)


@router.get("/")
async def start(request: PageRequest) -> HttpResponse:
    """Redirect to the user's only company, or to the list of companies."""
    companies = await request.companies()
    return request.redirect(f"/companies/{companies[0].id}" if len(companies) == 1 else "/companies")


@router.get("/companies")
async def list_companies(request: PageRequest) -> HttpResponse:
    """Show the user's companies with what is due and late in each of them."""
    companies = await request.companies()
    search = request.query.get("search", "").strip()
    statuses = await load_statuses(request.tenant, companies)
    matching = [status for status in statuses if matches_words(status.company.search_text, search)]
    counts = {name: sum(map(applies, matching)) for name, (_, applies) in FILTERS.items()}
    show = request.query.get("show", "")
    if show in FILTERS:
        matching = [status for status in matching if FILTERS[show][1](status)]
    sort = parse_sort(request, SORT_KEYS, LARGEST, default="next_step" if show == "attention" else "")
    names = request.queries.get("client_id", [])
    matching.sort(key=lambda status: str(status.company.id) not in names)  # the selected companies first
    if sort.name:
        matching = sort_rows(matching, SORT_KEYS[sort.name], descending=sort.descending)
    page = request.list_page(PER_PAGE)
    listed = matching[page.offset : page.offset + page.size]
    writable = [status.company.id for status in listed if status.company.can_write]
    selects_all = request.query.get("select") == "all"
    chosen = [client_id for client_id in writable if selects_all or str(client_id) in names]
    has_steps = len(companies) > 1 and any(company.can_write for company in companies)
    return request.render(
        "companies.html",
        total=len(companies),
        attention_count=sum(status.needs_attention for status in statuses),
        statuses=listed,
        batches=await list_batches(request.tenant, [item.id for item in companies], MAX_BATCHES) if has_steps else [],
        steps=STEPS if len(companies) > 1 and writable else {},
        max_companies=MAX_COMPANIES,
        selectable=len(writable[:MAX_COMPANIES]),
        selected=chosen[:MAX_COMPANIES],
        select_all=request.url_with(select="all", page=str(page.number)) + "#steps",
        select_none=request.url_with(select="", client_id="", page=str(page.number)) + "#steps",
        search=search,
        show=show,
        list_path=f"/companies?show={show}" if show in FILTERS else "/companies",
        filters={name: (text, counts[name]) for name, (text, _) in FILTERS.items() if counts[name] or name == show},
        sort=sort,
        kept_sort=sort.value if request.query.get("sort") else "",
        pager=build_pager(request, page, len(matching)),
    )


@router.get("/companies/new")
async def new_company(request: PageRequest) -> HttpResponse:
    """Show the form for a new company."""
    _require_administrator(request)
    return request.render("company_form.html", form=company_form({}), client_id=None, here="Companies", return_to="")


@router.post("/companies/new")
async def create_company(request: PageRequest) -> HttpResponse:
    """Create a company."""
    _require_administrator(request)
    form = company_form({})
    try:
        client_id, _ = await service.create_client(request.tenant, form.to_body(request.form))
    except ValidationError as error:
        form = form.with_values(request.form).with_errors(error)
        return request.render(
            "company_form.html", status=422, form=form, client_id=None, here="Companies", return_to=""
        )
    return request.redirect(f"/companies/{client_id}", "Company created")


def _require_administrator(request: PageRequest) -> None:
    if request.user is None:
        raise Unauthenticated("Please sign in")
    if not request.user.caller.administrator:
        raise Forbidden("Only an administrator of the account can create companies")
