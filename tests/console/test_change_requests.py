"""Changes of their own details that employees request in the portal."""

import re
from typing import Any

import pytest

from gaji.core import clock
from tests.approvals.second_person import NEW, OLD, TwoPeople, pending, two_people
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.console.test_step_up import form_values
from tests.payroll.payment_runs.runs import hired
from tests.support.company import Company
from tests.support.running import Member, created

ADDRESS = {
    "physical_address.type": "L",
    "physical_address.block_no": "12",
    "physical_address.st_name": "Bedok North Road",
    "physical_address.postal_code": "460012",
}
ACCOUNT = {f"bank_account.{name}": str(value) for name, value in NEW.items()}


@pytest.fixture
def people(account: Member) -> TwoPeople:
    """A company that requires approval."""
    return two_people(account)


@pytest.fixture
def employee(people: TwoPeople) -> ConsoleUser:
    """The employee, signed in to the portal."""
    return signed_in_user(people.owner.colleague(people.company.id, "employee", people.employee_id))


def request_change(employee: ConsoleUser, employee_id: int, changes: dict[str, str]) -> Any:
    """Send the form with some values changed."""
    path = f"/own/{employee_id}/details/edit"
    return employee.post(path, {**form_values(employee.get(path)), **changes})


def decide(people: TwoPeople, decision: str, reason: str = "") -> Any:
    """Decide the pending request as the officer."""
    page = f"/companies/{people.company.id}/approvals"
    [approval] = people.approvals(status="pending")
    return signed_in_user(people.officer).post(f"{page}/{approval['id']}/{decision}", {"reason": reason}, page=page)


def test_an_officer_approves_a_change_that_the_employee_requested(people: TwoPeople, employee: ConsoleUser) -> None:
    details = f"/own/{people.employee_id}/details"
    assert "Request a change" in page_text(employee.get(details))
    answer = request_change(employee, people.employee_id, {**ADDRESS, **ACCOUNT})
    assert (answer.status_code, answer.headers["location"]) == (303, details)
    shown = page_text(employee.get(details))
    assert "Awaits approval" in shown
    assert "Bedok North Road" in shown
    assert "******8776" in shown
    assert people.account() == OLD
    [approval] = people.approvals()
    assert (approval["kind"], approval["employee_id"]) == ("employee_details", people.employee_id)
    officer = signed_in_user(people.officer)
    assert "1 request awaits approval" in page_text(officer.get(f"/companies/{people.company.id}"))
    for page in (f"/companies/{people.company.id}/approvals", f"/employees/{people.employee_id}"):
        listed = page_text(officer.get(page))
        assert "Details of Mei Ling Tan" in listed
        assert NEW["account_number"] in listed
    assert decide(people, "approve").status_code == 303
    changed = people.company.employee(people.employee_id)
    assert changed["bank_account"] == NEW
    assert changed["physical_address"]["st_name"] == "Bedok North Road"
    shown = page_text(employee.get(details))
    assert "Awaits approval" not in shown
    day = clock.today()
    assert f"Your request Approved {day.day} {day:%b %Y}, " in shown
    assert "Your details have changed." in shown
    assert [item["status"] for item in people.approvals()] == ["approved"]
    log = page_text(officer.get(f"/companies/{people.company.id}/settings/changes"))
    assert "approved the requested change of the details of Mei Ling Tan" in log


def test_a_branch_code_that_contradicts_the_account_number_is_sent_only_if_confirmed(
    people: TwoPeople, employee: ConsoleUser
) -> None:
    forgotten = {**ACCOUNT, "bank_account.account_number": "012-837465-0", "bank_account.branch_code": "030"}
    asked = request_change(employee, people.employee_id, forgotten)
    assert asked.status_code == 200
    assert (
        "Branch code 030 does not match the account number; it should be its first three digits. "
        "Your pay could fail or reach another account"
    ) in page_text(asked)
    assert people.approvals() == []
    [confirmed] = re.findall(r'name="confirmed" value="([^"]+)"', asked.text)
    other = request_change(
        employee, people.employee_id, {**forgotten, "bank_account.branch_code": "031", "confirmed": confirmed}
    )
    assert "Branch code 031 does not match" in page_text(other)
    assert request_change(employee, people.employee_id, {**forgotten, "confirmed": confirmed}).status_code == 303
    [approval] = people.approvals()
    account = approval["details"]["after"]["bank_account"]
    assert (account["account_number"], account["branch_code"]) == ("0128374650", "030")


