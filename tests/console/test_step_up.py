"""Step-up: sensitive changes and exports in old sessions ask first who the user is."""

import re
from pathlib import Path

import httpx
import pytest

import gaji.console
from gaji.console.pages import Page
from gaji.console.routes import PAGES
from tests.console.console_user import PASSWORD, ConsoleUser, page_text, signed_in_user
from tests.console.sample_company import SampleCompany, create_sample_company
from tests.console.test_access_log import events
from tests.console.test_passkeys import at_localhost, options, with_passkey
from tests.console.test_two_factor import code, turned_on
from tests.support.company import BANK_ACCOUNT, Company
from tests.support.running import Member, Service

CONSOLE = Path(gaji.console.__file__).parent
CONFIRM = "/confirm-identity"
NEW_ACCOUNT = {"bank_account.account_number": "1234567890"}
ALWAYS = {
    ("POST", "/companies/{client_id}/approvals/{approval_id}/{decision}"),
    ("POST", "/companies/{client_id}/settings/approvals"),
    ("POST", "/companies/{client_id}/settings/retention"),
    ("GET", "/passkeys"),
    ("POST", "/passkeys"),
    ("POST", "/passkeys/options"),
    ("POST", "/passkeys/{passkey_id}/delete"),
    ("POST", "/two-steps/required"),
    ("POST", "/single-sign-on"),
    ("POST", "/single-sign-on/new"),
    ("POST", "/single-sign-on/required"),
    ("POST", "/account/leave"),
    ("POST", "/api-keys"),
    ("POST", "/api-keys/{key_id}/revoke"),
    ("POST", "/companies/{client_id}/settings/users/new"),
    ("POST", "/companies/{client_id}/settings/users/{user_id}/edit"),
    ("POST", "/companies/{client_id}/settings/users/{user_id}/delete"),
    ("POST", "/companies/{client_id}/settings/users/{user_id}/reset"),
    ("POST", "/companies/{client_id}/settings/users/{user_id}/two-steps-off"),
    ("POST", "/companies/{client_id}/settings/users/{user_id}/access/{decision}"),
    ("POST", "/companies/{client_id}/settings/users/{user_id}/email"),
    ("POST", "/email"),
    ("POST", "/companies/{client_id}/settings/users/invitations/{invitation_id}/renew"),
    ("POST", "/companies/{client_id}/settings/users/invitations/{invitation_id}/delete"),
    ("POST", "/companies/{client_id}/self-service"),
    ("POST", "/companies/{client_id}/settings/webhooks/new"),
    ("POST", "/companies/{client_id}/settings/webhooks/{endpoint_id}/edit"),
    ("POST", "/companies/{client_id}/settings/webhooks/{endpoint_id}/rotate"),
    ("POST", "/companies/cpf_files"),
    ("GET", "/companies/cpf_files/zip"),
    ("POST", "/companies/payment_files"),
    ("GET", "/companies/payment_files/zip"),
    ("GET", "/companies/{client_id}/employees/export"),
    ("GET", "/companies/{client_id}/employees/import"),
    ("POST", "/companies/{client_id}/employees/import"),
    ("GET", "/companies/{client_id}/employees/import/{uuid}/marked"),
    ("GET", "/companies/{client_id}/settings/take_on/export"),
    ("GET", "/companies/{client_id}/settings/take_on/import/{uuid}/marked"),
    ("GET", "/employees/{employee_id}/personal_data.json"),
    ("GET", "/employees/{employee_id}/personal_data.pdf"),
    ("GET", "/own/{employee_id}/personal_data.json"),
    ("GET", "/own/{employee_id}/personal_data.pdf"),
    ("POST", "/own/{employee_id}/details/edit"),
    ("POST", "/employees/{employee_id}/erase"),
}
"""Pages that always need a recent proof."""
SOMETIMES = {
    ("POST", "/employees/{employee_id}/edit"): "",
    ("GET", "/employees/{employee_id}"): "?ir21=draft",
    ("POST", "/companies/{client_id}/details"): "",
    ("GET", "/payment_runs/{payment_run_id}/files"): "?download=1",
    ("GET", "/companies/{client_id}/filings"): "?download=1",
    ("GET", "/companies/{client_id}/tax_certificates"): "?file=1",
    ("GET", "/companies/{client_id}/reports/{report}"): "?format=csv",
    ("GET", "/payment_runs/{payment_run_id}"): "?format=xlsx",
    ("GET", "/payment_runs/{payment_run_id}/payslips"): "?file=1&download=1",
}
"""Pages that need it for some requests: forms that change a bank account, and queries that return a file."""
EXEMPT = {
    ("POST", "/two-steps/on"): "asks for the password itself",
    ("POST", "/two-steps/off"): "asks for the password and a code itself",
    ("POST", "/passkeys/{passkey_id}/rename"): "changes a label",
    ("POST", "/companies/{client_id}/settings/webhooks/{endpoint_id}/delete"): "sends nothing to anyone",
    ("POST", "/companies/{client_id}/settings/webhooks/{endpoint_id}/test"): "sends a message without data",
    (
        "POST",
        "/companies/{client_id}/settings/webhooks/{endpoint_id}/deliveries/{delivery_id}/replay",
    ): "sends it again",
    ("GET", "/payment_runs/{payment_run_id}/accounting"): "has totals of accounts",
    ("GET", "/employees/{employee_id}/medical_certificates/{medical_certificate_id}"): "one file of one absence",
    ("GET", "/own/{employee_id}/medical_certificates/{medical_certificate_id}"): "the employee's own file",
    ("POST", "/companies/{client_id}/filings"): "discards a record of a submission",
    ("POST", "/payment_runs/{payment_run_id}/files"): "sets the payment date; the file itself asks",
}
"""Pages that look sensitive and do not ask, with the reason."""
SENSITIVE_POST = re.compile(
    r".*/(users|api-keys|passkeys|two-steps|single-sign-on|self-service|webhooks|files|filings)\b.*"
)
SENSITIVE_GET = re.compile(r".*(export|marked|personal_data).*")
MORE = {"/employees/{employee_id}/edit", "/companies/{client_id}/details", "/companies/{client_id}/employees/import"}


