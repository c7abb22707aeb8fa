"""Reading tools: their schemas, what they return, and what they refuse."""

import asyncio
from typing import Any

import httpx
import pytest

from gaji.integrations.mcp.api_client import ApiClient, ApiRequestError
from tests.integrations.mcp.mcp_client import McpClient
from tests.leave.people import leave_types
from tests.payroll.payment_runs.runs import JANUARY, hired, opened, paid
from tests.payroll.payslips.slips import detail, draft
from tests.support.company import BANK_ACCOUNT, Company
from tests.support.running import Member, created

WRITING = {"enter_pay_item", "open_pay_run", "approve_leave_request", "decline_leave_request"}


@pytest.fixture
def mcp_client(company: Company) -> McpClient:
    """An MCP client with a key that may only read."""
    return McpClient(company.member.with_another_key(read_only=True))


def test_every_tool_has_a_description_typed_results_and_described_arguments(company: Company) -> None:
    tools = McpClient(company.member).tools()
    assert tools.keys() > WRITING
    for tool in tools.values():
        assert tool.description
        assert len(tool.description) < 120
        assert tool.output_schema is not None
        assert tool.output_schema["properties"]
        undescribed = [name for name, schema in tool.input_schema["properties"].items() if "description" not in schema]
        assert undescribed == [], tool.name
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (tool.name not in WRITING)


def test_writing_tools_exist_only_for_keys_that_may_write(company: Company) -> None:
    employee_id = company.hire()
    readers = [
        company.member.with_another_key(read_only=True),
        company.member.colleague(company.id, "viewer"),
        company.member.colleague(company.id, "employee", employee_id),
    ]
    assert [WRITING & McpClient(reader).tools().keys() for reader in readers] == [set(), set(), set()]
    assert McpClient(company.member.colleague(company.id, "payroll")).tools().keys() > WRITING
    assert "Unknown tool" in McpClient(readers[0]).error("open_pay_run", wave_id=1)


def test_companies_and_people_are_found(company: Company, mcp_client: McpClient) -> None:
    employee_id = company.hire(first_name="Siti", last_name="Aminah", job_title="Driver", name_format=2)
    company.hire(first_name="Kumar", last_name="Raj")
    assert mcp_client.call("list_companies") == {
        "companies": [{"id": company.id, "name": "Kopi Trading", "uen": None}],
        "total": 1,
    }
    assert mcp_client.call("find_people", client_id=company.id, limit=1)["total"] == 2
    [person] = mcp_client.call("find_people", client_id=company.id, search="siti driver", state="serving")["people"]
    assert (person["id"], person["name"], person["job_title"]) == (employee_id, "Aminah Siti", "Driver")
    assert person["appointment_date"] == "2024-02-01"


def test_identifiers_are_masked_for_keys_that_hide_them(company: Company, mcp_client: McpClient) -> None:
    employee_id = company.hire(payment_method="eft_manual", bank_account=BANK_ACCOUNT)
    hiding = McpClient(company.member.with_another_key(hide_identifiers=True))
    shown, masked = (tool.call("show_person", employee_id=employee_id) for tool in (mcp_client, hiding))
    assert shown["nric"] == company.employee(employee_id)["nric"]
    assert masked["nric"].endswith(shown["nric"][-4:])
    assert masked["nric"] != shown["nric"]
    assert BANK_ACCOUNT["account_number"] in str(shown)
    assert BANK_ACCOUNT["account_number"] not in str(masked)
    assert "nric" not in hiding.call("find_people", client_id=company.id)["people"][0]


