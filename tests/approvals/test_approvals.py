"""Approval by a second person: requests, decisions and what makes a request outdated."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.approvals.second_person import NEW, OLD, TwoPeople, pending, require_approval, two_people
from tests.payroll.payment_runs.runs import act, done, hired, opened, paid, read
from tests.payroll.payslips.slips import enter
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.running import Member

FILE = "uob_giro.txt"


@pytest.fixture
def people(account: Member) -> TwoPeople:
    """A company that requires approval."""
    return two_people(account)


def status(people: TwoPeople, approval_id: int) -> Any:
    return people.owner.get(f"/approvals/{approval_id}").json()["approval"]["status"]


def approve(member: Member, approval_id: int) -> Any:
    return member.post(f"/approvals/{approval_id}/approve", {"reason": "Checked"})


def test_without_the_setting_nothing_changes(account: Member) -> None:
    company = Company.of(account)
    employee_id = hired(company, payment_method="eft_manual", bank_account=OLD)
    assert account.get(f"/clients/{company.id}/approval_settings").json() == {"approval_settings": {"required": False}}
    assert company.patch(employee_id, bank_account=NEW).status_code == 200
    assert company.employee(employee_id)["bank_account"] == NEW
    done(company, opened(company), "finalise")
    assert account.get(f"/clients/{company.id}/approvals").json() == []


def test_a_new_account_is_saved_when_another_person_approves_it(people: TwoPeople) -> None:
    body = {"employee": {"bank_account": NEW, "paynow": "+6591234567", "job_title": "Supervisor"}}
    answer = people.officer.patch(f"/employees/{people.employee_id}", body)
    approval_id = pending(answer)
    assert answer.json()["approval"]["details"]["after"]["bank_account"] == NEW
    assert answer.json()["approval"]["details"]["before"]["bank_account"] == OLD
    assert answer.json()["warnings"].keys() == {"bank_account", "paynow"}
    employee = people.company.employee(people.employee_id)
    assert (employee["bank_account"], employee["paynow"], employee["job_title"]) == (OLD, None, "Supervisor")
    assert approve(people.owner, approval_id).status_code == 200
    employee = people.company.employee(people.employee_id)
    assert (employee["bank_account"], employee["paynow"]) == (NEW, "+6591234567")
    [approval] = people.approvals()
    assert (approval["status"], approval["reason"]) == ("approved", "Checked")
    assert (approval["requested_by"], approval["decided_by"]) == (people.officer.email, people.owner.email)


def test_the_payment_method_changes_with_the_account(people: TwoPeople) -> None:
    employee_id = hired(people.company)
    change = {"employee": {"payment_method": "eft_manual", "bank_account": NEW}}
    approval_id = pending(people.officer.patch(f"/employees/{employee_id}", change))
    assert people.company.employee(employee_id)["payment_method"] == "cash"
    assert approve(people.owner, approval_id).status_code == 200
    assert people.company.employee(employee_id)["payment_method"] == "eft_manual"


def test_invalid_accounts_are_rejected_and_nothing_is_requested(people: TwoPeople) -> None:
    change = {"employee": {"bank_account": {**NEW, "branch_code": "1"}, "job_title": "Supervisor"}}
    assert_problem(people.officer.patch(f"/employees/{people.employee_id}", change), 422)
    assert people.approvals() == []


def test_the_account_of_the_company_is_saved_when_another_person_approves_it(people: TwoPeople) -> None:
    path = f"/clients/{people.company.id}"
    old = people.owner.get(path).json()["client"]["bank_account"]
    change = {"name": "Teh Trading", "bank_account": {"account_number": "9988776655"}}
    approval_id = pending(people.owner.patch(path, change))
    client = people.owner.get(path).json()["client"]
    assert (client["name"], client["bank_account"]) == ("Teh Trading", old)
    assert approve(people.officer, approval_id).status_code == 200
    account = people.owner.get(path).json()["client"]["bank_account"]
    assert account == {**old, "account_number": "9988776655"}


def test_nobody_decides_their_own_request(people: TwoPeople) -> None:
    approval_id = people.request_change(people.owner)
    same_person = people.owner.with_another_key()
    for member in (people.owner, same_person):
        assert_problem(approve(member, approval_id), 403)
        assert_problem(member.post(f"/approvals/{approval_id}/reject", {"reason": "No"}), 403)
    # Another role of the same person makes no difference.
    people.owner.service.as_owner(
        "UPDATE memberships SET role = 'payroll' WHERE client_id = $1 AND user_id = $2",
        people.company.id,
        people.owner.user_id,
    )
    assert_problem(approve(same_person, approval_id), 403)
    assert status(people, approval_id) == "pending"
    assert people.account() == OLD


def test_the_database_refuses_a_decision_by_the_requester(people: TwoPeople) -> None:
    approval_id = people.request_change()
    with pytest.raises(Exception, match="approvals_check"):
        people.owner.service.as_owner(
            "UPDATE approvals SET status = 'approved', decided_by = requested_by WHERE id = $1", approval_id
        )


@pytest.mark.parametrize("role", ["viewer", "employee"])
def test_the_role_has_to_allow_the_act_itself(people: TwoPeople, role: str) -> None:
    approval_id = people.request_change()
    employee_id = people.employee_id if role == "employee" else None
    member = people.owner.colleague(people.company.id, role, employee_id)
    expected = 404 if role == "employee" else 403
    assert_problem(approve(member, approval_id), expected)
    assert_problem(member.post(f"/approvals/{approval_id}/reject", {"reason": "No"}), expected)


def test_read_only_keys_decide_nothing(people: TwoPeople) -> None:
    approval_id = people.request_change()
    assert_problem(approve(people.owner.with_another_key(read_only=True), approval_id), 403)


def test_account_numbers_are_masked_for_keys_that_hide_identifiers(people: TwoPeople) -> None:
    approval_id = people.request_change()
    key = people.owner.with_another_key(hide_identifiers=True)
    for answer in (key.get(f"/approvals/{approval_id}"), key.get(f"/clients/{people.company.id}/approvals")):
        assert answer.status_code == 200
        assert NEW["account_number"] not in answer.text
        assert OLD["account_number"] not in answer.text


def test_a_rejection_needs_a_reason_and_changes_nothing(people: TwoPeople) -> None:
    approval_id = people.request_change()
    assert_problem(people.owner.post(f"/approvals/{approval_id}/reject", {}), 422)
    assert people.owner.post(f"/approvals/{approval_id}/reject", {"reason": "Unknown"}).status_code == 200
    assert (status(people, approval_id), people.account()) == ("rejected", OLD)
    assert_problem(approve(people.owner, approval_id), 409)


def test_only_the_requester_cancels(people: TwoPeople) -> None:
    approval_id = people.request_change()
    assert_problem(people.owner.post(f"/approvals/{approval_id}/cancel"), 403)
    assert people.officer.post(f"/approvals/{approval_id}/cancel").status_code == 200
    assert_problem(approve(people.owner, approval_id), 409)
    assert people.account() == OLD


def test_a_new_request_replaces_an_earlier_one_and_the_same_one_is_kept(people: TwoPeople) -> None:
    first = people.request_change()
    assert people.request_change() == first
    other = {"employee": {"bank_account": {**NEW, "account_number": "0119988777"}}}
    second = pending(people.officer.patch(f"/employees/{people.employee_id}", other))
    assert (status(people, first), status(people, second)) == ("outdated", "pending")
    assert_problem(approve(people.owner, first), 409)
    assert people.account() == OLD


def test_a_request_is_outdated_if_the_account_has_changed(people: TwoPeople) -> None:
    approval_id = people.request_change()
    people.company.patch(people.employee_id, payment_method="cheque")
    answer = approve(people.owner, approval_id)
    assert "have changed since it was requested" in assert_problem(answer, 409)["message"]
    assert (status(people, approval_id), people.account()) == ("outdated", OLD)


def test_a_run_is_finalised_when_another_person_approves_it(people: TwoPeople) -> None:
    run_id = opened(people.company)
    approval_id = pending(people.officer.post(f"/payment_runs/{run_id}/finalise"))
    assert read(people.company, run_id)["finalised"] is False
    assert pending(people.officer.post(f"/payment_runs/{run_id}/finalise")) == approval_id
    [approval] = people.approvals(payment_run_id=run_id)
    assert approval["details"] == {"period_end_date": "2026-01-31", "payslips": 1, "total": "3358.50"}
    assert approve(people.owner, approval_id).status_code == 200
    assert read(people.company, run_id)["finalised"] is True


def test_a_run_that_was_recalculated_with_the_same_result_is_still_approved(people: TwoPeople) -> None:
    run_id = opened(people.company)
    approval_id = pending(people.officer.post(f"/payment_runs/{run_id}/finalise"))
    done(people.company, run_id, "calculate")
    assert approve(people.owner, approval_id).status_code == 200


def test_a_request_is_outdated_if_the_payslips_have_changed(people: TwoPeople) -> None:
    run_id = opened(people.company)
    approval_id = pending(people.officer.post(f"/payment_runs/{run_id}/finalise"))
    enter(people.company, f"employees/{people.employee_id}", "basic_salary", fixed_amount="9000.00")
    done(people.company, run_id, "calculate")
    answer = approve(people.owner, approval_id)
    assert "payslips of the payment run have changed" in assert_problem(answer, 409)["message"]
    assert read(people.company, run_id)["finalised"] is False
    assert status(people, approval_id) == "outdated"


def test_a_run_that_is_not_ready_is_refused_as_before(people: TwoPeople) -> None:
    run_id = opened(people.company)
    people.owner.service.as_owner(
        "UPDATE payslips SET attention = '{no basic salary}' WHERE payment_run_id = $1", run_id
    )
    assert_problem(act(people.company, run_id, "finalise"), 409)
    assert people.approvals() == []


def finalised(people: TwoPeople) -> int:
    run_id = opened(people.company)
    approval_id = pending(people.officer.post(f"/payment_runs/{run_id}/finalise"))
    assert approve(people.owner, approval_id).status_code == 200
    return run_id


def test_a_payment_file_is_downloaded_when_another_person_has_approved_it(people: TwoPeople) -> None:
    run_id = finalised(people)
    path = f"/payment_runs/{run_id}/files"
    assert "another person has to approve it" in assert_problem(people.officer.get(f"{path}/{FILE}"), 409)["message"]
    assert people.owner.get(path).json()[0]["file"]["approval"] is None
    answer = people.officer.post(f"{path}/{FILE}/request_approval")
    assert answer.status_code == 200, answer.text
    approval_id = answer.json()["approval"]["id"]
    details = answer.json()["approval"]["details"]
    assert (details["value_date"], details["pay_dates"]) == (None, ["2026-01-30"])
    assert people.owner.get(path).json()[0]["file"]["approval"] == {"id": approval_id, "status": "pending"}
    assert f"approval {approval_id}" in assert_problem(people.owner.get(f"{path}/{FILE}"), 409)["message"]
    assert approve(people.owner, approval_id).status_code == 200
    for member in (people.owner, people.officer):
        assert member.get(f"{path}/{FILE}").status_code == 200
    assert_problem(people.officer.post(f"{path}/{FILE}/request_approval"), 409)


def test_a_file_needs_no_approval_while_approval_is_off(company: Company) -> None:
    hired(company)
    path = f"/payment_runs/{paid(company)}/files/payment_list.csv"
    answer = assert_problem(company.member.post(f"{path}/request_approval"), 409)
    assert answer["message"] == f"Client {company.id} does not require approval; download the file"
    assert company.member.get(path).status_code == 200


def test_other_content_of_a_payment_file_needs_another_approval(people: TwoPeople) -> None:
    run_id = finalised(people)
    path = f"/payment_runs/{run_id}/files/{FILE}"
    approval_id = people.officer.post(f"{path}/request_approval").json()["approval"]["id"]
    assert approve(people.owner, approval_id).status_code == 200
    later = people.officer.post(f"{path}/request_approval", params={"value_date": "2199-12-30"})
    assert_problem(people.officer.get(path, params={"value_date": "2199-12-30"}), 409)
    assert later.status_code == 200
    assert later.json()["approval"]["details"]["pay_dates"] == ["2199-12-30"]
    assert people.owner.patch(f"/payment_runs/{run_id}", {"payment_date": "2026-02-03"}).status_code == 200
    assert "has changed since it was approved" in assert_problem(people.officer.get(path), 409)["message"]


def test_a_file_request_is_outdated_if_the_content_has_changed(people: TwoPeople) -> None:
    run_id = finalised(people)
    path = f"/payment_runs/{run_id}/files/{FILE}"
    approval_id = people.officer.post(f"{path}/request_approval").json()["approval"]["id"]
    people.owner.patch(f"/payment_runs/{run_id}", {"payment_date": "2026-02-03"})
    assert "content of the file has changed" in assert_problem(approve(people.owner, approval_id), 409)["message"]


def test_two_deciders_at_once_have_one_winner(people: TwoPeople) -> None:
    deciders = [people.owner, *(people.owner.colleague(people.company.id, "payroll") for _ in range(3))]
    run_id = opened(people.company)
    finalisation = pending(people.officer.post(f"/payment_runs/{run_id}/finalise"))
    for approval_id in (people.request_change(), finalisation):
        with ThreadPoolExecutor(len(deciders)) as pool:
            answers = list(pool.map(lambda member, number=approval_id: approve(member, number), deciders))
        assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
        assert status(people, approval_id) == "approved"


def test_an_approval_and_a_rejection_at_once_have_one_winner(people: TwoPeople) -> None:
    approval_id = people.request_change()
    second = people.owner.colleague(people.company.id, "payroll")
    with ThreadPoolExecutor(2) as pool:
        approved = pool.submit(approve, people.owner, approval_id)
        rejected = pool.submit(second.post, f"/approvals/{approval_id}/reject", {"reason": "No"})
    assert sorted([approved.result().status_code, rejected.result().status_code]) == [200, 409]
    assert people.account() == (NEW if approved.result().status_code == 200 else OLD)


def test_approval_needs_a_second_person_and_an_owner(account: Member) -> None:
    company = Company.of(account)
    path = f"/clients/{company.id}/approval_settings"
    assert "second person" in assert_problem(account.patch(path, {"required": True}), 409)["message"]
    officer = account.colleague(company.id, "payroll")
    assert_problem(officer.patch(path, {"required": True}), 403)
    assert account.patch(path, {"required": True}).status_code == 200
    assert_problem(officer.patch(path, {"required": False}), 403)
    assert_problem(account.patch(path, {"required": "perhaps"}), 422)


def test_turning_approval_off_needs_another_owner_and_cancels_pending_requests(people: TwoPeople) -> None:
    second_owner = people.owner.colleague(people.company.id, "owner")
    path = f"/clients/{people.company.id}/approval_settings"
    change_id = people.request_change()
    approval_id = pending(people.owner.patch(path, {"required": False}))
    assert people.owner.get(path).json()["approval_settings"]["required"] is True
    assert_problem(approve(people.owner, approval_id), 403)
    assert_problem(approve(people.officer, approval_id), 403)
    assert approve(second_owner, approval_id).status_code == 200
    assert people.owner.get(path).json()["approval_settings"]["required"] is False
    assert (status(people, approval_id), status(people, change_id)) == ("approved", "cancelled")
    assert people.company.patch(people.employee_id, bank_account=NEW).status_code == 200


def test_a_sole_owner_needs_a_payroll_officer_to_turn_approval_off(people: TwoPeople) -> None:
    path = f"/clients/{people.company.id}/approval_settings"
    approval_id = pending(people.owner.patch(path, {"required": False}))
    assert approve(people.officer, approval_id).status_code == 200
    assert people.owner.get(path).json()["approval_settings"]["required"] is False


def test_without_a_second_person_an_owner_turns_approval_off_alone(people: TwoPeople) -> None:
    people.owner.service.as_owner("UPDATE users SET disabled_at = now() WHERE email = $1", people.officer.email)
    path = f"/clients/{people.company.id}/approval_settings"
    assert people.owner.patch(path, {"required": False}).status_code == 200
    assert people.owner.get(path).json()["approval_settings"]["required"] is False


def test_deciding_is_recorded_as_events_and_in_the_audit_log(people: TwoPeople) -> None:
    approval_id = people.request_change()
    approve(people.owner, approval_id)
    feed = [element["event"] for element in people.owner.get(f"/clients/{people.company.id}/events").json()]
    types = [event["type"] for event in feed if event["resource"]["type"] == "approval"]
    assert types == ["approval.requested", "approval.approved"]
    log = people.owner.get(f"/clients/{people.company.id}/audit_log", params={"record_type": "approvals"})
    entries = [element["audit_entry"] for element in log.json()]
    assert [(entry["action"], entry["user_name"]) for entry in entries] == [
        ("update", people.owner.email),
        ("create", people.officer.email),
    ]
    assert NEW["account_number"] not in log.text


def test_requests_of_a_deleted_employee_are_deleted(people: TwoPeople) -> None:
    employee_id = hired(people.company)
    change = {"employee": {"payment_method": "eft_manual", "bank_account": NEW}}
    approval_id = pending(people.officer.patch(f"/employees/{employee_id}", change))
    assert people.owner.delete(f"/employees/{employee_id}").status_code == 200
    assert_problem(people.owner.get(f"/approvals/{approval_id}"), 404)


def test_two_requests_to_require_approval(account: Member) -> None:
    company = Company.of(account)
    require_approval(company)
    path = f"/clients/{company.id}/approval_settings"
    assert account.patch(path, {"required": True}).status_code == 200
