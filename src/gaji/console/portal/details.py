"""The employee's details, as the company has them, and requests to change them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import msgspec

from gaji.approvals.models import Approval, ApprovalStatus
from gaji.console.approvals import list_changes
from gaji.console.employee_form import EMPLOYER_SECTIONS, employee_facts, load_referenced_records
from gaji.console.error_messages import error_text
from gaji.console.forms import Form, build_form
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.portal.employment import load_employment, render_portal
from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.core.bank_accounts import (
    BANK_PATH,
    BRANCH_PATH,
    BRANCH_RULES,
    NUMBER_PATH,
    UOB,
    BankAccount,
    derive_branch_code,
    strip_separators,
)
from gaji.core.errors import Errors, ValidationError
from gaji.law.columns import date_column
from gaji.law.cpf.tables import THIRD_YEAR_ON, pr_years
from gaji.law.months import Month
from gaji.people.children import service as children
from gaji.people.employees import change_requests
from gaji.people.employees import service as employees
from gaji.people.employees.change_requests import RequestOutcome
from gaji.people.employees.schemas import EMPLOYEE
from gaji.people.self_service.service import Employment, company_view
from gaji.people.service_periods import service as service_periods
from gaji.web.responses import HttpResponse

Facts = dict[str, list[tuple[str, str, bool]]]

router = PageRouter()

ADDRESS = "physical_address"
REQUEST_SECTIONS = {"Address": (ADDRESS,), "Payment": ("payment_method", "bank_account", "paynow")}
"""The fields that an employee can ask to change, by heading."""
CONTRIBUTIONS, NOT_EXEMPT = "Contributions", "No"
"""The section of exemptions from contributions, and the text of one that does not apply."""
HINTS = {"paynow": "Optional. A mobile number, NRIC, FIN or UEN.", BRANCH_PATH: "3 digits."}
"""Hints for employees, where those of the form for officers say what files have."""
DERIVED_BRANCH = (
    "DBS, POSB, OCBC, HSBC, Standard Chartered and State Bank of India: leave it blank, because it follows from the "
    "account number."
)
UOB_BRANCH = "UOB: look up the first three of the account number in its list of ACH bank and branch codes."
OTHER_BRANCH = "Other banks: ask your bank."
CONSEQUENCE = ". Your pay could fail or reach another account"
NOTE_SEPARATOR = "; "
"""Between the texts that an employee confirms. Other texts are shown again."""
MESSAGES = {
    RequestOutcome.SENT: "Request sent. Your details change when your company approves it",
    RequestOutcome.CANCELLED: "Your request is cancelled: these are your details already",
    RequestOutcome.UNCHANGED: "Nothing was requested: these are your details already",
}
SHOWN_STATUSES = (ApprovalStatus.PENDING, ApprovalStatus.REJECTED, ApprovalStatus.OUTDATED)
APPROVAL_SHOWN = timedelta(days=30)
"""How long the page says that a request was approved."""
CANCEL = Confirmation(
    "Cancel this request?",
    "Your details stay as they are. You can request a change again.",
    "Cancel request",
    "Keep request",
)


@router.get("/own/{employee_id}/details")
async def show_details(request: PageRequest) -> HttpResponse:
    """Show what the company has recorded about the employee."""
    employment = await load_employment(request)
    employee = await _load_own_record(request, employment)
    listed, _ = await children.list_children(request.tenant, employment.employee_id, None)
    periods = await service_periods.list_service_periods(request.tenant, employment.employee_id)
    async with company_view(request.tenant, employment) as tx:
        records = await load_referenced_records(tx, employment.client_id, employee)
    facts = _own_facts(employee_facts(employee, records, _past_elections(employee, clock.today())))
    first = next(iter(facts), "Person")
    latest = await change_requests.load_latest_request(request.tenant, employment.employee_id)
    return await render_portal(
        request,
        employment,
        "portal_details.html",
        here="Details",
        facts={**facts, first: [("Name", employment.name, False), *facts.get(first, [])]},
        children=[msgspec.json.decode(child) for child in listed],
        service_periods=[msgspec.json.decode(period) for period in periods],
        latest=latest,
        shows_request=latest is not None and _is_shown(latest),
        changes=_list_changes(latest) if latest else [],
    )


@router.get("/own/{employee_id}/details/edit")
async def edit_details(request: PageRequest) -> HttpResponse:
    """Show the form to request a change, with the values of a pending request."""
    employment = await load_employment(request)
    employee = await _load_own_record(request, employment)
    latest = await change_requests.load_latest_request(request.tenant, employment.employee_id)
    requested = latest.details["after"] if latest and latest.is_pending else {}
    return await _form_page(request, employment, _request_form({**employee, **requested}), latest)


@router.post("/own/{employee_id}/details/edit", step_up=True)
async def request_change(request: PageRequest) -> HttpResponse:
    """Request a change of the employee's own details. What is unusual is sent if the employee confirms it."""
    employment = await load_employment(request)
    form = _request_form(await _load_own_record(request, employment))
    try:
        body = _submitted_body(request, form)
        notes = await _note_texts(request, employment, body)
        if notes and request.form.get("confirmed") != NOTE_SEPARATOR.join(notes):
            return await _form_page(request, employment, form.with_values(request.form), None, notes=notes)
        outcome = await change_requests.request_change(request.tenant, employment.employee_id, body)
    except ValidationError as error:
        rejected = form.with_values(request.form).with_errors(error)
        is_address_valid = not any(path.startswith(ADDRESS) for path in error.errors)
        offers_address = is_address_valid and form.is_changed(request.form, ADDRESS)
        return await _form_page(request, employment, rejected, None, status=error.status, offers_address=offers_address)
    return request.redirect(f"/own/{employment.employee_id}/details", MESSAGES[outcome])