FILE_MODULES = {
    "company_payment_files",
    "cpf_files",
    "downloads",
    "employee_import",
    "filings",
    "journals",
    "medical_certificate_files",
    "pay_register",
    "payslip_bundles",
    "personal_data",
    "reports",
    "take_on_import",
    "tax_certificates",
    "workbook_import",
}
"""The modules that return files to download. Their pages are declared with `is_file`, or are forms."""


def is_sensitive(page: Page) -> bool:
    """Return whether someone has to decide about a page."""
    if page.method == "GET":
        is_named = SENSITIVE_GET.fullmatch(page.path) is not None and "accounting_export" not in page.path
        return page.is_file or is_named
    return page.path in MORE or SENSITIVE_POST.fullmatch(page.path) is not None


def grow_old(user: ConsoleUser) -> None:
    """Let the user's last proof be older than 15 minutes."""
    member = user.member
    member.service.as_owner(
        "UPDATE console_sessions SET confirmed_at = now() - interval '16 minutes' WHERE user_id = $1", member.user_id
    )


def is_asked(answer: httpx.Response) -> bool:
    return answer.status_code == 303 and answer.headers["location"].startswith(CONFIRM)


@pytest.fixture(scope="module")
def sample(service: Service) -> SampleCompany:
    """A company that the tests of this module do not change."""
    return create_sample_company(Company.of(service.new_account()))


@pytest.fixture
def old_user(sample: SampleCompany) -> ConsoleUser:
    """The owner of the sample company, whose sign-in is old."""
    user = signed_in_user(sample.company.member)
    grow_old(user)
    return user


def test_every_page_that_asks_is_in_the_table() -> None:
    declared = {(page.method, page.path) for page in PAGES if page.step_up}
    assert declared == ALWAYS | set(SOMETIMES)
    conditional = {(page.method, page.path) for page in PAGES if callable(page.step_up)}
    assert conditional == set(SOMETIMES)


def test_every_page_that_looks_sensitive_asks_or_has_a_reason_not_to() -> None:
    sensitive = {(page.method, page.path) for page in PAGES if not page.public and is_sensitive(page)}
    assert len(sensitive) > 20
    assert sensitive - ALWAYS - set(SOMETIMES) - set(EXEMPT) == set(), "declare step_up, or say why not"
    assert set(EXEMPT) <= sensitive


def test_every_module_that_returns_files_is_known() -> None:
    modules = {path.stem for path in CONSOLE.rglob("*.py") if "attachment; filename" in path.read_text()}
    assert modules == FILE_MODULES, "declare its pages with is_file, then add it"


@pytest.mark.parametrize(("method", "pattern"), sorted(ALWAYS | set(SOMETIMES)))
def test_an_old_session_is_asked_first(sample: SampleCompany, old_user: ConsoleUser, method: str, pattern: str) -> None:
    if pattern.startswith("/own/"):
        member = sample.company.member.colleague(sample.company.id, "employee", sample.ids["employee_id"])
        old_user = signed_in_user(member)
        grow_old(old_user)
    names = {name: str(sample.ids.get(name, 1)) for name in re.findall(r"{(\w+)}", pattern) if name != "uuid"}
    path = sample.path(pattern, **names) + SOMETIMES.get((method, pattern), "")
    data = {"confirmed": "yes", "name": "Forged", **NEW_ACCOUNT}
    answer = old_user.get(path) if method == "GET" else old_user.post(path, data, page="/password")
    assert is_asked(answer), (answer.status_code, page_text(answer))


