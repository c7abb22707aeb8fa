"""Wages: the totals of payslip lines that CPF, the self-help funds and the levies are assessed on."""

from dataclasses import dataclass

import numpy as np

from gaji.engine.attendance import Attendance
from gaji.engine.catalogue import SYSTEM_TYPES, Catalogue, CpfTreatment, PayslipSection
from gaji.engine.earnings.amounts import Amounts, multiplied_cents
from gaji.engine.earnings.basic_pay import BASIC, OVERTIME_LINES, BasicPay
from gaji.engine.earnings.other_earnings import full_amount_cents
from gaji.engine.excess_leave import ExcessLeave
from gaji.engine.input_columns import InputColumns
from gaji.engine.payslip_input import PayPeriod
from gaji.engine.wage_months import MonthDays, OvertimeWages, divide_overtime, month_days
from gaji.law.columns import Cents, Dates, Flags, any_nonzero
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import share_cents

COMMISSION_FOR = SYSTEM_TYPES["commission"].inputs_by_name["commission_for"]
FOR_THE_MONTH = COMMISSION_FOR.choices.index("month")


@dataclass(frozen=True)
class MonthWageTotals:
    """The wages of a payslip that belong to one calendar month."""

    ordinary_cents: Cents
    additional_cents: Cents
    remuneration_cents: Cents
    """For the skills development levy."""
    fund_cents: Cents

    def less(self, amounts_cents: Cents) -> "MonthWageTotals":
        """Subtract amounts from the ordinary wages, and from what the levy and the funds are assessed on."""
        return MonthWageTotals(
            self.ordinary_cents - amounts_cents,
            self.additional_cents,
            self.remuneration_cents - amounts_cents,
            self.fund_cents - amounts_cents,
        )


@dataclass(frozen=True)
class PayslipWages:
    """The wages of each payslip, without the month's earlier payslips."""

    current: MonthWageTotals
    """Of the month in which the period ends."""
    previous: MonthWageTotals | None
    """Of the month before. None if no payslip of the batch has any."""
    full_month_cents: Cents
    """The recurring ordinary items of a full month."""
    divided: MonthWageTotals
    """The wages that are divided by days, of both months together; without overtime if `overtime` is set."""
    days: MonthDays | None
    overtime: OvertimeWages | None
    excess_leave: ExcessLeave | None

    @property
    def has_previous(self) -> Flags:
        """Whether the payslip has wages of the month before: its period spans two months, or overtime belongs to it."""
        if self.days is None and self.overtime is not None:
            has_overtime: Flags = self.overtime.previous_cents != 0
            return has_overtime
        return np.full(len(self.full_month_cents), self.days is not None)


def payslip_wages(
    catalogue: Catalogue,
    inputs: InputColumns,
    attendance: Attendance,
    lines: Amounts,
    unpaid_leave_cents: Cents,
    basic_pay: BasicPay,
    period: PayPeriod,
    excess_leave: ExcessLeave | None,
) -> PayslipWages:
    """The wages of a batch of payslips."""
    days = month_days(period, attendance)
    overtime = divide_overtime(period, inputs, lines, days)
    zeros = np.zeros(inputs.person_count, dtype=np.int64)
    ordinary, additional, remuneration, fund = zeros.copy(), zeros.copy(), zeros.copy(), zeros.copy()
    # Remuneration and fund wages that are not ordinary wages belong to the payslip's month.
    undivided_remuneration, undivided_fund = zeros.copy(), zeros.copy()
    for name, amounts in lines.items():
        line = catalogue.lines[name]
        if line.section != PayslipSection.INCOME or (overtime and name in OVERTIME_LINES):
            continue
        is_ordinary = _is_ordinary(line.treatment.cpf, inputs)
        ordinary += np.where(is_ordinary, amounts, 0)
        if line.treatment.cpf in (CpfTreatment.ADDITIONAL, CpfTreatment.BY_INPUT):
            additional += np.where(is_ordinary, 0, amounts)
        remuneration += amounts if line.treatment.sdl else 0
        fund += amounts if line.treatment.funds else 0
        if days is not None:
            other = np.where(is_ordinary, 0, amounts)
            undivided_remuneration += other if line.treatment.sdl else 0
            undivided_fund += other if line.treatment.funds else 0
    total = MonthWageTotals(ordinary, additional, remuneration, fund).less(unpaid_leave_cents)
    divided = total
    if days is not None:
        divided = MonthWageTotals(
            total.ordinary_cents,
            additional,
            total.remuneration_cents - undivided_remuneration,
            total.fund_cents - undivided_fund,
        )
    current, previous = _by_month(total, divided, days, overtime)
    if excess_leave is not None:
        current = current.less(excess_leave.current_cents)
        previous = None if previous is None else previous.less(excess_leave.previous_cents)
    full_month = _full_month_cents(catalogue, inputs, lines, basic_pay, period.periods_per_year)
    return PayslipWages(current, previous, full_month, divided, days, overtime, excess_leave)