@router.post("/own/{employee_id}/details/cancel", confirm=CANCEL)
async def cancel_request(request: PageRequest) -> HttpResponse:
    """Cancel the pending request."""
    employment = await load_employment(request)
    await change_requests.cancel_request(request.tenant, employment.employee_id)
    return request.redirect(f"/own/{employment.employee_id}/details", "Request cancelled")


def _is_shown(latest: Approval) -> bool:
    """Return whether the page shows the latest request: unless it was cancelled or has been approved for a while."""
    if latest.status == ApprovalStatus.APPROVED:
        return latest.decided_at is not None and latest.decided_at >= clock.start_of_last(APPROVAL_SHOWN)
    return latest.status in SHOWN_STATUSES


async def _load_own_record(request: PageRequest, employment: Employment) -> dict[str, Any]:
    employee: dict[str, Any] = msgspec.json.decode(
        await employees.read_employee(request.tenant, employment.employee_id)
    )
    return employee


def _past_elections(employee: Mapping[str, Any], today: date) -> Sequence[str]:
    """Return the election of CPF rates from the third year of permanent residence, in which full rates apply."""
    pr_date = date.fromisoformat(employee["pr_date"]) if employee.get("pr_date") else None
    year = int(pr_years(Month.from_date(today), date_column([pr_date]))[0])
    return ["pr_cpf_rates"] if year == THIRD_YEAR_ON else []


def _own_facts(facts: Facts) -> Facts:
    """Return what the employee sees: without the employer's sections, and without exemptions that do not apply.

    A foreigner without CPF is not exempt in the record, which would read as if CPF were due.
    """
    facts_by_title = {
        title: [line for line in lines if title != CONTRIBUTIONS or line[1] != NOT_EXEMPT]
        for title, lines in facts.items()
        if title not in EMPLOYER_SECTIONS
    }
    return {title: lines for title, lines in facts_by_title.items() if lines}


def _request_form(values: Mapping[str, Any]) -> Form:
    attributes = [attribute for attribute in EMPLOYEE.attributes if attribute.name in change_requests.REQUESTABLE]
    form = build_form("employee", attributes, values)
    fields = {field.name: replace(field, hint=HINTS.get(field.name, field.hint)) for field in form.fields}
    banks = [value for value, _ in fields[BANK_PATH].options]
    required_if = f"{BANK_PATH}={','.join(bank for bank in banks if int(bank) not in BRANCH_RULES)}"
    fields[BRANCH_PATH] = replace(
        fields[BRANCH_PATH], required=False, required_if=required_if, hints=_branch_hints(banks)
    )
    return Form(list(fields.values()))


