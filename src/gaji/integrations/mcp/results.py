"""Results of the tools. Attributes have the names of the API."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer


def format_amount(value: Decimal | int | str) -> str:
    """Return an amount in dollars with two decimals.

    >>> format_amount(Decimal("3358.5")), format_amount(0)
    ('3358.50', '0.00')
    """
    return f"{Decimal(value):.2f}"


def _as_number(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value


Amount = Annotated[str, BeforeValidator(format_amount), Field(description="In Singapore dollars.")]
Cell = Annotated[Any, PlainSerializer(_as_number)]
"""A value of a report. Amounts are text, so numbers with a fraction are days or hours."""


class ToolResult(BaseModel):
    """The result of a tool. Attributes of the API that it does not have are left out."""

    model_config = ConfigDict(frozen=True)


class CompanySummary(ToolResult):
    """A company."""

    id: int = Field(description="The client_id of other tools.")
    name: str
    uen: str | None


class CompanyList(ToolResult):
    """Companies, and how many there are."""

    companies: list[CompanySummary]
    total: int


class PersonSummary(ToolResult):
    """An employee."""

    id: int = Field(description="The employee_id of other tools.")
    client_id: int
    number: str
    name: str
    job_title: str | None
    email: str | None
    appointment_date: date
    wave_id: int
    pay_point_id: int | None


class PersonList(ToolResult):
    """Employees, and how many there are."""

    people: list[PersonSummary]
    total: int


class PersonRecord(PersonSummary):
    """An employee with personal details. Identifiers are masked if the API key hides them."""

    birthdate: date
    legal_status: str
    nationality: str | None
    pr_date: date | None
    work_pass: str | None
    pass_to: date | None
    nric: str | None
    fin: str | None
    malaysian_ic: str | None
    passport_number: str | None
    payment_method: str
    bank_account: dict[str, Any] | None


class PayslipListItem(ToolResult):
    """A payslip in a list."""

    id: int = Field(description="The payslip_id of other tools.")
    date: date
    finalised: bool
    special: bool
    dirty: bool = Field(description="Whether it is waiting for calculation.")
    nett_pay: Amount | None = None
    payment_run_id: int | None


class PayslipList(ToolResult):
    """Payslips in order of their dates, and how many there are."""

    payslips: list[PayslipListItem]
    total: int


class PayslipLineAmount(ToolResult):
    """A line of a payslip."""

    item: str | int
    caption: str
    section: str
    amount: Amount


class LeaveOnPayslip(ToolResult):
    """Days of one leave type in the period of a payslip."""

    accrual: float
    taken: float
    balance: float


class PayslipRecord(ToolResult):
    """A payslip with its lines."""

    id: int
    lines: list[PayslipLineAmount]
    leave: dict[str, LeaveOnPayslip]
    attention: list[str] = Field(description="Reasons why the payslip cannot be finalised yet.")
    remarks: list[str]


class ParameterValue(ToolResult):
    """A statutory value that a rule used."""

    name: str
    value: str
    since: date
    source: str


class LineExplanation(PayslipLineAmount):
    """Why a line of a payslip has its amount."""

    inputs: dict[str, Any]
    rule: str
    branch: str = ""
    source: str
    parameters: list[ParameterValue]
    arithmetic: list[str]


class LineExplanations(ToolResult):
    """The explanations of the lines that match."""

    lines: list[LineExplanation]


class PayRunSummary(ToolResult):
    """A pay run."""

    id: int = Field(description="The payment_run_id of other tools.")
    wave_id: int
    period_end_date: date
    payment_date: date
    state: str
    special: bool
    total: Amount = Field(description="Nett pay of the calculated payslips, in Singapore dollars.")


class PayRunList(ToolResult):
    """Pay runs, newest first, and how many there are."""

    payment_runs: list[PayRunSummary]
    total: int


class PayslipStateCounts(ToolResult):
    """The payslips of a pay run by state."""

    payslips: int
    calculated: int
    dirty: int = Field(description="Waiting for calculation.")
    attention: int = Field(description="Cannot be finalised yet.")


class PayRunRecord(PayRunSummary):
    """A pay run with its progress."""

    finalised: bool
    released: bool
    progress: int = Field(description="Percentage of payslips that are calculated.")
    counts: PayslipStateCounts


class ReportSummary(ToolResult):
    """A report and its fields, as JSON Schema."""

    id: str
    description: str
    request: dict[str, Any]


class ReportCatalogue(ToolResult):
    """The reports, and the names and numbers that can be used in their fields."""

    reports: list[ReportSummary]
    account_names: list[str]
    custom_fields: list[str]
    waves: list[dict[str, Any]]


class ReportExcerpt(ToolResult):
    """The first rows of a report."""

    rows: list[dict[str, Cell]]
    total: int


class PayItemInput(ToolResult):
    """An input of a pay item."""

    name: str
    type: str
    required: bool
    description: str
    allowed_values: list[str] | None = None


class PayItemType(ToolResult):
    """A pay item that can be entered on a payslip."""

    calc_type: str
    name: str
    section: str
    inputs: list[PayItemInput]


class PayItemList(ToolResult):
    """The pay items of a company that can be entered on a payslip."""

    pay_items: list[PayItemType]


class LeaveDayRequest(ToolResult):
    """A day of a leave request. Without hours it is the whole day."""

    date: date
    hours: float | None
    type: str | None


class LeaveRequestRecord(ToolResult):
    """A leave request."""

    id: int = Field(description="The leave_request_id of other tools.")
    employee_id: int
    dates: list[LeaveDayRequest]
    reason: str | None
    status: str
    answer: str | None


class LeaveRequestList(ToolResult):
    """Leave requests, and how many there are."""

    leave_requests: list[LeaveRequestRecord]
    total: int


class DueItem(ToolResult):
    """Something that is due. What does not belong to its type is null."""

    type: str
    due_date: date
    overdue: bool
    amount: Amount | None
    month: str | None
    year: int | None = Field(description="The year of income of tax certificates.")
    wave_id: int | None
    period_end_date: date | None
    payment_run_id: int | None = Field(description="Null for a pay run that has not been opened.")
    payslips: int | None
    attention: int | None = Field(description="Payslips that cannot be finalised yet.")
    leave_request_id: int | None
    employee_id: int | None
    payslip_id: int | None


class DueList(ToolResult):
    """What is due, by due date."""

    deadlines: list[DueItem]


class LeaveDays(ToolResult):
    """The leave balances of an employee in days, by leave type."""

    balances: dict[str, float]


class WriteResult(ToolResult):
    """A write that waits for confirmation, or that was done."""

    done: bool = Field(description="False: nothing has changed yet.")
    effect: str = Field(description="What would happen, or what was done.")
    message: str
    id: int | None = Field(default=None, description="The record that was created or changed.")
    confirmation_token: str | None = Field(
        default=None,
        description="Pass it with the same arguments, after the user has agreed, within ten minutes. It works once.",
    )