def test_a_payslip_is_shown_and_each_line_explained(company: Company, mcp_client: McpClient) -> None:
    employee_id = hired(company)
    [payslip] = mcp_client.call("list_payslips", employee_id=employee_id)["payslips"]
    assert (payslip["date"], payslip["nett_pay"], payslip["finalised"]) == (JANUARY, "3358.50", False)
    record = mcp_client.call("show_payslip", payslip_id=payslip["id"])
    amounts = {(line["section"], line["item"]): line["amount"] for line in record["lines"]}
    assert amounts["income", "basic_salary"] == "4200.00"
    assert amounts["deduction", "cpf_employee"] == "840.00"
    assert amounts["employer_contribution", "cpf_employer"] == "714.00"
    assert "3358.50" in amounts.values()
    assert record["leave"] == detail(company, payslip["id"])["leave"]
    [line] = mcp_client.call("explain_payslip_line", payslip_id=payslip["id"], item="CPF_employee")["lines"]
    assert line["arithmetic"][-1].endswith("840.00")
    assert line["parameters"]
    assert "Central Provident Fund Act" in line["source"]
    [same] = mcp_client.call("explain_payslip_line", payslip_id=payslip["id"], item=line["caption"])["lines"]
    assert same == line
    message = mcp_client.error("explain_payslip_line", payslip_id=payslip["id"], item="bonus")
    assert message.startswith(f"Payslip {payslip['id']} has no line bonus. Its lines are: basic_salary, ")


def test_pay_runs_are_listed_and_shown(company: Company, mcp_client: McpClient) -> None:
    hired(company)
    paid(company)
    run_id = opened(company, "2026-02-28")
    runs = mcp_client.call("list_pay_runs", client_id=company.id)
    assert [(run["period_end_date"], run["state"]) for run in runs["payment_runs"]] == [
        ("2026-02-28", "open"),
        (JANUARY, "finalised"),
    ]
    [unfinished] = mcp_client.call("list_pay_runs", client_id=company.id, finalised=False)["payment_runs"]
    assert unfinished["id"] == run_id
    run = mcp_client.call("show_pay_run", payment_run_id=run_id)
    assert (run["total"], run["progress"]) == ("3358.50", 100)
    assert run["counts"] == {"payslips": 1, "calculated": 1, "dirty": 0, "attention": 0}


def test_deadlines_are_listed(company: Company, mcp_client: McpClient) -> None:
    hired(company)
    run_id = opened(company)
    [deadline] = mcp_client.call("list_deadlines", client_id=company.id)["deadlines"]
    assert (deadline["type"], deadline["due_date"], deadline["payment_run_id"]) == ("pay_run", JANUARY, run_id)
    assert mcp_client.call("list_deadlines", client_id=company.id, until="2026-01-30") == {"deadlines": []}


def test_reports_are_listed_and_run(company: Company, mcp_client: McpClient) -> None:
    hired(company)
    paid(company)
    catalogue = mcp_client.call("list_reports", client_id=company.id)
    assert "transaction_history" in {report["id"] for report in catalogue["reports"]}
    assert "Nett pay" in catalogue["account_names"]
    report = {"client_id": company.id, "report": "transaction_history"}
    fields = {"start_date": "2026-01-01", "end_date": JANUARY, "account_names": ["Nett pay"]}
    table = mcp_client.call("run_report", **report, fields=fields)
    assert table["total"] == 1
    assert table["rows"][0]["Nett pay"] == "$3,358.50"
    liability = {"client_id": company.id, "report": "leave_liability_v2", "fields": {"date": JANUARY}}
    assert isinstance(mcp_client.call("run_report", **liability)["rows"][0]["Days"], float | int)


def test_errors_of_the_api_are_the_errors_of_the_tool(company: Company, mcp_client: McpClient) -> None:
    report = {"client_id": company.id, "report": "transaction_history"}
    lines = mcp_client.error("run_report", **report, fields={"start_date": "soon"}).splitlines()
    assert lines[0].endswith("are not valid")
    assert "end_date: is required" in lines
    assert any(line.startswith("start_date: ") for line in lines)
    message = mcp_client.error("run_report", client_id=company.id, report="../pay_points", fields={"name": "Outlet"})
    assert message.startswith("Nothing found at ")


