"""Wages: the totals of payslip lines that CPF, the self-help funds and the levies are assessed on."""

from dataclasses import dataclass

import numpy as np
from msgspec import Struct

from gaji.engine.attendance import Attendance
from gaji.engine.catalogue import SYSTEM_TYPES, Catalogue, CpfTreatment, PayslipSection
from gaji.engine.earnings.amounts import Amounts, multiplied_cents
from gaji.engine.earnings.basic_pay import BASIC, OVERTIME_LINES, BasicPay
from gaji.engine.earnings.dated_pay import DatedLines, dated_cents, limited_pay
from gaji.engine.earnings.other_earnings import full_amount_cents
from gaji.engine.earnings.unpaid_leave import AbsencePay
from gaji.engine.excess_leave import ExcessLeave
from gaji.engine.input_columns import InputColumns
from gaji.engine.payslip_input import PayPeriod
from gaji.engine.wage_months import CALENDAR_DAYS, MonthDays, OvertimeWages, divide_overtime, month_days
from gaji.engine.wage_reductions import WageReductions, divide_reductions
from gaji.law.columns import Cents, Dates, Flags, any_nonzero
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.quantities import share_cents

COMMISSION_FOR = SYSTEM_TYPES["commission"].inputs_by_name["commission_for"]
FOR_THE_MONTH = COMMISSION_FOR.choices.index("month")


class MonthWageTotals(Struct, frozen=True):
    """The wages of a payslip that belong to one calendar month."""

    ordinary_cents: Cents
    additional_cents: Cents
    remuneration_cents: Cents
    """For the skills development levy."""
    fund_cents: Cents

    def less(self, ordinary_cents: Cents, paid_cents: Cents) -> "MonthWageTotals":
        """Subtract amounts from the ordinary wages, and from what the levy and the funds are assessed on."""
        return MonthWageTotals(
            self.ordinary_cents - ordinary_cents,
            self.additional_cents,
            self.remuneration_cents - paid_cents,
            self.fund_cents - paid_cents,
        )


class PayslipWages(Struct, frozen=True):
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
    reductions: WageReductions
    month_shift: "MonthShift | None"
    """None if no line that is paid in parts is divided between two months."""
    top_up_cents: Cents
    """What the usual wages during national service are above those of the payslip."""

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
    basic_pay: BasicPay,
    period: PayPeriod,
    absence: AbsencePay,
    excess_leave: ExcessLeave | None,
    dated: DatedLines,
) -> PayslipWages:
    """The wages of a batch of payslips. `absence` is what reduces them."""
    days = month_days(period, attendance)
    reductions = divide_reductions(inputs, absence, excess_leave, spans_months=days is not None)
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
        ordinary_part, other = _divide_by_treatment(is_ordinary, amounts, zeros)
        ordinary += ordinary_part
        if line.treatment.cpf in (CpfTreatment.ADDITIONAL, CpfTreatment.BY_INPUT):
            additional += other
        if line.treatment.sdl:
            remuneration += amounts
            undivided_remuneration += other
        if line.treatment.funds:
            fund += amounts
            undivided_fund += other
    top_up = _top_up_cents(reductions, lines, ordinary, without_overtime=overtime is not None)
    total = MonthWageTotals(ordinary + top_up, additional, remuneration, fund).less(
        reductions.apportioned_cents(paid=False), reductions.apportioned_cents(paid=True)
    )
    divided = total
    if days is not None:
        divided = MonthWageTotals(
            total.ordinary_cents,
            additional,
            total.remuneration_cents - undivided_remuneration,
            total.fund_cents - undivided_fund,
        )
    shift = _month_shift(catalogue, attendance, period, days, dated)
    current, previous = _by_month(total, divided, days, overtime, shift)
    current = _less_dated(current, reductions, previous=False)
    previous = None if previous is None else _less_dated(previous, reductions, previous=True)
    full_month = _full_month_cents(catalogue, inputs, lines, basic_pay, period.periods_per_year)
    return PayslipWages(current, previous, full_month, divided, days, overtime, reductions, shift, top_up)


