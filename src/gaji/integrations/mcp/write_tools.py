"""Tools that write. The first call describes what would happen and returns a token; the call with the token does it."""

from datetime import date
from typing import Annotated, Any

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from gaji.integrations.mcp import results
from gaji.integrations.mcp.api_client import ApiClient
from gaji.integrations.mcp.confirmations import Confirmations, PlannedWrite
from gaji.integrations.mcp.read_tools import EmployeeId, ReadTools

Token = Annotated[
    str | None,
    Field(description="The token of the first call, after the user has agreed. Without it, nothing changes."),
]
PeriodEnd = Annotated[date, Field(description="The last day of the pay period.")]
LeaveRequestId = Annotated[int, Field(ge=1, description="ID of the leave request, from list_leave_requests.")]
Answer = Annotated[str | None, Field(description="An answer to the employee.")]
NOT_DONE = "Nothing has changed yet. Ask the user, then call this tool again with the same arguments and the token."


class WriteTools:
    """The writing tools. Each method is a tool, and its docstring is the description."""

    def __init__(self, api: ApiClient, confirmations: Confirmations) -> None:
        self._api = api
        self._read = ReadTools(api)
        self._confirmations = confirmations

    async def enter_pay_item(
        self,
        employee_id: EmployeeId,
        period_end_date: PeriodEnd,
        calc_type: Annotated[str, Field(description="The pay item, from list_pay_items.")],
        inputs: Annotated[
            dict[str, str | bool | int | float | None],
            Field(description='Inputs of the pay item, such as {"amount": "500.00"}. Null clears an input.'),
        ],
        confirmation_token: Token = None,
    ) -> results.WriteResult:
        """Enter a pay item, such as a bonus, on one draft payslip of an employee. Needs confirmation."""
        person = await self._read.show_person(employee_id)
        payslip = await self._find_draft(employee_id, period_end_date)
        body = {"calc_type": calc_type, "calculation_details": inputs}
        await self._check_pay_item(person.client_id, employee_id, period_end_date, body)
        entered = ", ".join(f"{name} = {value}" for name, value in inputs.items())
        effect = (
            f"Enter {calc_type} ({entered}) on payslip {payslip.id} of {person.name} ({person.number}) for the period "
            f"that ends on {period_end_date}. Its nett pay is {payslip.nett_pay or 'not calculated'} before the change."
        )
        write = PlannedWrite(f"/payslips/{payslip.id}/calculations", body, effect)
        return await self._confirm(write, confirmation_token)

    async def open_pay_run(
        self,
        wave_id: Annotated[int, Field(ge=1, description="ID of the pay schedule, from find_people or list_pay_runs.")],
        period_end_date: PeriodEnd,
        confirmation_token: Token = None,
    ) -> results.WriteResult:
        """Open the pay run of a pay schedule for a period, and calculate its payslips. Needs confirmation."""
        wave = (await self._api.get(f"/waves/{wave_id}"))["wave"]
        path = f"/clients/{wave['client_id']}"
        people = await self._api.get_page(f"{path}/employees", 1, {"wave_id": wave_id, "state": "serving"})
        effect = (
            f"Open the pay run of the pay schedule {wave['name']} for the period that ends on {period_end_date}, and "
            f"calculate its payslips. Employees of the pay schedule: {people.total}."
        )
        body = {"wave_id": wave_id, "period_end_date": period_end_date.isoformat()}
        return await self._confirm(PlannedWrite(f"{path}/payment_runs", body, effect), confirmation_token)

    async def approve_leave_request(
        self,
        employee_id: EmployeeId,
        leave_request_id: LeaveRequestId,
        answer: Answer = None,
        confirmation_token: Token = None,
    ) -> results.WriteResult:
        """Approve a pending leave request, or the withdrawal of approved leave. Needs confirmation."""
        effect = await self._describe_request("Approve", employee_id, leave_request_id)
        clashes = await self._api.get(f"/leave_requests/{leave_request_id}/clashes")
        others = ", ".join(f"{clash['name']} on {clash['date']} ({clash['status']})" for clash in clashes)
        effect += f" Also away or asked for: {others}." if others else " Nobody else of the group is away."
        write = PlannedWrite(f"/leave_requests/{leave_request_id}/approve", {"answer": answer}, effect)
        return await self._confirm(write, confirmation_token)

    async def decline_leave_request(
        self,
        employee_id: EmployeeId,
        leave_request_id: LeaveRequestId,
        answer: Answer = None,
        confirmation_token: Token = None,
    ) -> results.WriteResult:
        """Decline a pending leave request, or the withdrawal of approved leave. Needs confirmation."""
        effect = await self._describe_request("Decline", employee_id, leave_request_id)
        write = PlannedWrite(f"/leave_requests/{leave_request_id}/decline", {"answer": answer}, effect)
        return await self._confirm(write, confirmation_token)

    async def _confirm(self, write: PlannedWrite, token: str | None) -> results.WriteResult:
        """Do the write if the token stands for it. Without a token, return one."""
        if token is None:
            issued = self._confirmations.issue(write)
            return results.WriteResult(done=False, effect=write.effect, message=NOT_DONE, confirmation_token=issued)
        self._confirmations.redeem(token, write)
        response = await self._api.post(write.path, write.body)
        return results.WriteResult(done=True, effect=write.effect, message=response["message"], id=response.get("id"))

    async def _find_draft(self, employee_id: int, end: date) -> results.PayslipListItem:
        """Return the regular payslip of a period. Raises ToolError if there is none or if it is finalised."""
        payslips = (await self._read.list_payslips(employee_id, end, end)).payslips
        regular = [payslip for payslip in payslips if not payslip.special]
        if not regular:
            raise ToolError(f"Employee {employee_id} has no payslip for a period that ends on {end}")
        if regular[0].finalised:
            raise ToolError(f"The payslip of {end} is finalised and cannot be changed")
        return regular[0]

    async def _check_pay_item(self, client_id: int, employee_id: int, end: date, body: dict[str, Any]) -> None:
        """Raise the errors of a pay item before anybody is asked, by means of a preview that is not stored."""
        preview = {"employee_id": employee_id, "period_end_date": end.isoformat(), "calculations": [body]}
        await self._api.post(f"/clients/{client_id}/payslip_preview", preview)

    async def _describe_request(self, verb: str, employee_id: int, request_id: int) -> str:
        person = await self._read.show_person(employee_id)
        page = await self._api.get_page(f"/employees/{employee_id}/leave_requests", 1, {"ids": request_id})
        if not page.elements:
            raise ToolError(f"{person.name} ({person.number}) has no leave request {request_id}")
        request = results.LeaveRequestRecord(**page.elements[0])
        days = ", ".join(
            f"{day.type} on {day.date}" + (f" for {day.hours:g} hours" if day.hours else "") for day in request.dates
        )
        what = "withdrawal of leave" if request.status == "withdrawing" else "leave request"
        reason = f" Reason: {request.reason}." if request.reason else ""
        return f"{verb} the {what} of {person.name} ({person.number}), which is {request.status}: {days}.{reason}"
