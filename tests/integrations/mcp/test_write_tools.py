"""Writing tools: nothing changes without a token that stands for the same write, and every write is audited."""

from typing import Any

import pytest

from gaji.integrations.mcp.confirmations import LIFETIME_S, MAX_TOKENS, Confirmations, PlannedWrite
from tests.integrations.mcp.mcp_client import McpClient
from tests.leave.people import leave_types
from tests.payroll.payment_runs.runs import JANUARY, ask, hired, paid
from tests.payroll.payslips.slips import detail, draft
from tests.support.company import Company
from tests.support.running import created

NOTHING = "Nothing has changed."


@pytest.fixture
def mcp_client(company: Company) -> McpClient:
    """An MCP client with a key that may write."""
    return McpClient(company.member)


def bonus(employee_id: int, **changes: Any) -> dict[str, Any]:
    """The arguments of a bonus in January."""
    arguments = {"employee_id": employee_id, "period_end_date": JANUARY, "calc_type": "bonus"}
    return {**arguments, "inputs": {"amount": "500.00"}, **changes}


def items(company: Company, employee_id: int) -> dict[str, str]:
    """The income of the draft of an employee."""
    return dict(detail(company, draft(company, employee_id))["income"])


def audited(company: Company, record_type: str) -> list[tuple[str, str | None]]:
    """The actions and requests of the audit log about a kind of record, newest first."""
    entries = company.member.get(f"/clients/{company.id}/audit_log?record_type={record_type}").json()
    return [(entry["audit_entry"]["action"], entry["audit_entry"]["request_id"]) for entry in entries]


def request_leave(company: Company, employee_id: int) -> int:
    """A pending leave request."""
    annual = leave_types(company.member, company.id)["annual_leave"]
    body = {"dates": [{"date": "2026-05-04", "type_id": annual}], "reason": "A wedding"}
    return created(company.member.post(f"/employees/{employee_id}/leave_requests", body))


def test_a_pay_item_is_entered_after_confirmation(company: Company, mcp_client: McpClient) -> None:
    employee_id = hired(company)
    payslip_id = draft(company, employee_id)
    number = company.employee(employee_id)["number"]
    before = audited(company, "calculations")
    planned = mcp_client.call("enter_pay_item", **bonus(employee_id))
    assert planned["done"] is False
    assert planned["effect"] == (
        f"Enter bonus (amount = 500.00) on payslip {payslip_id} of Mei Ling Tan ({number}) for the period that ends on "
        "2026-01-31. Its nett pay is 3358.50 before the change."
    )
    assert "bonus" not in items(company, employee_id)
    assert audited(company, "calculations") == before
    entered = mcp_client.call("enter_pay_item", **bonus(employee_id), confirmation_token=planned["confirmation_token"])
    assert (entered["done"], entered["effect"], entered["confirmation_token"]) == (True, planned["effect"], None)
    assert items(company, employee_id)["bonus"] == "500.00"
    [(action, request_id), *earlier] = audited(company, "calculations")
    assert (action, bool(request_id), earlier) == ("create", True, before)


def test_invalid_pay_items_are_refused_before_anybody_is_asked(company: Company, mcp_client: McpClient) -> None:
    employee_id = hired(company)
    assert "amount" in mcp_client.error("enter_pay_item", **bonus(employee_id, inputs={"amount": "lots"}))
    assert "bonuss" in mcp_client.error("enter_pay_item", **bonus(employee_id, calc_type="bonuss"))
    message = mcp_client.error("enter_pay_item", **bonus(employee_id, period_end_date="2026-01-30"))
    assert message == f"Employee {employee_id} has no payslip for a period that ends on 2026-01-30"
    paid(company)
    message = mcp_client.error("enter_pay_item", **bonus(employee_id))
    assert message == "The payslip of 2026-01-31 is finalised and cannot be changed"


def test_a_token_works_once_and_only_for_the_same_write(company: Company, mcp_client: McpClient) -> None:
    employee_id = hired(company)

    def token() -> str:
        issued: str = mcp_client.call("enter_pay_item", **bonus(employee_id))["confirmation_token"]
        return issued

    def refusal(confirmation_token: str, **changes: Any) -> str:
        message = mcp_client.error(
            "enter_pay_item", **bonus(employee_id, **changes), confirmation_token=confirmation_token
        )
        assert NOTHING in message
        return message.partition(".")[0]

    unknown = "This confirmation token does not exist, was used or has expired"
    different = "What would happen now differs from what this confirmation token stands for"
    assert refusal("") == refusal("guess") == unknown
    assert refusal(token(), inputs={"amount": "5000.00"}) == different
    first = token()
    assert refusal(first, calc_type="annual_bonus") == different
    assert refusal(first) == unknown
    assert items(company, employee_id).keys() == {"basic_salary", "total"}
    used = token()
    assert mcp_client.call("enter_pay_item", **bonus(employee_id), confirmation_token=used)["done"]
    assert refusal(used) == unknown


