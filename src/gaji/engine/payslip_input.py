"""Payslip input: everything that determines one payslip, in the JSON format stored with the payslip.

The stored input, the law of its rules version and the client's custom items reproduce the payslip to the cent. Stored
rows are never rewritten, so the JSON key of an attribute is fixed (`field(name=…)`) even if the attribute is renamed.
"""

from datetime import date
from decimal import Decimal

import msgspec
from msgspec import field

from gaji.engine.catalogue import StoredValue


class EmployeeDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """The employee attributes that pay and contributions depend on, named as in the API."""

    birthdate: date
    legal_status: str
    pr_date: date | None = None
    citizenship_date: date | None = None
    pr_cpf_rates: str = "GG"
    race: str = "OTHER"
    religion: str = "NONE"
    sdl_exempt: bool = False
    cpf_exempt: bool = False
    work_pass: str | None = None
    pass_from: date | None = None
    pass_to: date | None = None
    employment_act_group: str = "non_workman"
    tax_resident: bool = True
    days_in_singapore: dict[str, int] = {}
    """By calendar year."""


class ServiceInterval(msgspec.Struct, frozen=True, omit_defaults=True):
    """Consecutive days in service and paid by this wave, both ends included. Open-ended without an end."""

    start: date
    end: date | None = None


class EntryPart(msgspec.Struct, frozen=True, omit_defaults=True):
    """The values of a calculation in a part of the period: from a day until the next part, or the end of the period."""

    start: date
    inputs: dict[str, StoredValue] | None = None
    """None if the calculation does not exist in this part."""
    skip: bool = False
    multiplier: str | None = None


class CalculationEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A calculation of the payslip. Each input comes from the closest level that has it."""

    inputs: dict[str, StoredValue]
    recurring: bool = True
    """Whether it is on every payslip. False if it was entered for this payslip only."""
    skip: bool = False
    """Leave its line out of this payslip. Its inputs still determine the rates."""
    multiplier: str | None = None
    parts: list[EntryPart] = []
    """All parts of the period, in order, if the values change within the days in service. The entry itself has the
    values of the last part; if the calculation does not exist then, it has no inputs and is skipped."""


class MonthToDate(msgspec.Struct, frozen=True, omit_defaults=True):
    """Totals of the earlier payslips of the same calendar month, in cents. Named as the columns of `payslips`."""

    ordinary: int = 0
    """Ordinary wages that count for CPF: those from the start of permanent residence on."""
    ordinary_before: int = 0
    """The part of `ordinary` for the days before citizenship."""
    additional: int = 0
    additional_before: int = 0
    ordinary_subject: int = 0
    additional_subject: int = 0
    cpf_employee: int = 0
    cpf_employer: int = 0
    remuneration: int = 0
    """Remuneration for the skills development levy."""
    sdl: int = 0
    fund_wages: int = 0
    cdac: int = 0
    ecf: int = 0
    mbmf: int = 0
    sinda: int = 0
    levy: int = 0


class AdditionalWages(msgspec.Struct, frozen=True, omit_defaults=True):
    """The additional wages of an earlier month of the year, in cents."""

    paid: int = 0
    """Those that count for CPF, within the ceiling or not."""
    subject: int = 0
    """Those that payslips of the month charged CPF on, including wages of earlier months."""


class YearToDate(msgspec.Struct, frozen=True, omit_defaults=True):
    """Totals of the earlier months of the same year, in cents, including take-on balances."""

    ordinary_subject: int = 0
    additional: int = 0
    additional_subject: int = 0


class PayPeriod(msgspec.Struct, frozen=True, omit_defaults=True):
    """The period of a payslip. All payslips of a batch have the same one."""

    start: date
    end: date
    pay_date: date
    periods_per_year: int = field(default=12, name="pays_a_year")
    """The number of periods of the wave in a year: 12, 24, 26 or 52."""
    last_of_month: bool = True
    """Whether this is the last regular period of the wave that ends in its calendar month. False for once-off
    payslips."""
    apportionment: str | None = None
    """How wages are divided if the period spans two calendar months: `working_days` or `calendar_days`. None if it does
    not, and on payslips from before wages were divided: all wages belong to the month in which the period ends."""


class PreviousMonth(msgspec.Struct, frozen=True, omit_defaults=True):
    """The totals that the part of a payslip for the month before that of the period's end builds on."""

    month_to_date: MonthToDate = field(default=MonthToDate(), name="earlier")
    year_to_date: YearToDate = field(default=YearToDate(), name="year")
    last_month_ordinary_cents: int = field(default=0, name="last_month")


class LeaveTypeSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """The movements of one leave type in the period, in days."""

    accrual: str = "0"
    taken: str = "0"
    balance: str = "0"
    paid: str = "0"
    """The part of `taken` that is paid."""


class LeaveEffects(msgspec.Struct, frozen=True, omit_defaults=True):
    """The effects of leave on a payslip, in days."""

    unpaid_days: str = "0"
    unpaid_previous_days: str | None = None
    """The part of them in the month before that of the period's end. None if the period has only one month."""
    national_service_days: str = "0"
    national_service_previous_days: str | None = None
    encash_days: str = "0"
    excess_days: dict[str, str] = {}
    """Annual leave taken beyond the entitlement when the service ended, by the month in which it was taken."""
    types: dict[str, LeaveTypeSummary] = {}
    """By the name of the leave type."""
    unpaid_dates: dict[str, str] = {}
    """The unpaid days by date, with the public holidays among them. Empty on payslips from before version 0.2.0."""
    national_service_dates: dict[str, str] = {}
    holidays_off: dict[str, str] = {}
    """The names of public holidays on days off that the policy pays, by date."""

    @property
    def total_excess_days(self) -> str:
        """The excess days of all months together."""
        return str(sum((Decimal(days) for days in self.excess_days.values()), Decimal(0)))


