"""Explanations of unpaid leave and national service leave."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import PayslipLine
from gaji.engine.earnings import (
    BASIC,
    NATIONAL_SERVICE,
    UNPAID_LEAVE,
    DatedPay,
    absence_dates,
    absent_millidays,
    prorated_lines,
)
from gaji.engine.earnings.dated_pay import DaysByDate
from gaji.engine.explanations.common import contract_explanation, with_multiplier
from gaji.engine.explanations.dated_pay import dated_pay, exact_sum, explain_dated_pay
from gaji.law import national_service, notation
from gaji.law.explanation import Explanation, long_date, money, step
from gaji.law.holidays import Holiday
from gaji.law.pay import rates
from gaji.law.pay.incomplete_month import ACT
from gaji.law.quantities import MILLI, format_millis, share_cents
from gaji.law.reasons import AbsenceAmount, Difference, LimitedAmount, Unit

RULE = (
    "For each line, the difference between its amount and its amount for an incomplete period without the unpaid days."
)
DAY_RULE = "Days at their rate, at most the basic salary of the payslip."
SERVICE_RULE = (
    "The employer is not on the DIRECT scheme, and pays national service like an incomplete period. CPF is on the "
    "usual wages."
)
HOLIDAY_RULE = "A public holiday within unpaid leave is not paid: it counts as one of the unpaid days."


def explain_absence(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain the difference to the pay of an incomplete period, or days at the daily rate."""
    is_monthly = bool(trace.basic_pay.monthly_rated[0])
    explanation = _explain_incomplete_period(trace, line) if is_monthly else _explain_days_at_rate(trace, line)
    holidays = _unpaid_holidays(trace) if line.name == UNPAID_LEAVE else ()
    return _with_holidays(explanation, holidays) if holidays else explanation


def _unpaid_holidays(trace: CalculationTrace) -> Sequence[Holiday]:
    """The public holidays among the unpaid days. None if the days were entered without dates."""
    unpaid = absent_millidays(trace.inputs, UNPAID_LEAVE)
    dates = absence_dates(trace.inputs, (UNPAID_LEAVE,), unpaid).get(0, {})
    return [holiday for holiday in trace.law.holidays.days if dates.get(holiday.day, 0) >= MILLI]


def _with_holidays(explanation: Explanation, holidays: Sequence[Holiday]) -> Explanation:
    names = ", ".join(f"{holiday.name} on {long_date(holiday.day)}" for holiday in holidays)
    return replace(
        explanation,
        inputs=explanation.inputs | {"public holidays within unpaid leave": names},
        rule=f"{explanation.rule} {HOLIDAY_RULE}",
        unpaid_holidays=tuple(holidays),
    )


def _absent_days(trace: CalculationTrace, line: PayslipLine) -> tuple[int, int]:
    """The days of absence of a line together with those deducted before it, and the amount deducted before it."""
    unpaid = int(absent_millidays(trace.inputs, UNPAID_LEAVE)[0])
    if line.name == UNPAID_LEAVE:
        return unpaid, 0
    return unpaid + int(absent_millidays(trace.inputs, NATIONAL_SERVICE)[0]), int(trace.absence.unpaid_cents[0])


def _absence_dates(trace: CalculationTrace, line: PayslipLine, absent_millidays: int) -> DaysByDate | None:
    names = (UNPAID_LEAVE,) if line.name == UNPAID_LEAVE else (UNPAID_LEAVE, NATIONAL_SERVICE)
    return absence_dates(trace.inputs, names, np.array([absent_millidays])).get(0)


