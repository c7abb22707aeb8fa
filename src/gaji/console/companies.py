"""The companies of a person, and a new one."""

from gaji.company.clients import service
from gaji.company.clients.rules import CLIENT
from gaji.console.forms import Form, Values, form_of
from gaji.console.pages import Pages
from gaji.console.request import Visit
from gaji.core.errors import Forbidden, Unauthenticated, ValidationError
from gaji.web.gateway import Response

pages = Pages()

LABELS = {
    "employee_number_mode": "Employee numbers",
    "bank_account.bank_id": "Bank",
    "bank_account.company_id": "Company ID at the bank",
    "features.custom_wave_names": "Names for pay frequencies",
    "features.pay_dates": "Pay dates",
    "features.regular_hours_v2": "Inherited regular hours",
    "features.leave_any_day": "Leave on any day",
}
HINTS = {
    "name": "",
    "cpf_submission_number": "UEN, payment type and serial number, such as 202699999EPTE01.",
    "employee_number_mode": "",
    "bank_account.bank_id": "",
    "bank_account.account_number": "",
    "bank_account.account_name": "As the bank has it.",
    "bank_account.company_id": "In the bank's payment files.",
    "features.custom_wave_names": "Each may be called what you call it.",
    "features.pay_dates": "People may be paid before or after a period ends.",
    "features.regular_hours_v2": "Entered once for the company or a profile, and everyone has them.",
    "features.leave_any_day": "Also on days on which someone does not work.",
    "features.payslip_passwords": "Payslips as PDF open with a password only.",
}


def company_form(values: Values) -> Form:
    """The form of a company."""
    return form_of(CLIENT.attributes, values, labels=LABELS, hints=HINTS)


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
    return visit.show("company_form.html", form=company_form({}), client_id=None, here="Companies")


@pages.post("/companies/new")
async def create_company(visit: Visit) -> Response:
    """Make a company."""
    _require_administrator(visit)
    form = company_form({})
    try:
        client_id, _ = await service.create_client(visit.tenant, form.body(visit.form))
    except ValidationError as error:
        typed = form.filled(visit.form).with_faults(error)
        return visit.show("company_form.html", status=422, form=typed, client_id=None, here="Companies")
    return visit.go(f"/companies/{client_id}", "The company has been created")


def _require_administrator(visit: Visit) -> None:
    if visit.person is None:
        raise Unauthenticated("Please sign in")
    if not visit.person.caller.administrator:
        raise Forbidden("Only an administrator of the account can create clients")