DECIDED_LATER = "decided_later"
MISSED = "missed"


class ItemDifference(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a finalised payslip paid of one item or figure, and what it should have paid, in cents."""

    paid: int
    """What the payslip paid, with what later payslips have corrected."""
    due: int
    accepted: int
    """What the payslip pays or books now: the effect of the difference on pay, unless another amount was agreed."""
    claimed: int = 0
    """For contributions, what earlier corrections found to be too much."""

    @property
    def claim_cents(self) -> int:
        """For contributions, what is to be claimed back now. Negative if less is to be claimed back than before."""
        return max(self.paid + self.accepted - self.due, 0) - self.claimed


class PastDifference(msgspec.Struct, frozen=True, omit_defaults=True):
    """The difference between what a finalised payslip paid and what it should have paid."""

    payslip_id: int
    start: date = field(name="for_from")
    """The first day of the finalised period. The JSON key is the one that sets years of income."""
    end: date = field(name="for_to")
    items: dict[str, ItemDifference]
    """By line. Absences count with the opposite sign."""
    treatment: str = DECIDED_LATER
    """`decided_later`: an additional wage of the payslip that pays it. `missed`: wages of the months they are for."""
    months: dict[str, dict[str, ItemDifference]] = {}
    """For `missed`, the wages and contributions of each month (`2026-01`), under the names of `MonthToDate`."""
    recovers_share: bool = False
    """Whether the employee agreed to pay their share of CPF beyond the arrears."""
    worked: dict[str, str] = {}
    """For `missed`, the hours and days that were worked, by input of the basic salary, if pay for them differs. Empty
    on payslips from before they were printed."""

    @property
    def total_cents(self) -> int:
        """The amount that is paid now. Negative if wages were overpaid."""
        return sum(item.accepted for item in self.items.values())


class CorrectedPayslip(msgspec.Struct, frozen=True):
    """The finalised payslip that a payslip of a correction run corrects, and its period."""

    payslip_id: int
    start: date
    end: date


class PayslipInput(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that determines one payslip."""

    period: PayPeriod
    employee: EmployeeDetails = field(name="person")
    service: list[ServiceInterval]
    """The intervals that overlap the period."""
    calculations: dict[str, CalculationEntry]
    last_service_date: date | None = field(default=None, name="leaving")
    """The recorded last day of service."""
    month_to_date: MonthToDate = field(default=MonthToDate(), name="earlier")
    year_to_date: YearToDate = field(default=YearToDate(), name="year")
    last_month_ordinary_cents: int = field(default=0, name="last_month")
    """The ordinary wages of the last complete month: an estimate of what varying pay brings in a month."""
    previous_month: PreviousMonth | None = None
    """Present if wages of the payslip may belong to the month before that of the period's end."""
    additional_by_month: dict[str, AdditionalWages] = {}
    """The additional wages of earlier months, by month (`2026-01`). Present if a shortfall may have to be charged, or
    too much may have been contributed. Without it, a shortfall has the rates of the payslip's month."""
    corrected_months: dict[str, MonthToDate] = {}
    """The totals of earlier months whose wages excess leave reduces, by month (`2026-05`)."""
    instalments_cents: dict[str, int] = field(default_factory=dict, name="moved")
    """The amount that earlier payslips deducted since the start date, by tracked item."""
    carried_forward_cents: dict[str, int] = field(default_factory=dict, name="carried")
    """The amount that the previous payslip could not deduct, by deduction."""
    leave: LeaveEffects = LeaveEffects()
    """The effects of leave. Its unpaid and encashed days are already among the calculations."""
    past_differences: list[PastDifference] = field(default_factory=list, name="arrears")
    """The arrears of finalised periods that this payslip pays, in order of time."""
    corrects: CorrectedPayslip | None = None
    """For a payslip of a correction run. It has the differences only, and nothing of its own period."""
    prorates_gross_rate: bool = False
    """Whether items of the gross rate of pay are prorated unless entered otherwise. False before version 0.2.0."""
    ns_direct_scheme: bool = True
    """Whether the employer pays the full salary during national service and is reimbursed."""
    last_of_month: bool | None = None
    """Whether this is the employee's last regular payslip that ends in its calendar month, if it is not as in the
    period: the employee leaves or changes waves within the month. None on payslips from before version 0.2.0."""

    takes_previous_levy: bool = False
    """Whether the payslip also takes the foreign worker levy of the month before that of the period's end: the service
    begins in it, in this period. False on payslips from before version 0.2.0."""

    @property
    def takes_levy(self) -> bool:
        """Whether the payslip takes the foreign worker levy of its month."""
        return self.period.last_of_month if self.last_of_month is None else self.last_of_month


def decode_payslip_input(text: bytes | str) -> PayslipInput:
    """Decode a stored payslip input."""
    return _decoder.decode(text)


def encode_payslip_input(payslip: PayslipInput) -> bytes:
    """Encode a payslip input for storage."""
    return msgspec.json.encode(payslip)


_decoder = msgspec.json.Decoder(PayslipInput)