def test_the_approver_sees_the_branch_code_and_what_is_unusual_before_deciding(
    people: TwoPeople, employee: ConsoleUser
) -> None:
    account = {**ACCOUNT, "bank_account.account_number": "0128374650", "bank_account.branch_code": "030"}
    wrong = {**account, **ADDRESS, "physical_address.postal_code": "46041"}
    asked = request_change(employee, people.employee_id, wrong)
    [confirmed] = re.findall(r'name="confirmed" value="([^"]+)"', asked.text)
    assert request_change(employee, people.employee_id, {**wrong, "confirmed": confirmed}).status_code == 303
    branch, page = "Branch code 030 Now: 005", f"/companies/{people.company.id}/approvals"
    assert branch in page_text(employee.get(f"/own/{people.employee_id}/details"))
    mismatch = "Bank account: branch code 030 does not match the account number"
    for path in (page, f"/employees/{people.employee_id}"):
        text = page_text(signed_in_user(people.officer).get(path))
        assert branch in text
        assert mismatch in text
        assert "46041 is not a Singapore postal code, which has 6 digits" in text
    assert decide(people, "reject", "Please check the branch code").status_code == 303
    assert mismatch not in page_text(signed_in_user(people.officer).get(page))


def test_the_approver_sees_a_branch_code_that_was_left_unchanged(people: TwoPeople, employee: ConsoleUser) -> None:
    account = {"bank_account.bank_id": "7375", "bank_account.account_number": "9102031012"}
    asked = request_change(employee, people.employee_id, account)
    assert asked.status_code == 200
    note = f"ranch code {OLD['branch_code']} is that of the old bank; check that the new bank has the same one"
    assert f"{note}. Your pay could fail or reach another account" in page_text(asked)
    assert people.approvals() == []
    [confirmed] = re.findall(r'name="confirmed" value="([^"]+)"', asked.text)
    assert request_change(employee, people.employee_id, {**account, "confirmed": confirmed}).status_code == 303
    unchanged = f"Branch code {OLD['branch_code']} Unchanged"
    assert unchanged in page_text(employee.get(f"/own/{people.employee_id}/details"))
    page = f"/companies/{people.company.id}/approvals"
    shown = page_text(signed_in_user(people.officer).get(page))
    assert unchanged in shown
    assert note in shown


@pytest.mark.parametrize(
    ("changes", "is_asked"),
    [
        ({"account_number": "9102031099"}, True),
        ({"account_number": "9102031099", "branch_code": "031"}, False),
        ({"account_number": "910-203-1012", "branch_code": "031"}, False),
        ({"bank_id": "7339", "account_number": "0301234567"}, False),
    ],
    ids=["another account", "another branch", "the same account", "a branch that follows from the number"],
)
def test_the_branch_code_of_the_old_account_is_sent_only_if_confirmed(
    people: TwoPeople, employee: ConsoleUser, changes: dict[str, str], is_asked: bool
) -> None:
    old = {"bank_id": 7375, "account_number": "9102031012", "branch_code": "030"}
    pending(people.owner.patch(f"/employees/{people.employee_id}", {"employee": {"bank_account": old}}))
    assert decide(people, "approve").status_code == 303
    answer = request_change(
        employee, people.employee_id, {f"bank_account.{name}": value for name, value in changes.items()}
    )
    assert answer.status_code == (200 if is_asked else 303)
    note = "Branch code 030 is that of the old account; check that it has not changed"
    assert (note in page_text(answer)) == is_asked


def test_the_branch_code_is_marked_as_required_for_banks_that_do_not_give_it(
    people: TwoPeople, employee: ConsoleUser
) -> None:
    form = employee.get(f"/own/{people.employee_id}/details/edit").text
    [banks] = re.findall(
        r'<label for="[^"]*">Branch code <span[^>]* data-required-if="bank_account.bank_id=([\d,]+)"', form
    )
    assert {"7375", "7302"} <= set(banks.split(","))
    assert "7171" not in banks.split(",")