def test_pages_that_need_it_sometimes_do_not_ask_otherwise(sample: SampleCompany, old_user: ConsoleUser) -> None:
    for method, pattern in SOMETIMES:
        if method == "GET":
            assert old_user.get(sample.path(pattern)).status_code == 200, pattern


def test_an_employee_is_changed_without_it_unless_the_account_changes(company: Company) -> None:
    employee_id = company.hire(first_name="Wei Ling")
    user = signed_in_user(company.member)
    grow_old(user)
    path = f"/employees/{employee_id}/edit"
    fields = form_values(user.get(path))
    assert not is_asked(user.post(path, {**fields, "first_name": "Mei Ling"}))
    assert "Mei Ling" in company.member.get(f"/employees/{employee_id}").text
    assert is_asked(user.post(path, {**fields, **NEW_ACCOUNT}))
    assert is_asked(user.post(path, {**fields, "paynow": "+6591234567"}))


def form_values(page: httpx.Response) -> dict[str, str]:
    """Return the values of the inputs and selects of a form page, as a browser would send them."""
    main = page.text.partition("<main")[2]
    values = {
        attributes["name"]: attributes.get("value", "")
        for element in re.findall(r"<input\b([^>]*)>", main)
        if (attributes := dict(re.findall(r'([a-z-]+)="([^"]*)"', element))).get("name")
        and (attributes.get("type") != "checkbox" or " checked" in element)
    }
    for name, content in re.findall(r'<select[^>]*\bname="([^"]+)"[^>]*>(.*?)</select>', main, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)"[^>]* selected', content)
        values[name] = chosen[1] if chosen else ""
    return values


