"""Approvals in the console: pending requests, decisions with reasons, and the setting."""

from typing import Any

import pytest

from tests.approvals.second_person import NEW, OLD, TwoPeople, pending, two_people
from tests.console.console_user import page_text, signed_in_user
from tests.payroll.payment_runs.runs import hired, opened
from tests.support.company import of_status
from tests.support.running import Member


@pytest.fixture
def people(account: Member) -> TwoPeople:
    """A company that requires approval."""
    return two_people(account)


def test_the_second_person_finds_the_request_and_approves_it(people: TwoPeople) -> None:
    approval_id = people.request_change()
    owner, officer = signed_in_user(people.owner), signed_in_user(people.officer)
    company, employee = f"/companies/{people.company.id}", f"/employees/{people.employee_id}"
    assert "request awaits approval" in owner.get(company).text
    for page in (f"{company}/approvals", employee):
        text = owner.get(page).text
        assert NEW["account_number"] in text
        assert "Approve" in text
        own = officer.get(page).text
        assert "another person has to decide" in own
        assert "/approve" not in own
    path = f"{company}/approvals/{approval_id}"
    refused = owner.post(f"{path}/reject", {"reason": " "}, page=f"{company}/approvals")
    assert refused.status_code == 422
    assert people.account() == OLD
    answer = owner.post(f"{path}/approve", {"reason": "Called her"}, page=f"{company}/approvals")
    assert (answer.status_code, people.account()) == (303, NEW)
    decided = owner.get(f"{company}/approvals").text
    assert "Called her" in decided
    assert "No pending requests" in decided
    log = owner.get(f"{company}/settings/changes").text
    assert "approved the new bank account of Mei Ling Tan" in log
    assert "requested the approval of the new bank account of Mei Ling Tan" in log


def test_cards_say_which_employee_and_which_bank(people: TwoPeople) -> None:
    account = {"bank_account": {**OLD, "account_number": "0119988776"}}
    namesake = hired(people.company, number="E-77", payment_method="eft_manual", bank_account=OLD)
    for employee_id in (people.employee_id, namesake):
        assert people.officer.patch(f"/employees/{employee_id}", {"employee": account}).status_code == 202
    page = signed_in_user(people.owner).get(f"/companies/{people.company.id}/approvals")
    assert "Bank account of Mei Ling Tan E-77" in page_text(page)
    assert 'aria-label="Approve: Bank account of Mei Ling Tan E-77"' in page.text
    assert page.text.count("<dt>Bank</dt><dd><strong>DBS") == 2


def test_a_contradicting_account_of_the_company_is_noted_before_it_is_approved(people: TwoPeople) -> None:
    account = {**NEW, "branch_code": "012"}
    path = f"/clients/{people.company.id}"
    assert people.owner.patch(path, {"bank_account": account}).status_code == 202
    text = page_text(signed_in_user(people.officer).get(f"/companies/{people.company.id}/approvals"))
    assert "Bank account: branch code 012 does not match the account number" in text


def test_viewers_see_masked_accounts_and_cannot_decide(people: TwoPeople) -> None:
    approval_id = people.request_change()
    viewer = signed_in_user(people.owner.colleague(people.company.id, "viewer"))
    page = f"/companies/{people.company.id}/approvals"
    text = viewer.get(page).text
    assert NEW["account_number"] not in text
    assert "Your role cannot decide it" in text
    assert viewer.post(f"{page}/{approval_id}/approve", page="/password").status_code == 403
    assert people.account() == OLD


def test_requests_of_another_company_are_not_found(people: TwoPeople) -> None:
    approval_id = people.request_change()
    other = people.owner.new_client()
    owner = signed_in_user(people.owner)
    answer = owner.post(f"/companies/{other}/approvals/{approval_id}/reject", {"reason": "No"}, page="/password")
    assert answer.status_code == 404


def test_finalising_says_beforehand_that_another_person_has_to_approve(people: TwoPeople) -> None:
    officer = signed_in_user(people.officer)
    run = f"/payment_runs/{opened(people.company)}"
    page = page_text(officer.get(run))
    assert "Ready to request approval" in page
    assert "Request approval…" in page
    assert "Ready to finalise" not in page
    question = officer.get(f"{run}/finalise")
    assert "Another person has to approve this pay run" in page_text(question)
    assert "What happens when it is approved" in page_text(question)
    assert ">Request approval</button>" in question.text
    assert "Finalise 1 payslip" not in page_text(question)
    assert officer.post(f"{run}/finalise", page=f"{run}/finalise").status_code == 303
    assert "Another person has to approve the pay run" in page_text(officer.get(run))