@pytest.mark.parametrize(
    ("bank_id", "number", "entered", "branch_code"),
    [
        (7171, "011-998877-6", "", "011"),
        (7171, "084102395", "", "081"),
        (7339, "5501089550", OLD["branch_code"], "550"),
        (9496, "1803645852", "", "018"),
    ],
)
def test_a_branch_code_that_follows_from_the_account_number_is_filled_in(
    people: TwoPeople, employee: ConsoleUser, bank_id: int, number: str, entered: str, branch_code: str
) -> None:
    account = {"bank_id": str(bank_id), "account_number": number, "branch_code": entered}
    changes = {f"bank_account.{name}": value for name, value in account.items()}
    assert request_change(employee, people.employee_id, changes).status_code == 303
    [approval] = people.approvals()
    assert approval["details"]["after"]["bank_account"]["branch_code"] == branch_code


def test_an_account_number_of_the_wrong_length_gives_no_branch_code(people: TwoPeople, employee: ConsoleUser) -> None:
    changes = {**ACCOUNT, "bank_account.account_number": "01199887", "bank_account.branch_code": ""}
    text = page_text(request_change(employee, people.employee_id, changes))
    assert "the account number has 8 digits; this bank uses 9 digits (POSB) or 10 (DBS)" in text
    assert people.approvals() == []


def test_an_unknown_branch_code_does_not_keep_the_address_back(people: TwoPeople, employee: ConsoleUser) -> None:
    account = {"bank_account.bank_id": "7302", "bank_account.account_number": "14012345678"}
    changes = {**ADDRESS, **account, "bank_account.branch_code": "", "physical_address.postal_code": "46041"}
    rejected = request_change(employee, people.employee_id, changes)
    assert rejected.status_code == 422
    assert "Branch code : is required" in page_text(rejected)
    assert 'name="only" value="physical_address">Send the address only' in rejected.text
    asked = request_change(employee, people.employee_id, {**changes, "only": "physical_address"})
    assert "46041 is not a Singapore postal code" in page_text(asked)
    assert '<input type="hidden" name="only" value="physical_address">' in asked.text
    assert "Account number" not in page_text(asked)
    corrected = {**changes, "physical_address.postal_code": "460012", "only": "physical_address"}
    assert request_change(employee, people.employee_id, corrected).status_code == 303
    [approval] = people.approvals()
    after = approval["details"]["after"]
    assert (after["bank_account"], after["physical_address"]["st_name"]) == (OLD, "Bedok North Road")


def test_each_bank_has_its_hint_about_branch_codes(people: TwoPeople, employee: ConsoleUser) -> None:
    form = employee.get(f"/own/{people.employee_id}/details/edit").text
    hints = dict(re.findall(r'data-shown-if="bank_account.bank_id=([\d,]+)">([^<]+)<', form))
    assert [(banks, hint) for banks, hint in hints.items() if banks == "7375"] == [
        ("7375", "UOB: look up the first three of the account number in its list of ACH bank and branch codes.")
    ]
    texts = {bank: hint for banks, hint in hints.items() for bank in banks.split(",")}
    assert texts["7171"].startswith("DBS, POSB, OCBC, HSBC, Standard Chartered and State Bank of India: leave it blank")
    assert texts["7302"] == "Other banks: ask your bank."


def test_a_local_address_with_another_postal_code_is_sent_only_if_confirmed(
    people: TwoPeople, employee: ConsoleUser
) -> None:
    asked = request_change(employee, people.employee_id, {**ADDRESS, "physical_address.postal_code": "46041"})
    assert "46041 is not a Singapore postal code, which has 6 digits" in page_text(asked)
    assert people.approvals() == []
    assert request_change(employee, people.employee_id, ADDRESS).status_code == 303


