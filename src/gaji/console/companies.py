"""The companies of a person, and a new one."""

from gaji.clients import service
from gaji.clients.rules import CLIENT
from gaji.console.forms import form_of
from gaji.console.pages import Pages
from gaji.console.visit import Visit
from gaji.errors import Forbidden, Invalid, Unauthenticated
from gaji.web.gateway import Response

pages = Pages()


@pages.get("/")
async def start(visit: Visit) -> Response:
    """Where one begins: at one's company, or at the list of them."""
    companies = await visit.companies()
    return visit.go(f"/companies/{companies[0].id}" if len(companies) == 1 else "/companies")


@pages.get("/companies")
async def list_companies(visit: Visit) -> Response:
    """The companies that one works with."""
    return visit.show("companies.html", companies=await visit.companies())


@pages.get("/companies/new")
async def new_company(visit: Visit) -> Response:
    """The form for a new company."""
    _require_administrator(visit)
    return visit.show("company_form.html", form=form_of(CLIENT.attributes, {}), client_id=None, here="Companies")


@pages.post("/companies/new")
async def create_company(visit: Visit) -> Response:
    """Make a company."""
    _require_administrator(visit)
    form = form_of(CLIENT.attributes, {})
    try:
        client_id, _ = await service.create_client(visit.tenant, form.body(visit.form))
    except Invalid as error:
        typed = form.filled(visit.form).with_faults(error)
        return visit.show("company_form.html", status=422, form=typed, client_id=None, here="Companies")
    return visit.go(f"/companies/{client_id}", "The company has been created")


def _require_administrator(visit: Visit) -> None:
    if visit.person is None:
        raise Unauthenticated("Please sign in")
    if not visit.person.caller.administrator:
        raise Forbidden("Only an administrator of the account can create clients")