def _explain_incomplete_period(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    served, working = int(trace.attendance.served_millidays[0]), int(trace.attendance.working_millidays[0])
    absent, earlier = _absent_days(trace, line)
    dates = _absence_dates(trace, line, absent)
    absent, deducted = min(absent, served), int(trace.lines[line.name][0])
    paid_days = format_millis(served - absent)
    steps = [notation.line(f"{format_millis(served)} − {format_millis(absent)}", paid_days)]
    differences, period_amounts = [], []
    inputs: dict[str, str] = {}
    for name, amounts, prorated in prorated_lines(trace.catalogue, trace.inputs, trace.basic_pay):
        if (pay := dated_pay(trace, name)) is not None:
            remaining = pay.without_days(absent, dates)
            steps += _explain_dated_remaining(trace, name, pay, absent, dates)
            differences.append(f"{money(pay.cents)} − {money(remaining.cents)}")
        elif bool(prorated[0]) and bool(trace.inputs.has_line(name)[0]):
            line_remaining = _explain_remaining(trace, name, int(amounts[0]), served - absent)
            steps += line_remaining.arithmetic
            differences.append(f"{money(int(trace.lines[name][0]))} − {money(line_remaining.amount_cents)}")
            inputs[f"{trace.catalogue.lines[name].caption} per period"] = money(int(amounts[0]))
            period_amounts.append(int(amounts[0]))
    return Explanation(
        figure=line.name,
        amount_cents=deducted,
        inputs=inputs
        | {
            "days in service": format_millis(served),
            "of these, unpaid": format_millis(absent),
            "working days of the period": format_millis(working),
        }
        | ({"unpaid leave": money(earlier)} if earlier else {}),
        rule=SERVICE_RULE if line.name == NATIONAL_SERVICE else RULE,
        source=f"{ACT}; {national_service.CPF_SOURCE}" if line.name == NATIONAL_SERVICE else ACT,
        branch="in service for the whole period"
        if bool(trace.attendance.complete[0])
        else "in service for part of the period",
        parameters=(),
        arithmetic=(*steps, step(" + ".join(differences) + _less(earlier), deducted)),
        reason=AbsenceAmount(
            Fraction(absent, MILLI),
            Fraction(working, MILLI),
            _period_cents(period_amounts, absent, working, deducted + earlier),
            earlier,
        ),
    )


def _period_cents(amounts_cents: list[int], absent: int, working: int, deducted_cents: int) -> int | None:
    """The pay of the period of which the days are a share, up to a cent for each line.

    None if they are not, such as those of lines that are paid in parts.
    """
    total = sum(amounts_cents)
    is_share = working and abs(Fraction(total * absent, working) - deducted_cents) <= len(amounts_cents)
    return total if is_share else None


def _less(earlier_cents: int) -> str:
    return f" − {money(earlier_cents)}" if earlier_cents else ""


def _explain_remaining(trace: CalculationTrace, name: str, amount_cents: int, paid_millidays: int) -> Explanation:
    """Explain the amount of a line without the unpaid days."""
    working = trace.attendance.working_millidays[:1]
    remaining = int(share_cents(working * 0 + amount_cents, working * 0 + paid_millidays, working)[0])
    days = f"{format_millis(paid_millidays)} ÷ {format_millis(int(working[0]))}"
    arithmetic = (step(f"round_cents({money(amount_cents)} × {days})", remaining),)
    return with_multiplier(trace, name, contract_explanation(name, remaining, {}, "", arithmetic))


def _explain_dated_remaining(
    trace: CalculationTrace, name: str, pay: DatedPay, unpaid_millidays: int, dates: DaysByDate | None
) -> list[str]:
    """The amount of a line that is paid in parts, without the unpaid days: each is taken from the part that it is in.

    Days that were entered without dates are taken from all parts alike.
    """
    remaining = pay.without_days(unpaid_millidays, dates)
    if dates is not None:
        return list(explain_dated_pay(trace, name, remaining).arithmetic)
    paid, served = pay.millidays - unpaid_millidays, pay.millidays
    if not served:
        return []
    share = f"({exact_sum(pay)}) × {format_millis(paid)} ÷ {format_millis(served)}"
    return [
        *explain_dated_pay(trace, name, pay).arithmetic[:-1],
        step(f"round_cents({share})", remaining.cents),
    ]


def _explain_days_at_rate(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    absent, earlier = _absent_days(trace, line)
    deducted, terms = int(trace.lines[line.name][0]), trace.basic_pay.terms
    at_rate = int(rates.daily_rates(terms).cents(trace.attendance.served_millidays[:1] * 0 + absent)[0])
    basic_salary, days = int(trace.lines[BASIC][0]), format_millis(absent)
    reason = rates.units_reason(rates.daily_rates(terms), Unit.DAY, absent)
    if basic_salary < at_rate:
        reason = LimitedAmount(basic_salary, at_rate)
    if earlier:
        reason = Difference(Fraction(min(at_rate, basic_salary)), Fraction(earlier))
    return contract_explanation(
        line.name,
        deducted,
        rates.term_inputs(terms) | {"days": days} | ({"unpaid leave": money(earlier)} if earlier else {}),
        SERVICE_RULE if line.name == NATIONAL_SERVICE else DAY_RULE,
        (
            rates.rate_line(rates.daily_expression(terms), days, at_rate),
            step(f"min({money(at_rate)}, {money(basic_salary)}){_less(earlier)}", deducted),
        ),
        reason=reason,
    )


EXPLAINERS = {UNPAID_LEAVE: explain_absence, NATIONAL_SERVICE: explain_absence}