def test_a_token_is_not_valid_after_the_payslip_has_changed(company: Company, mcp_client: McpClient) -> None:
    employee_id = hired(company)
    token = mcp_client.call("enter_pay_item", **bonus(employee_id))["confirmation_token"]
    body = {"calc_type": "commission", "calculation_details": {"commission_input": "100.00"}}
    created(company.member.post(f"/payslips/{draft(company, employee_id)}/calculations", body))
    assert NOTHING in mcp_client.error("enter_pay_item", **bonus(employee_id), confirmation_token=token)
    assert "bonus" not in items(company, employee_id)


def test_tokens_expire_and_old_ones_are_forgotten() -> None:
    now_s = 0.0
    confirmations = Confirmations(lambda: now_s)
    write = PlannedWrite("/payment_runs/1/calculate", {}, "Recalculate")
    in_time, late = confirmations.issue(write), confirmations.issue(write)
    now_s = LIFETIME_S - 1
    confirmations.redeem(in_time, write)
    now_s = LIFETIME_S
    with pytest.raises(Exception, match="has expired"):
        confirmations.redeem(late, write)
    tokens = [confirmations.issue(write) for _ in range(MAX_TOKENS + 1)]
    with pytest.raises(Exception, match="does not exist"):
        confirmations.redeem(tokens[0], write)
    confirmations.redeem(tokens[1], write)


def test_a_pay_run_is_opened_after_confirmation(company: Company, mcp_client: McpClient) -> None:
    hired(company)
    period = {"wave_id": company.wave_id, "period_end_date": JANUARY}
    planned = mcp_client.call("open_pay_run", **period)
    [wave] = [element["wave"]["name"] for element in company.member.get(f"/clients/{company.id}/waves").json()]
    assert planned["effect"] == (
        f"Open the pay run of the pay schedule {wave} for the period that ends on 2026-01-31, and calculate its "
        "payslips. Employees of the pay schedule: 1."
    )
    assert audited(company, "payment_runs") == []
    result = mcp_client.call("open_pay_run", **period, confirmation_token=planned["confirmation_token"])
    assert (result["done"], result["message"]) == (True, "The payment run has been opened")
    run = mcp_client.call("show_pay_run", payment_run_id=result["id"])
    assert (run["state"], run["total"]) == ("open", "3358.50")
    assert [action for action, _ in audited(company, "payment_runs")] == ["create"]
    again = mcp_client.call("open_pay_run", **period)
    message = mcp_client.error("open_pay_run", **period, confirmation_token=again["confirmation_token"])
    assert message == ask(company).json()["message"]


@pytest.mark.parametrize(("verb", "status"), [("approve", "approved"), ("decline", "declined")])
def test_a_leave_request_is_decided_after_confirmation(
    company: Company, mcp_client: McpClient, verb: str, status: str
) -> None:
    employee_id, colleague_id = company.hire(), company.hire(first_name="Kumar", last_name="Raj")
    request_id = request_leave(company, employee_id)
    request_leave(company, colleague_id)
    arguments = {"employee_id": employee_id, "leave_request_id": request_id, "answer": "Noted"}

    def request() -> dict[str, Any]:
        [element] = company.member.get(f"/employees/{employee_id}/leave_requests").json()
        state: dict[str, Any] = element["leave_request"]
        return state

    planned = mcp_client.call(f"{verb}_leave_request", **arguments)
    assert "which is pending: annual_leave on 2026-05-04. Reason: A wedding." in planned["effect"]
    assert ("Kumar Raj on 2026-05-04 (" in planned["effect"]) == (verb == "approve")
    assert request()["status"] == "pending"
    before = audited(company, "leave_requests")
    result = mcp_client.call(f"{verb}_leave_request", **arguments, confirmation_token=planned["confirmation_token"])
    assert result["message"] == f"The leave request has been {status}"
    assert (request()["status"], request()["answer"]) == (status, "Noted")
    assert len(audited(company, "leave_requests")) == len(before) + 1
    message = mcp_client.error(f"{verb}_leave_request", employee_id=colleague_id, leave_request_id=request_id)
    assert message.endswith(f"has no leave request {request_id}")


def test_errors_of_the_api_are_reported_after_confirmation(company: Company, mcp_client: McpClient) -> None:
    employee_id = company.hire()
    request = {"employee_id": employee_id, "leave_request_id": request_leave(company, employee_id)}
    for expected in (True, False):
        planned = mcp_client.call("decline_leave_request", **request)
        token = {"confirmation_token": planned["confirmation_token"]}
        if expected:
            assert mcp_client.call("decline_leave_request", **request, **token)["done"]
        else:
            assert "declined" in mcp_client.error("decline_leave_request", **request, **token)
