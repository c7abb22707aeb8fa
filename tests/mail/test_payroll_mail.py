"""Mail about payslips, leave and changes of details, to employees and approvers."""

from tests.approvals.second_person import two_people
from tests.console.console_user import (
    signed_in_user,
)
from tests.console.test_change_requests import ACCOUNT, ADDRESS, decide, request_change
from tests.mail.outbox import link_in, text_of
from tests.payroll.payment_runs.runs import done, hired, opened
from tests.support.company import Company
from tests.support.mailbox import Mailbox
from tests.support.running import Member


def test_employees_with_a_sign_in_get_a_message_when_a_run_is_released(company: Company, mailbox: Mailbox) -> None:
    employee_id = hired(company)
    hired(company)
    employee = company.member.colleague(company.id, "employee", employee_id)
    run_id = opened(company)
    done(company, run_id, "finalise")
    assert employee.service.as_owner("SELECT id FROM outgoing_mail WHERE recipient = $1", employee.email) == []
    for _ in range(2):
        assert company.member.post(f"/payment_runs/{run_id}/release", {}).status_code == 200
    message = mailbox.wait_for(employee.email)
    assert message["Subject"] == "Your payslip from Kopi Trading is ready"
    path = link_in(message)
    assert path.startswith(f"/own/{employee_id}/payslips/")
    assert signed_in_user(employee).get(path).status_code == 200


def test_approvers_get_a_message_about_a_leave_request(company: Company, mailbox: Mailbox) -> None:
    employee_id = company.hire()
    employee = company.member.colleague(company.id, "employee", employee_id)
    approver, viewer = (company.member.colleague(company.id, role) for role in ("payroll", "viewer"))
    type_id = next(
        key for key, name in company.member.get(f"/clients/{company.id}/leave_types").json().items() if "unpaid" in name
    )
    dates = [{"date": "2026-03-02", "type_id": int(type_id)}, {"date": "2026-03-03", "type_id": int(type_id)}]
    answer = employee.post(f"/employees/{employee_id}/leave_requests", {"dates": dates})
    assert answer.status_code == 200, answer.text
    message = mailbox.wait_for(approver.email)
    assert "has requested leave from 2 March 2026 to 3 March 2026 (Unpaid leave)." in text_of(message)
    assert link_in(message) == f"/companies/{company.id}/leave"
    assert mailbox.sent_to(viewer.email) == []
    assert mailbox.sent_to(employee.email) == []
    path = f"/leave_requests/{answer.json()['id']}/decline"
    assert company.member.post(path, {"answer": "Stocktaking"}).status_code == 200
    message = mailbox.wait_for(employee.email)
    assert message["Subject"] == "Your leave request: declined"
    text = text_of(message)
    assert "from 2 March 2026 to 3 March 2026: declined." in text
    assert "Comment: Stocktaking" in text
    assert link_in(message) == f"/own/{employee_id}/leave"


def test_employees_are_told_of_changes_of_their_details_and_approvers_once(account: Member, mailbox: Mailbox) -> None:
    people = two_people(account)
    member = account.colleague(people.company.id, "employee", people.employee_id)
    employee = signed_in_user(member)
    answer = request_change(employee, people.employee_id, ADDRESS)
    assert answer.status_code == 303, answer.text
    message = mailbox.wait_for_subject(member.email, "Change of your details requested")
    assert "requested a change of your address or payment details" in text_of(message)
    assert link_in(message) == "/sign-in/forgotten"
    request_change(employee, people.employee_id, ACCOUNT)
    assert decide(people, "reject", "0119988776 is not yours").status_code == 303
    message = mailbox.wait_for_subject(member.email, "Your requested change of details: declined")
    assert link_in(message) == f"/own/{people.employee_id}/details"
    assert mailbox.wait_for_subject(people.officer.email, "Approval needed for Kopi Trading")
    request_change(employee, people.employee_id, ACCOUNT)
    assert decide(people, "approve").status_code == 303
    assert mailbox.wait_for_subject(member.email, "Your requested change of details: approved")
    assert not [item for item in mailbox.sent_to(member.email) if "0119988776" in text_of(item)]
    kinds = account.service.as_owner("SELECT kind FROM outgoing_mail WHERE recipient = $1", people.officer.email)
    assert [row["kind"] for row in kinds].count("approval_request") == 2


def test_requests_of_an_employee_mail_the_approvers_at_most_three_times_an_hour(account: Member) -> None:
    people = two_people(account)
    employee = signed_in_user(account.colleague(people.company.id, "employee", people.employee_id))

    def request(change: dict[str, str] = ADDRESS) -> None:
        assert request_change(employee, people.employee_id, change).status_code == 303

    def cancel() -> None:
        path = f"/own/{people.employee_id}/details"
        assert employee.post(f"{path}/cancel", page=path).status_code == 303

    def count_messages() -> int:
        query = "SELECT kind FROM outgoing_mail WHERE recipient = $1"
        rows = account.service.as_owner(query, people.officer.email)
        return [row["kind"] for row in rows].count("approval_request")

    counts = []
    for _ in range(5):
        request()
        counts.append(count_messages())
        cancel()
    assert counts == [1, 2, 3, 3, 3]
    move = "UPDATE outgoing_mail SET created_at = created_at - interval '1 hour' WHERE parameters ->> 'path' = $1"
    account.service.as_owner(move, f"/companies/{people.company.id}/approvals")
    request()
    request(ACCOUNT)  # replaces the pending one
    assert count_messages() == 4
    cancel()
    request()
    assert count_messages() == 5