def test_an_account_that_does_not_change_is_not_noted(people: TwoPeople, employee: ConsoleUser) -> None:
    contradicting = {**OLD, "branch_code": "999"}
    pending(people.owner.patch(f"/employees/{people.employee_id}", {"employee": {"bank_account": contradicting}}))
    assert decide(people, "approve").status_code == 303
    assert people.account() == contradicting
    assert request_change(employee, people.employee_id, ADDRESS).status_code == 303


def test_other_requests_of_the_company_come_before_its_next_step(people: TwoPeople, employee: ConsoleUser) -> None:
    hired(Company.of(people.owner, name="Yishun Clinic"))
    type_id = int(next(iter(people.owner.get(f"/clients/{people.company.id}/leave_types").json())))
    granted = {"type_id": type_id, "date": "2026-03-01", "days": 5, "reason": "Agreed"}
    created(people.owner.post(f"/employees/{people.employee_id}/leave_adjustments", granted))
    dates = [{"date": "2026-03-10", "type_id": type_id}]
    request_id = created(people.owner.post(f"/employees/{people.employee_id}/leave_requests", {"dates": dates}))
    request_change(employee, people.employee_id, ADDRESS)
    user, home = signed_in_user(people.owner), f"/companies/{people.company.id}"
    [approval] = people.approvals(status="pending")
    decide_leave = f"{home}/leave_requests/{request_id}"
    also = "Also waiting in this company: "
    assert f'{also}<a href="{home}/leave">1 leave request</a>' in user.get(f"{home}/approvals").text
    assert also not in user.get(f"{home}/leave").text
    assert user.post(f"{home}/approvals/{approval['id']}/approve", page=f"{home}/approvals").status_code == 303
    text = page_text(user.get(f"{home}/approvals"))
    assert f"{also}1 leave request" in text
    assert "Next" not in text
    request_change(employee, people.employee_id, ACCOUNT)
    assert user.post(f"{decide_leave}/decline", page=f"{home}/leave").status_code == 303
    text = page_text(user.get(f"{home}/leave"))
    assert text.index(f"{also}1 request awaits approval") < text.index("Next in this company: pay run due on")
    [approval] = people.approvals(status="pending")
    assert user.post(f"{home}/approvals/{approval['id']}/approve", page=f"{home}/approvals").status_code == 303
    text = page_text(user.get(f"{home}/approvals"))
    assert also not in text
    assert "Next in this company: pay run due on 31 Jan 2026" in text
    assert "Yishun Clinic" not in text


def test_a_declined_request_says_why(people: TwoPeople, employee: ConsoleUser) -> None:
    request_change(employee, people.employee_id, ACCOUNT)
    assert decide(people, "reject", "The account is not yours").status_code == 303
    text = page_text(employee.get(f"/own/{people.employee_id}/details"))
    assert "Your details stay as they are. Reason: The account is not yours" in text
    assert "Now: " in text
    assert "Before: " not in text
    assert people.account() == OLD


def test_an_employee_edits_and_cancels_a_request(people: TwoPeople, employee: ConsoleUser) -> None:
    details = f"/own/{people.employee_id}/details"
    request_change(employee, people.employee_id, ADDRESS)
    form = employee.get(f"{details}/edit").text
    assert "Bedok North Road" in form
    assert "replaces your request" in form
    request_change(employee, people.employee_id, ACCOUNT)
    [approval, replaced] = people.approvals()
    assert (approval["status"], replaced["status"]) == ("pending", "outdated")
    after = approval["details"]["after"]
    assert (after["bank_account"], after["physical_address"]["st_name"]) == (NEW, "Bedok North Road")
    assert employee.post(f"{details}/cancel", page=details).status_code == 303
    assert people.approvals()[0]["status"] == "cancelled"
    assert employee.post(f"{details}/cancel", page=details).status_code == 404


def test_a_request_is_outdated_when_the_details_have_changed(people: TwoPeople, employee: ConsoleUser) -> None:
    request_change(employee, people.employee_id, ADDRESS)
    assert people.company.patch(people.employee_id, payment_method="cash").status_code == 200
    assert decide(people, "approve").status_code == 409
    assert people.company.employee(people.employee_id)["physical_address"]["st_name"] is None
    assert "Outdated" in page_text(employee.get(f"/own/{people.employee_id}/details"))