def test_account_changes_are_decided_before_the_pay_run_is_finalised(people: TwoPeople) -> None:
    owner, officer = signed_in_user(people.owner), signed_in_user(people.officer)
    run_id = opened(people.company)
    run = f"/payment_runs/{run_id}"
    assert officer.post(f"{run}/finalise", page=f"{run}/finalise").status_code == 303
    people.request_change()
    text = page_text(owner.get(f"/companies/{people.company.id}/approvals"))
    assert text.index("Bank account of Mei Ling Tan") < text.index("Finalise the pay run for 31 Jan 2026")
    assert "1 account change awaits approval. Decide first: finalised payslips keep the accounts" in text


def test_the_request_to_finalise_says_what_the_page_to_finalise_warns_about(people: TwoPeople) -> None:
    owner, officer = signed_in_user(people.owner), signed_in_user(people.officer)
    wrong = {"bank_id": 7339, "branch_code": "999", "account_number": "5011234567"}
    hired(people.company, first_name="Wrong", payment_method="eft_manual", bank_account=wrong)
    hired(people.company, "2300.00", **of_status("FOREIGNER_WP", first_name="Priya", appointment_date="2026-01-01"))
    run = f"/payment_runs/{opened(people.company)}"
    assert officer.post(f"{run}/finalise", page=f"{run}/finalise").status_code == 303
    page = owner.get(f"/companies/{people.company.id}/approvals")
    text = page_text(page)
    assert "The file for the bank cannot be created yet. Wrong Tan (2): branch code 999 does not match" in text
    assert "1 pass holder has no foreign worker levy: Priya" in text
    assert f'href="{run}/finalise"' in page.text
    viewer = signed_in_user(people.owner.colleague(people.company.id, "viewer"))
    assert "branch code 999" not in page_text(viewer.get(f"/companies/{people.company.id}/approvals"))


def test_pages_say_that_the_correction_of_an_account_awaits_approval(people: TwoPeople) -> None:
    owner, officer = signed_in_user(people.owner), signed_in_user(people.officer)
    wrong = {"bank_id": 7339, "branch_code": "999", "account_number": "5011234567"}
    details: dict[str, Any] = {"payment_method": "eft_manual", "bank_account": wrong}
    first, second = (hired(people.company, first_name=name, **details) for name in ("First", "Second"))
    run = f"/payment_runs/{opened(people.company)}"
    approval_id = pending(officer.member.patch(f"/employees/{first}", {"employee": {"bank_account": NEW}}))
    link = f'href="/companies/{people.company.id}/approvals#approval-{approval_id}">A change awaits approval</a>'
    for page in (run, f"{run}/finalise"):
        answer = officer.get(page)
        assert answer.text.count(link) == 1
        assert "Correct the accounts of these employees before you finalise" in page_text(answer)
    assert link in officer.get(f"/employees/{first}/edit").text
    assert "awaits approval" not in page_text(officer.get(f"/employees/{second}/edit"))
    pending(officer.member.patch(f"/employees/{second}", {"employee": {"bank_account": NEW}}))
    for page in (run, f"{run}/finalise"):
        text = page_text(owner.get(page))
        assert "The changes have to be approved before you finalise" in text
        assert "Correct the accounts of these employees" not in text


def test_an_outdated_request_is_explained(people: TwoPeople) -> None:
    approval_id = people.request_change()
    people.company.patch(people.employee_id, payment_method="cheque")
    page = f"/companies/{people.company.id}/approvals"
    answer = signed_in_user(people.owner).post(f"{page}/{approval_id}/approve", page=page)
    assert answer.status_code == 409
    assert "have changed since it was requested" in answer.text


def test_an_owner_turns_it_on_and_off(account: Member) -> None:
    client_id = account.new_client()
    owner, page = signed_in_user(account), f"/companies/{client_id}/settings/approvals"
    assert owner.post(page, {"required": "true"}).status_code == 409
    officer = signed_in_user(account.colleague(client_id, "payroll"))
    assert owner.post(page, {"required": "true"}).status_code == 303
    assert "Only an owner can change this" in officer.get(page).text
    assert officer.post(page, {"required": "false"}, page="/password").status_code == 403
    assert owner.post(page, {"required": "false"}).status_code == 303
    assert "Turn off approval by a second person" in officer.get(page).text
    [element] = account.get(f"/clients/{client_id}/approvals").json()
    path = f"/companies/{client_id}/approvals/{element['approval']['id']}/approve"
    assert officer.post(path, page=page).status_code == 303
    assert account.get(f"/clients/{client_id}/approval_settings").json()["approval_settings"]["required"] is False