def _by_month(
    total: MonthWageTotals, divided: MonthWageTotals, days: MonthDays | None, overtime: OvertimeWages | None
) -> tuple[MonthWageTotals, MonthWageTotals | None]:
    """Divide the wages between the payslip's month and the one before."""
    if days is None and overtime is None:
        return total, None
    zeros = np.zeros_like(total.ordinary_cents)
    ordinary, remuneration, fund = (
        zeros if days is None else days.previous_share_cents(amounts)
        for amounts in (divided.ordinary_cents, divided.remuneration_cents, divided.fund_cents)
    )
    current = MonthWageTotals(
        total.ordinary_cents - ordinary,
        total.additional_cents,
        total.remuneration_cents - remuneration,
        total.fund_cents - fund,
    )
    previous = MonthWageTotals(ordinary, zeros, remuneration, fund)
    if overtime is not None:
        in_current = overtime.current_cents + overtime.additional_cents
        current = MonthWageTotals(
            current.ordinary_cents + overtime.current_cents,
            current.additional_cents + overtime.additional_cents,
            current.remuneration_cents + in_current,
            current.fund_cents + in_current,
        )
        of_previous = overtime.previous_cents
        previous = MonthWageTotals(ordinary + of_previous, zeros, remuneration + of_previous, fund + of_previous)
    has_previous = days is not None or (overtime is not None and any_nonzero(overtime.previous_cents))
    return current, previous if has_previous else None


def ordinary_cents_from(attendance: Attendance, ordinary_cents: Cents, starts: Dates, paid_on: np.datetime64) -> Cents:
    """The part of the ordinary wages for the days since each employee's start date.

    The part is in proportion to the working days in service. Without any, the wages count for the pay date.
    """
    served, later = attendance.served_millidays, attendance.served_millidays_from(starts)
    part = share_cents(np.maximum(ordinary_cents, 0), later, np.where(served == 0, 1, served))
    return np.where(served == 0, np.where(paid_on >= starts, ordinary_cents, 0), part)


def pay_date(period: PayPeriod) -> np.datetime64:
    """The date on which additional wages are payable."""
    return np.datetime64(period.pay_date, "D")


def _is_ordinary(treatment: CpfTreatment, inputs: InputColumns) -> Flags | bool:
    if treatment == CpfTreatment.BY_INPUT:
        for_the_month: Flags = inputs.choice_codes("commission", COMMISSION_FOR) == FOR_THE_MONTH
        return for_the_month
    return treatment == CpfTreatment.ORDINARY


def _full_month_cents(
    catalogue: Catalogue, inputs: InputColumns, lines: Amounts, basic_pay: BasicPay, periods_per_year: int
) -> Cents:
    """The recurring ordinary items of a month, in full. For daily- and hourly-rated employees without the basic salary.

    Includes recurring items that have no line because the payslip is once-off.
    """
    basic = multiplied_cents(inputs, BASIC, basic_pay.terms.amounts_cents)
    period_cents = np.where(basic_pay.monthly_rated & inputs.is_recurring(BASIC), basic, 0)
    for name in inputs.names:
        item_type = catalogue.types[name]
        treatment = item_type.treatment.cpf
        if name == BASIC or item_type.section != PayslipSection.INCOME:
            continue
        if treatment not in (CpfTreatment.ORDINARY, CpfTreatment.BY_INPUT):
            continue
        full_amount = full_amount_cents(inputs, item_type)
        amounts = lines.get(name, 0) if full_amount is None else multiplied_cents(inputs, name, full_amount)
        counts = inputs.is_recurring(name) & _is_ordinary(treatment, inputs)
        period_cents += np.where(counts, amounts, 0)
    if periods_per_year == MONTHS_PER_YEAR:
        return period_cents
    return share_cents(
        period_cents, np.full_like(period_cents, periods_per_year), np.full_like(period_cents, MONTHS_PER_YEAR)
    )