def test_nothing_is_requested_if_nothing_changes_or_something_is_wrong(
    people: TwoPeople, employee: ConsoleUser
) -> None:
    assert request_change(employee, people.employee_id, {}).status_code == 303
    answer = request_change(employee, people.employee_id, {"bank_account.account_number": ""})
    assert answer.status_code == 422
    assert people.approvals() == []


def test_a_request_for_the_present_details_cancels_the_pending_one(people: TwoPeople, employee: ConsoleUser) -> None:
    details = f"/own/{people.employee_id}/details"
    request_change(employee, people.employee_id, ACCOUNT)
    account = {f"bank_account.{name}": str(value) for name, value in OLD.items()}
    assert request_change(employee, people.employee_id, account).status_code == 303
    assert "Your request is cancelled: these are your details already" in page_text(employee.get(details))
    assert [approval["status"] for approval in people.approvals()] == ["cancelled"]
    request_change(employee, people.employee_id, {})
    assert "Nothing was requested: these are your details already" in page_text(employee.get(details))


def test_fields_that_became_required_do_not_keep_employees_from_requests(
    people: TwoPeople, employee: ConsoleUser
) -> None:
    field = {"name": "Locker", "type": "text", "required": True}
    answer = people.owner.post(f"/clients/{people.company.id}/custom_employee_fields", {"custom_employee_field": field})
    assert answer.status_code in (200, 201), answer.text
    assert request_change(employee, people.employee_id, ADDRESS).status_code == 303
    assert decide(people, "approve").status_code == 303
    assert people.company.employee(people.employee_id)["physical_address"]["st_name"] == "Bedok North Road"


def test_the_personal_data_of_employees_have_their_requests_and_no_others(
    people: TwoPeople, employee: ConsoleUser
) -> None:
    request_change(employee, people.employee_id, ADDRESS)
    people.request_change()
    data = employee.get(f"/own/{people.employee_id}/personal_data.json").json()["personal_data"]
    [request] = data["records"]["approvals"]
    assert request["kind"] == "employee_details"
    assert "Bedok North Road" in request["details"]
    assert "approvals" not in {entry["records"] for entry in data["left_out"]}


def test_only_listed_attributes_of_the_own_record_can_be_requested(people: TwoPeople, employee: ConsoleUser) -> None:
    other_id = hired(people.company, first_name="Wei Jie")
    path = f"/own/{people.employee_id}/details"
    token = {"form_token": employee.token(path)}
    assert employee.post(f"/own/{other_id}/details/edit", {**token, **ADDRESS}, page=path).status_code == 404
    assert employee.get(f"/own/{other_id}/details/edit").status_code == 404
    request_change(employee, people.employee_id, {**ADDRESS, "first_name": "Forged", "cpf_exempt": "true"})
    [approval] = people.approvals()
    assert set(approval["details"]["after"]) == {"physical_address", "payment_method", "bank_account", "paynow"}


def test_requests_of_employees_need_approval_though_the_company_requires_none(account: Member) -> None:
    people = two_people(account)
    employee = signed_in_user(account.colleague(people.company.id, "employee", people.employee_id))
    request_change(employee, people.employee_id, ACCOUNT)
    path = f"/clients/{people.company.id}/approval_settings"
    answer = people.owner.patch(path, {"required": False})
    assert answer.status_code == 202, answer.text
    approval_id = answer.json()["approval"]["id"]
    assert people.officer.post(f"/approvals/{approval_id}/approve").status_code == 200
    assert decide(people, "approve").status_code == 303
    assert people.account() == NEW


def test_employees_cannot_decide_or_see_other_requests(people: TwoPeople) -> None:
    member = people.owner.colleague(people.company.id, "employee", people.employee_id)
    employee = signed_in_user(member)
    request_change(employee, people.employee_id, ADDRESS)
    own = people.approvals()[0]["id"]
    other = people.request_change()
    assert member.post(f"/approvals/{own}/approve").status_code in (403, 404)
    assert member.get(f"/approvals/{other}").status_code == 404
    assert people.account() == OLD