def test_the_form_comes_back_with_its_values(company: Company) -> None:
    user = signed_in_user(company.member)
    grow_old(user)
    path = f"/companies/{company.id}/settings/users/new"
    answer = user.post(path, {"email": "new.colleague@example.com", "role": "viewer"})
    assert answer.headers["location"] == f"{CONFIRM}?next=/unsent-form"
    answer = user.post(CONFIRM, {"password": PASSWORD, "next": "/unsent-form"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/unsent-form")
    back = user.get("/unsent-form")
    assert "new.colleague@example.com" in page_text(back)
    assert "nothing has been saved yet" in page_text(back)
    answer = user.post(path, {**form_values(back), "form_token": user.token("/unsent-form")})
    assert answer.status_code == 200
    assert "new.colleague@example.com" in page_text(answer)


def test_selected_cpf_files_come_back_by_name_after_the_confirmation(company: Company) -> None:
    user = signed_in_user(company.member)
    grow_old(user)
    rows = [f"{company.id}-2026-09", f"{company.id}-2026-10", "0-0000-00"]
    fields = {"client_id": str(company.id), "row": rows}
    answer = user.post("/companies/cpf_files", fields, page="/password")
    assert answer.headers["location"] == f"{CONFIRM}?next=/unsent-form"
    user.post(CONFIRM, {"password": PASSWORD, "next": "/unsent-form"})
    text = page_text(user.get("/unsent-form"))
    [name] = [client["client"]["name"] for client in company.member.get("/clients").json()]
    assert f"CPF file {name}, Sep 2026 CPF file {name}, Oct 2026 Selected 1 row" in text
    assert rows[0] not in text
    assert "so nothing has been done yet . Action Download CPF files" in text
    assert "Continue: download CPF files Discard" in text


def test_selected_payment_files_are_downloaded_after_the_confirmation(company: Company) -> None:
    user = signed_in_user(company.member)
    grow_old(user)
    fields = {"client_id": str(company.id), "row": "1-dbs_giro.csv"}
    user.post("/companies/payment_files", fields, page="/password")
    user.post(CONFIRM, {"password": PASSWORD, "next": "/unsent-form"})
    text = page_text(user.get("/unsent-form"))
    assert "Action Download payment files Selected 1 row Continue: download payment files Discard" in text
    assert "Send" not in text


def test_a_download_returns_to_its_page(company: Company) -> None:
    user = signed_in_user(company.member)
    grow_old(user)
    page = f"/companies/{company.id}/employees"
    export = f"{page}/export"
    referrer = {"Referer": f"{company.member.service.url}{page}?search=Tan"}
    answer = user.browser.get(export, headers=referrer)
    assert answer.headers["location"] == f"{CONFIRM}?next={page}%3Fsearch%3DTan&download=yes"
    assert user.get(export).headers["location"] == f"{CONFIRM}?next={export}"
    user.post(f"{CONFIRM}?download=yes", {"password": PASSWORD, "next": page})
    assert "Confirmed. Now click the download again" in page_text(user.get(page))
    assert user.get(export).status_code == 200


def test_a_form_without_entries_says_what_it_does(company: Company) -> None:
    employee_id = company.hire(first_name="Siti", last_name="Aminah")
    colleague = company.member.colleague(company.id, "employee", employee_id)
    user = signed_in_user(company.member)
    grow_old(user)
    page = f"/companies/{company.id}/self-service"
    path = f"/companies/{company.id}/settings/users/{colleague.user_id}/reset"
    assert is_asked(user.post(path, {"origin": "self-service", "subject": "Siti Aminah"}, page=page))
    user.post(CONFIRM, {"password": PASSWORD, "next": "/unsent-form"})
    text = page_text(user.get("/unsent-form"))
    assert "Action Create a password slip for Siti Aminah Continue: create a password slip Discard" in text


def test_other_sites_are_not_followed(account: Member) -> None:
    user = signed_in_user(account)
    for path in ("https://example.com", "//example.com", "/\\example.com"):
        assert user.post(CONFIRM, {"password": PASSWORD, "next": path}).headers["location"] == "/"


def test_a_confirmation_is_for_one_session(account: Member) -> None:
    user, other = signed_in_user(account), signed_in_user(account)
    grow_old(user)
    user.post(CONFIRM, {"password": PASSWORD})
    assert user.get("/passkeys").status_code == 200
    assert is_asked(other.get("/passkeys"))


def test_a_code_or_a_passkey_confirms_too_and_only_the_users_own(account: Member) -> None:
    user, secret, recovery = turned_on(account)
    grow_old(user)
    assert "Or a code" in page_text(user.get(CONFIRM))
    assert user.post(CONFIRM, {"code": "000000"}).status_code == 422
    assert user.post(CONFIRM, {"code": code(secret)}).status_code == 303
    grow_old(user)
    assert user.post(CONFIRM, {"code": recovery[0]}).status_code == 303
    assert user.post(CONFIRM, {"code": recovery[0]}).status_code == 422
    holder, passkey, _ = with_passkey(account.colleague(account.new_client(), "owner"))
    grow_old(holder)
    stranger = passkey.sign(options(at_localhost(user), f"{CONFIRM}/options", CONFIRM))
    assert user.post(CONFIRM, {"credential": stranger}).status_code == 422
    answer = passkey.sign(options(holder, f"{CONFIRM}/options", CONFIRM))
    assert holder.post(CONFIRM, {"credential": answer}).status_code == 303
    assert holder.get("/passkeys").status_code == 200
    grow_old(holder)
    assert holder.post(CONFIRM, {"credential": answer}).status_code == 422


def test_failed_attempts_are_recorded_and_limited(account: Member) -> None:
    user = signed_in_user(account)
    grow_old(user)
    statuses = [user.post(CONFIRM, {"password": f"wrong {number}"}).status_code for number in range(10)]
    assert statuses == [422] * 10
    answer = user.post(CONFIRM, {"password": PASSWORD})
    assert answer.status_code == 429
    assert answer.headers["retry-after"]
    assert is_asked(user.get("/passkeys"))
    [event] = events(account, "confirmation_failed")
    assert event["count"] == 10
    assert "Failed to confirm their identity" in page_text(user.get("/access-log"))


def test_scripts_get_a_problem_document(account: Member) -> None:
    user = at_localhost(signed_in_user(account))
    token = user.token("/passkeys")
    grow_old(user)
    headers = {"Accept": "application/json", "X-Form-Token": token}
    answer = user.browser.post("/passkeys/options", headers=headers)
    assert answer.status_code == 403
    assert "Confirm first" in answer.json()["message"]


def test_api_keys_are_not_asked(company: Company) -> None:
    user = signed_in_user(company.member)
    grow_old(user)
    answer = company.member.patch(f"/clients/{company.id}", {"bank_account": BANK_ACCOUNT})
    assert answer.status_code == 200
    assert company.member.get(f"/clients/{company.id}/employees/export").status_code == 200


def test_an_old_session_asks_within_the_documented_time(account: Member) -> None:
    user = signed_in_user(account)
    query = "UPDATE console_sessions SET confirmed_at = now() - make_interval(mins => $2) WHERE user_id = $1"
    account.service.as_owner(query, account.user_id, 14)
    assert user.get("/passkeys").status_code == 200
    account.service.as_owner(query, account.user_id, 15)
    assert is_asked(user.get("/passkeys"))
