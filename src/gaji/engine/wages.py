"""Wages: what the lines of a payslip come to for CPF, the funds and the levy."""

from dataclasses import dataclass

import numpy as np

from gaji.engine.payslip_input import PayPeriod
from gaji.engine.catalogue import SYSTEM_TYPES, Catalogue, CpfTreatment, PayslipSection
from gaji.engine.earnings.amounts import Amounts, multiplied_cents
from gaji.engine.earnings.basic_pay import BASIC, BasicPay
from gaji.engine.earnings.other_earnings import full_amount_cents
from gaji.engine.input_columns import InputColumns
from gaji.engine.attendance import Attendance
from gaji.law.columns import Cents, Dates, Flags
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import share_cents

COMMISSION_FOR = SYSTEM_TYPES["commission"].inputs_by_name["commission_for"]
FOR_THE_MONTH = COMMISSION_FOR.choices.index("month")


@dataclass(frozen=True)
class PayslipWages:
    """The wages of the payslip alone."""

    ordinary_cents: Cents
    additional_cents: Cents
    remuneration_cents: Cents
    """For the skills development levy."""
    fund_cents: Cents
    full_month_cents: Cents
    """What a full month of the recurring ordinary items brings."""


def payslip_wages(
    catalogue: Catalogue, inputs: InputColumns, lines: Amounts, unpaid_leave: Cents, agreed: BasicPay, pays_a_year: int
) -> PayslipWages:
    """The wages of a batch of payslips."""
    none = np.zeros(inputs.person_count, dtype=np.int64)
    ordinary, additional, remuneration, fund = none.copy(), none.copy(), none.copy(), none.copy()
    for name, amounts in lines.items():
        line = catalogue.lines[name]
        if line.section != PayslipSection.INCOME:
            continue
        is_ordinary = _is_ordinary(line.treatment.cpf, inputs)
        ordinary += np.where(is_ordinary, amounts, 0)
        if line.treatment.cpf in (CpfTreatment.ADDITIONAL, CpfTreatment.BY_INPUT):
            additional += np.where(is_ordinary, 0, amounts)
        remuneration += amounts if line.treatment.sdl else 0
        fund += amounts if line.treatment.funds else 0
    return PayslipWages(
        ordinary_cents=ordinary - unpaid_leave,
        additional_cents=additional,
        remuneration_cents=remuneration - unpaid_leave,
        fund_cents=fund - unpaid_leave,
        full_month_cents=_full_month(catalogue, inputs, lines, agreed, pays_a_year),
    )


def ordinary_cents_from(presence: Attendance, ordinary_cents: Cents, starts: Dates, pay_date: np.datetime64) -> Cents:
    """The part of the ordinary wages that is for the days from a day of each person on.

    In proportion to the working days in service. Without any, the wages are for the day on which they are paid.
    """
    served, later = presence.served_millidays, presence.served_millidays_from(starts)
    part = share_cents(np.maximum(ordinary_cents, 0), later, np.where(served == 0, 1, served))
    return np.where(served == 0, np.where(pay_date >= starts, ordinary_cents, 0), part)


def pay_date(period: PayPeriod) -> np.datetime64:
    """The day on which additional wages are payable."""
    return np.datetime64(period.pay_date, "D")


def _is_ordinary(cpf: CpfTreatment, inputs: InputColumns) -> Flags | bool:
    if cpf == CpfTreatment.BY_INPUT:
        for_the_month: Flags = inputs.choice_codes("commission", COMMISSION_FOR) == FOR_THE_MONTH
        return for_the_month
    return cpf == CpfTreatment.ORDINARY


def _full_month(catalogue: Catalogue, inputs: InputColumns, lines: Amounts, agreed: BasicPay, pays_a_year: int) -> Cents:
    """The recurring ordinary items of a month, in full: of the daily- and hourly-rated without the basic salary.

    On a once-off payslip too, where they have no lines.
    """
    basic = multiplied_cents(inputs, BASIC, agreed.terms.amounts_cents)
    period = np.where(agreed.monthly_rated & inputs.is_recurring(BASIC), basic, 0)
    for name in inputs.names:
        one = catalogue.types[name]
        if name == BASIC or one.section != PayslipSection.INCOME or one.treatment.cpf not in (CpfTreatment.ORDINARY, CpfTreatment.BY_INPUT):
            continue
        steady = full_amount_cents(inputs, one)
        full = lines.get(name, 0) if steady is None else multiplied_cents(inputs, name, steady)
        counts = inputs.is_recurring(name) & _is_ordinary(one.treatment.cpf, inputs)
        period += np.where(counts, full, 0)
    if pays_a_year == MONTHS_PER_YEAR:
        return period
    return share_cents(period, np.full_like(period, pays_a_year), np.full_like(period, MONTHS_PER_YEAR))
