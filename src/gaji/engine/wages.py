"""Wages: what the lines of a payslip come to for CPF, the funds and the levy."""

from dataclasses import dataclass

import numpy as np

from gaji.engine.payslip_input import PayPeriod
from gaji.engine.catalogue import SYSTEM, Catalogue, Cpf, Section
from gaji.engine.earnings.amounts import Amounts, multiplied
from gaji.engine.earnings.basic_pay import BASIC, Pay
from gaji.engine.earnings.other_earnings import steady_cents
from gaji.engine.input_columns import Inputs
from gaji.engine.attendance import Presence
from gaji.law.columns import Cents, Dates, Flags
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import share_cents

COMMISSION_FOR = SYSTEM["commission"].input_names["commission_for"]
FOR_THE_MONTH = COMMISSION_FOR.choices.index("month")


@dataclass(frozen=True)
class SlipWages:
    """The wages of the payslip alone."""

    ordinary_cents: Cents
    additional_cents: Cents
    remuneration_cents: Cents
    """For the skills development levy."""
    fund_cents: Cents
    full_month_cents: Cents
    """What a full month of the recurring ordinary items brings."""


def slip_wages(
    catalogue: Catalogue, inputs: Inputs, lines: Amounts, unpaid_leave: Cents, agreed: Pay, pays_a_year: int
) -> SlipWages:
    """The wages of a batch of payslips."""
    none = np.zeros(inputs.people, dtype=np.int64)
    ordinary, additional, remuneration, fund = none.copy(), none.copy(), none.copy(), none.copy()
    for name, amounts in lines.items():
        line = catalogue.lines[name]
        if line.section != Section.INCOME:
            continue
        is_ordinary = _is_ordinary(line.treatment.cpf, inputs)
        ordinary += np.where(is_ordinary, amounts, 0)
        if line.treatment.cpf in (Cpf.ADDITIONAL, Cpf.BY_INPUT):
            additional += np.where(is_ordinary, 0, amounts)
        remuneration += amounts if line.treatment.sdl else 0
        fund += amounts if line.treatment.funds else 0
    return SlipWages(
        ordinary_cents=ordinary - unpaid_leave,
        additional_cents=additional,
        remuneration_cents=remuneration - unpaid_leave,
        fund_cents=fund - unpaid_leave,
        full_month_cents=_full_month(catalogue, inputs, lines, agreed, pays_a_year),
    )


def ordinary_from(presence: Presence, ordinary_cents: Cents, starts: Dates, pay_date: np.datetime64) -> Cents:
    """The part of the ordinary wages that is for the days from a day of each person on.

    In proportion to the working days in service. Without any, the wages are for the day on which they are paid.
    """
    served, later = presence.served_millidays, presence.served_from(starts)
    part = share_cents(np.maximum(ordinary_cents, 0), later, np.where(served == 0, 1, served))
    return np.where(served == 0, np.where(pay_date >= starts, ordinary_cents, 0), part)


def pay_day(period: PayPeriod) -> np.datetime64:
    """The day on which additional wages are payable."""
    return np.datetime64(period.pay_date, "D")


def _is_ordinary(cpf: Cpf, inputs: Inputs) -> Flags | bool:
    if cpf == Cpf.BY_INPUT:
        for_the_month: Flags = inputs.choice("commission", COMMISSION_FOR) == FOR_THE_MONTH
        return for_the_month
    return cpf == Cpf.ORDINARY


def _full_month(catalogue: Catalogue, inputs: Inputs, lines: Amounts, agreed: Pay, pays_a_year: int) -> Cents:
    """The recurring ordinary items of a month, in full: of the daily- and hourly-rated without the basic salary.

    On a once-off payslip too, where they have no lines.
    """
    basic = multiplied(inputs, BASIC, agreed.terms.amounts_cents)
    period = np.where(agreed.monthly_rated & inputs.recurs(BASIC), basic, 0)
    for name in inputs.names:
        one = catalogue.types[name]
        if name == BASIC or one.section != Section.INCOME or one.treatment.cpf not in (Cpf.ORDINARY, Cpf.BY_INPUT):
            continue
        steady = steady_cents(inputs, one)
        full = lines.get(name, 0) if steady is None else multiplied(inputs, name, steady)
        counts = inputs.recurs(name) & _is_ordinary(one.treatment.cpf, inputs)
        period += np.where(counts, full, 0)
    if pays_a_year == MONTHS_PER_YEAR:
        return period
    return share_cents(period, np.full_like(period, pays_a_year), np.full_like(period, MONTHS_PER_YEAR))