def test_pay_items_have_only_inputs_of_payslips(company: Company, mcp_client: McpClient) -> None:
    items = {item["calc_type"]: item for item in mcp_client.call("list_pay_items", client_id=company.id)["pay_items"]}
    assert {item["name"]: item["type"] for item in items["bonus"]["inputs"]}["amount"] == "money"
    types = company.member.get(f"/clients/{company.id}/calculation_types").json()
    inputs = {kind["calc_type"]: [item for item in kind["inputs"] if "payslip" in item["levels"]] for kind in types}
    assert {name: len(item["inputs"]) for name, item in items.items()} == {
        name: len(items) for name, items in inputs.items() if items
    }


def test_leave_is_shown(company: Company, mcp_client: McpClient) -> None:
    employee_id = company.hire()
    annual = leave_types(company.member, company.id)["annual_leave"]
    body = {"dates": [{"date": "2026-05-04", "type_id": annual}], "reason": "A wedding"}
    request_id = created(company.member.post(f"/employees/{employee_id}/leave_requests", body))
    [request] = mcp_client.call("list_leave_requests", employee_id=employee_id, status="pending")["leave_requests"]
    assert request == {
        "id": request_id,
        "employee_id": employee_id,
        "dates": [{"date": "2026-05-04", "hours": None, "type": "annual_leave"}],
        "reason": "A wedding",
        "status": "pending",
        "answer": None,
    }
    balances = mcp_client.call("show_leave_balances", employee_id=employee_id, day="2026-05-01")["balances"]
    path = f"/employees/{employee_id}/leave_balances?date=2026-05-01"
    assert balances["annual_leave"] == company.member.get(path).json()[str(annual)]


def test_records_of_another_tenant_do_not_exist(company: Company, account: Member) -> None:
    other = Company.of(account.service.new_account())
    employee_id = hired(other)
    run_id, payslip_id = opened(other), draft(other, employee_id)
    request = {"employee_id": employee_id, "leave_request_id": 1}
    item = {"period_end_date": JANUARY, "calc_type": "bonus", "inputs": {"amount": "1"}}
    calls: dict[str, dict[str, Any]] = {
        "find_people": {"client_id": other.id},
        "show_person": {"employee_id": employee_id},
        "list_payslips": {"employee_id": employee_id},
        "show_payslip": {"payslip_id": payslip_id},
        "explain_payslip_line": {"payslip_id": payslip_id, "item": "basic_salary"},
        "list_pay_runs": {"client_id": other.id},
        "show_pay_run": {"payment_run_id": run_id},
        "list_deadlines": {"client_id": other.id},
        "list_reports": {"client_id": other.id},
        "run_report": {"client_id": other.id, "report": "tracked_balances", "fields": {"date": JANUARY}},
        "list_pay_items": {"client_id": other.id},
        "list_leave_requests": {"employee_id": employee_id},
        "show_leave_balances": {"employee_id": employee_id},
        "enter_pay_item": {"employee_id": employee_id, **item},
        "open_pay_run": {"wave_id": other.wave_id, "period_end_date": JANUARY},
        "approve_leave_request": request,
        "decline_leave_request": request,
    }
    mcp_client = McpClient(company.member)
    assert calls.keys() == mcp_client.tools().keys() - {"list_companies"}
    for name, arguments in calls.items():
        assert "does not exist" in mcp_client.error(name, **arguments), name
    assert other.id not in {entry["id"] for entry in mcp_client.call("list_companies")["companies"]}


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (httpx.Response(502, text="<h1>Bad gateway</h1>"), "The server responded with status 502"),
        (httpx.Response(429, json={"message": "Try again in 3 s"}), "Try again in 3 s"),
        (httpx.ConnectError("refused"), "Gaji did not respond (refused). If this was a write, check"),
    ],
)
def test_failed_requests_have_a_sentence(response: httpx.Response | Exception, message: str) -> None:
    def respond(_: httpx.Request) -> httpx.Response:
        if isinstance(response, Exception):
            raise response
        return response

    async def request() -> None:
        async with httpx.AsyncClient(base_url="http://gaji", transport=httpx.MockTransport(respond)) as http:
            await ApiClient(http).get("/me")

    with pytest.raises(ApiRequestError, match="^" + message.replace("(", r"\(").replace(")", r"\)")):
        asyncio.run(request())
