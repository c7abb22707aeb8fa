"""The companies of a person, and a new one."""

from gaji.company.clients import service
from gaji.company.clients.rules import CLIENT
from gaji.console.forms import Form, Values, build_form
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import Forbidden, Unauthenticated, ValidationError
from gaji.web.responses import HttpResponse

router = PageRouter()

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
    return build_form(CLIENT.attributes, values, labels=LABELS, hints=HINTS)


@router.get("/")
async def start(request: PageRequest) -> HttpResponse:
    """Where one begins: at one's company, or at the list of them."""
    companies = await request.companies()
    return request.redirect(f"/companies/{companies[0].id}" if len(companies) == 1 else "/companies")


@router.get("/companies")
async def list_companies(request: PageRequest) -> HttpResponse:
    """The companies that one works with."""
    return request.render("companies.html", companies=await request.companies())


@router.get("/companies/new")
async def new_company(request: PageRequest) -> HttpResponse:
    """The form for a new company."""
    _require_administrator(request)
    return request.render("company_form.html", form=company_form({}), client_id=None, here="Companies")


@router.post("/companies/new")
async def create_company(request: PageRequest) -> HttpResponse:
    """Make a company."""
    _require_administrator(request)
    form = company_form({})
    try:
        client_id, _ = await service.create_client(request.tenant, form.body(request.form))
    except ValidationError as error:
        typed = form.with_values(request.form).with_errors(error)
        return request.render("company_form.html", status=422, form=typed, client_id=None, here="Companies")
    return request.redirect(f"/companies/{client_id}", "The company has been created")


def _require_administrator(request: PageRequest) -> None:
    if request.person is None:
        raise Unauthenticated("Please sign in")
    if not request.person.caller.administrator:
        raise Forbidden("Only an administrator of the account can create clients")
