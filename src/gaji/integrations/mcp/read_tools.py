"""Tools that read: companies, people, payslips, pay runs, leave and reports."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from gaji.integrations.mcp import results
from gaji.integrations.mcp.api_client import ApiClient
from gaji.people.employees.display_name import full_name

ClientId = Annotated[int, Field(ge=1, description="ID of the company, from list_companies.")]
EmployeeId = Annotated[int, Field(ge=1, description="ID of the employee, from find_people.")]
PayslipId = Annotated[int, Field(ge=1, description="ID of the payslip, from list_payslips.")]
PaymentRunId = Annotated[int, Field(ge=1, description="ID of the pay run, from list_pay_runs.")]
Limit = Annotated[int, Field(ge=1, le=200, description="The maximum number of results.")]
RowLimit = Annotated[int, Field(ge=1, le=1000, description="The maximum number of rows.")]
PAYSLIP_LEVEL = "payslip"


class ReadTools:
    """The reading tools. Each method is a tool, and its docstring is the description."""

    def __init__(self, api: ApiClient) -> None:
        self._api = api

    async def list_companies(
        self,
        search: Annotated[str | None, Field(description="Text in the name or the UEN. Default: all.")] = None,
        limit: Limit = 50,
    ) -> results.CompanyList:
        """List the companies that the API key can see."""
        page = await self._api.get_page("/clients", limit, {"search": search, "fields": "name,uen"})
        return results.CompanyList(
            companies=[results.CompanySummary(**client) for client in page.elements], total=page.total
        )

    async def find_people(
        self,
        client_id: ClientId,
        search: Annotated[
            str | None, Field(description="Words in the name, number, job title or email address. Default: all.")
        ] = None,
        state: Annotated[Literal["serving", "left"] | None, Field(description="Default: both.")] = None,
        limit: Limit = 20,
    ) -> results.PersonList:
        """Find employees of a company."""
        query = {"search": search, "state": state}
        page = await self._api.get_page(f"/clients/{client_id}/employees", limit, query)
        people = [results.PersonSummary(**_with_name(employee)) for employee in page.elements]
        return results.PersonList(people=people, total=page.total)

    async def show_person(self, employee_id: EmployeeId) -> results.PersonRecord:
        """Show an employee with personal details. Identifiers are masked if the API key hides them."""
        employee = (await self._api.get(f"/employees/{employee_id}"))["employee"]
        return results.PersonRecord(**_with_name(employee))

    async def list_payslips(
        self,
        employee_id: EmployeeId,
        first_date: Annotated[date | None, Field(description="Only payslips from this date on.")] = None,
        last_date: Annotated[date | None, Field(description="Only payslips up to this date.")] = None,
        limit: Limit = 100,
    ) -> results.PayslipList:
        """List the payslips of an employee."""
        query = {"from": first_date, "to": last_date}
        page = await self._api.get_page(f"/employees/{employee_id}/payslips", limit, query)
        return results.PayslipList(
            payslips=[results.PayslipListItem(**payslip) for payslip in page.elements], total=page.total
        )

    async def show_payslip(self, payslip_id: PayslipId) -> results.PayslipRecord:
        """Show a payslip: all lines with their amounts, and leave."""
        payslip = (await self._api.get(f"/payslips/{payslip_id}", {"fields": "leave"}))["payslip"]
        explained = await self._api.get(f"/payslips/{payslip_id}/explanation")
        return results.PayslipRecord(
            id=payslip_id,
            lines=[results.PayslipLineAmount(**line) for line in explained["explanation"]],
            leave=payslip["leave"],
            attention=explained["attention"],
            remarks=explained["remarks"],
        )

    async def explain_payslip_line(
        self,
        payslip_id: PayslipId,
        item: Annotated[str, Field(description="Item or caption of the line, such as cpf_employee.")],
    ) -> results.LineExplanations:
        """Explain why a line of a payslip has its amount: inputs, rule, legal source, parameters and arithmetic."""
        lines = (await self._api.get(f"/payslips/{payslip_id}/explanation"))["explanation"]
        matching = [line for line in lines if item.lower() in (str(line["item"]).lower(), line["caption"].lower())]
        if not matching:
            items = ", ".join(dict.fromkeys(str(line["item"]) for line in lines))
            raise ToolError(f"Payslip {payslip_id} has no line {item}. Its lines are: {items}")
        return results.LineExplanations(lines=[results.LineExplanation(**line) for line in matching])

    async def list_pay_runs(
        self,
        client_id: ClientId,
        finalised: Annotated[bool | None, Field(description="Only finalised pay runs, or only open ones.")] = None,
        limit: Limit = 20,
    ) -> results.PayRunList:
        """List the pay runs of a company, newest first."""
        page = await self._api.get_page(f"/clients/{client_id}/payment_runs", limit, {"finalised": finalised})
        runs = [results.PayRunSummary(**run) for run in page.elements]
        return results.PayRunList(payment_runs=runs, total=page.total)

    async def show_pay_run(self, payment_run_id: PaymentRunId) -> results.PayRunRecord:
        """Show a pay run: state, total, progress, and how many payslips need attention."""
        return results.PayRunRecord(**(await self._api.get(f"/payment_runs/{payment_run_id}"))["payment_run"])

    async def list_deadlines(
        self,
        client_id: ClientId,
        until: Annotated[date | None, Field(description="The last due date. Default: 31 days from today.")] = None,
    ) -> results.DueList:
        """List what is due: pay runs, leave requests to decide, CPF files, levies, withheld tax, IR8A and IR21."""
        elements = await self._api.get(f"/clients/{client_id}/deadlines", {"until": until})
        return results.DueList(deadlines=[results.DueItem(**element["deadline"]) for element in elements])

    async def list_reports(self, client_id: ClientId) -> results.ReportCatalogue:
        """List the reports with their fields, and the account names and pay periods that can be used in them."""
        return results.ReportCatalogue(**await self._api.get(f"/clients/{client_id}/reports"))

    async def run_report(
        self,
        client_id: ClientId,
        report: Annotated[str, Field(description="ID of the report, from list_reports.")],
        fields: Annotated[dict[str, Any], Field(description="The fields of the report, as list_reports shows.")],
        limit: RowLimit = 100,
    ) -> results.ReportExcerpt:
        """Run a report. Amounts are text, such as $1,234.50."""
        path = f"/clients/{client_id}/reports/{quote(report, safe='')}"
        rows = await self._api.post(path, {**fields, "humanize": True})
        return results.ReportExcerpt(rows=rows[:limit], total=len(rows))

    async def list_pay_items(self, client_id: ClientId) -> results.PayItemList:
        """List the pay items that can be entered on a payslip, with their inputs."""
        types = await self._api.get(f"/clients/{client_id}/calculation_types")
        items = [results.PayItemType(**{**kind, "inputs": _payslip_inputs(kind)}) for kind in types]
        return results.PayItemList(pay_items=[item for item in items if item.inputs])

    async def list_leave_requests(
        self,
        employee_id: EmployeeId,
        status: Annotated[
            Literal["pending", "approved", "declined", "cancelled", "withdrawing", "withdrawn"] | None,
            Field(description="Default: all."),
        ] = None,
        limit: Limit = 50,
    ) -> results.LeaveRequestList:
        """List the leave requests of an employee."""
        page = await self._api.get_page(f"/employees/{employee_id}/leave_requests", limit, {"status": status})
        requests = [results.LeaveRequestRecord(**request) for request in page.elements]
        return results.LeaveRequestList(leave_requests=requests, total=page.total)

    async def show_leave_balances(
        self,
        employee_id: EmployeeId,
        day: Annotated[date | None, Field(description="The date of the balances. Default: today.")] = None,
    ) -> results.LeaveDays:
        """Show the leave balances of an employee in days."""
        employee = (await self._api.get(f"/employees/{employee_id}", {"fields": "client_id"}))["employee"]
        names = await self._api.get(f"/clients/{employee['client_id']}/leave_types")
        balances = await self._api.get(f"/employees/{employee_id}/leave_balances", {"date": day})
        return results.LeaveDays(balances={names[type_id]: days for type_id, days in balances.items()})


def _with_name(employee: Mapping[str, Any]) -> dict[str, Any]:
    name = full_name(employee["first_name"], employee["last_name"], employee["name_format"])
    return {**employee, "name": name}


def _payslip_inputs(kind: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [item for item in kind["inputs"] if PAYSLIP_LEVEL in item["levels"]]