def _branch_hints(banks: Sequence[str]) -> list[tuple[str, str]]:
    """Return what to enter as the branch code, by the banks for which it applies."""
    derived = [bank for bank in banks if int(bank) in BRANCH_RULES]
    others = [bank for bank in banks if int(bank) != UOB and bank not in derived]
    texts = ((derived, DERIVED_BRANCH), ([str(UOB)], UOB_BRANCH), (others, OTHER_BRANCH))
    return [(f"{BANK_PATH}={','.join(values)}", text) for values, text in texts]


def _list_changes(approval: Approval) -> list[tuple[str, str, str, str]]:
    """Return label, old value and new value of the details that change, and the new value without mask."""
    masked, full = (list_changes(approval, show_secrets=show_secrets) for show_secrets in (False, True))
    return [(*change, new) for change, (_, _, new) in zip(masked, full, strict=True)]


def _submitted_body(request: PageRequest, form: Form) -> dict[str, Any]:
    """Return the body of the request: what was submitted, or only the address of it."""
    body = form.to_body(request.form)
    if request.form.get("only") == ADDRESS:
        return {ADDRESS: body[ADDRESS]}
    return _with_branch_code(form, _without_separators(form, body))


def _with_branch_code(form: Form, body: dict[str, Any]) -> dict[str, Any]:
    """Return the body with the branch code that follows from a new account, unless another one was entered.

    Raises ValidationError if it would follow from the number of an account at this bank, but the number is wrong.
    """
    account = body["bank_account"]
    if not account or not account["bank_id"] or not account["account_number"]:
        return body
    current = {field.name: field.value for field in form.section("bank_account")}
    is_new = (account["bank_id"], account["account_number"]) != (current[BANK_PATH], current[NUMBER_PATH])
    bank_id = int(account["bank_id"]) if account["bank_id"].isdecimal() else 0
    is_entered = account["branch_code"] and not (is_new and account["branch_code"] == current[BRANCH_PATH])
    if is_entered or bank_id not in BRANCH_RULES:
        return body
    branch_code = derive_branch_code(bank_id, account["account_number"])
    if branch_code is None and not account["branch_code"]:
        numbers = BankAccount(bank_id, "", account["account_number"]).errors()
        raise ValidationError(Errors({error.path: error for error in numbers if error.path == NUMBER_PATH}))
    return {**body, "bank_account": {**account, "branch_code": branch_code or account["branch_code"]}}


def _without_separators(form: Form, body: dict[str, Any]) -> dict[str, Any]:
    """Return the body with a new account number as digits only, as banks write it in files."""
    account = body["bank_account"]
    current = next(field.value for field in form.fields if field.name == NUMBER_PATH)
    if not account or not account["account_number"] or account["account_number"] == current:
        return body
    return {**body, "bank_account": {**account, "account_number": strip_separators(account["account_number"])}}


async def _note_texts(request: PageRequest, employment: Employment, body: Mapping[str, Any]) -> list[str]:
    """Return what is unusual about the request, in words. A bank that files cannot name is the employer's concern."""
    notes = await change_requests.list_notes(request.tenant, employment.employee_id, body)
    return [
        error_text(note) + (CONSEQUENCE if note.path in (BRANCH_PATH, NUMBER_PATH) else "")
        for note in notes
        if note.path != BANK_PATH
    ]


async def _form_page(
    request: PageRequest,
    employment: Employment,
    form: Form,
    latest: Approval | None,
    *,
    status: int = 200,
    notes: Sequence[str] = (),
    offers_address: bool = False,
) -> HttpResponse:
    """Show the form, with a button to send the address alone if only the payment details are wrong."""
    only = request.form.get("only", "") if notes else ""
    return await render_portal(
        request,
        employment,
        "portal_details_form.html",
        status=status,
        here="Details",
        form=form,
        sections={title: names for title, names in REQUEST_SECTIONS.items() if not only or only in names},
        only=only,
        offers_address=offers_address,
        replaces=latest is not None and latest.is_pending,
        notes=notes,
        confirmed=NOTE_SEPARATOR.join(notes),
    )