@dataclass(frozen=True)
class MonthShift:
    """Wages that belong to the previous month because lines are paid in parts: what each part earned in that month,
    less the share of the line by days. Of the month after, the same is taken off."""

    previous_pay: DatedLines
    """The pay of the parts for the days of the previous month."""
    wages: MonthWageTotals


def _month_shift(
    catalogue: Catalogue, attendance: Attendance, period: PayPeriod, days: MonthDays | None, dated: DatedLines
) -> MonthShift | None:
    """Divide the ordinary lines that are paid in parts by their own days, if wages are divided by working days."""
    ordinary_lines = {
        name: pays for name, pays in dated.items() if catalogue.lines[name].treatment.cpf == CpfTreatment.ORDINARY
    }
    if days is None or period.apportionment == CALENDAR_DAYS or not ordinary_lines:
        return None
    before = attendance.within(period.start, (Month.from_date(period.end) - 1).last_day)
    ordinary, remuneration, fund = (np.zeros_like(days.total_millidays) for _ in range(3))
    previous_pay = {name: limited_pay(pays, before) for name, pays in ordinary_lines.items()}
    for name, pays in ordinary_lines.items():
        none, treatment = np.zeros_like(ordinary), catalogue.lines[name].treatment
        by_days = days.previous_share_cents(dated_cents(none, pays))
        shift = dated_cents(none, previous_pay[name]) - by_days
        ordinary += shift
        remuneration += shift if treatment.sdl else 0
        fund += shift if treatment.funds else 0
    return MonthShift(previous_pay, MonthWageTotals(ordinary, np.zeros_like(ordinary), remuneration, fund))


def _top_up_cents(
    reductions: WageReductions, lines: Amounts, ordinary_cents: Cents, *, without_overtime: bool
) -> Cents:
    """What the usual wages during national service are above the ordinary wages, overtime included."""
    paid = ordinary_cents
    for name in OVERTIME_LINES if without_overtime else ():
        paid = paid + lines.get(name, 0)
    usual = reductions.usual_wages_cents
    return np.where(usual > 0, np.maximum(usual - paid, 0), 0)


def _less_dated(wages: MonthWageTotals, reductions: WageReductions, *, previous: bool) -> MonthWageTotals:
    if not reductions.has_dated:
        return wages
    return wages.less(
        reductions.dated_cents(paid=False, previous=previous), reductions.dated_cents(paid=True, previous=previous)
    )


def _by_month(
    total: MonthWageTotals,
    divided: MonthWageTotals,
    days: MonthDays | None,
    overtime: OvertimeWages | None,
    shift: MonthShift | None,
) -> tuple[MonthWageTotals, MonthWageTotals | None]:
    """Divide the wages between the payslip's month and the one before."""
    if days is None and overtime is None:
        return total, None
    zeros = np.zeros_like(total.ordinary_cents)
    ordinary, remuneration, fund = (
        zeros if days is None else days.previous_share_cents(amounts)
        for amounts in (divided.ordinary_cents, divided.remuneration_cents, divided.fund_cents)
    )
    if shift is not None:
        ordinary = ordinary + shift.wages.ordinary_cents
        remuneration = remuneration + shift.wages.remuneration_cents
        fund = fund + shift.wages.fund_cents
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


def _divide_by_treatment(is_ordinary: Flags | bool, amounts: Cents, zeros: Cents) -> tuple[Cents, Cents]:
    """The part of the amounts of a line that are ordinary wages, and the rest."""
    if isinstance(is_ordinary, bool):  # The usual case: all payslips have the treatment of the item.
        return (amounts, zeros) if is_ordinary else (zeros, amounts)
    return np.where(is_ordinary, amounts, 0), np.where(is_ordinary, 0, amounts)


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
