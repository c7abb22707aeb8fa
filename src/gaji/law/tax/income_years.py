"""The year of income: to which calendar year IRAS counts a payment.

The principle is the year in which the employee becomes entitled to a payment, which is not always the year in which it
is paid. Each kind of payment has a rule that gives the first and the last day that the payment is for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from gaji.law.tax.parameters import EARNED, PERIOD, TaxParameters

SOURCE = "IRAS, salary, bonus, director's fee, commission and others, examples 1 to 7"
SALARY_SOURCE = "IRAS, common mistakes made in filing form IR21"
ARREARS_SOURCE = "IRAS, amend submitted records"
ENCASHMENT_SOURCE = "IRAS, other payments"

Inputs = Mapping[str, str | bool]


class YearRule(StrEnum):
    """How the year of income of an item is determined."""

    WORK = "work"
    PAYMENT = "payment"
    CONTRIBUTION = "contribution"
    ENTITLEMENT = "entitlement"
    BONUS = "bonus"
    FEE = "fee"
    COMMISSION = "commission"
    ARREARS = "arrears"


@dataclass(frozen=True, slots=True)
class IncomeDates:
    """The dates of a payslip."""

    period_start: date
    period_end: date
    pay_date: date
    last_service_date: date | None = None


@dataclass(frozen=True, slots=True)
class IncomeSpan:
    """The days that a payment is for, and the rule that says so."""

    first: date
    last: date
    rule: str
    source: str
    by_working_days: bool = False
    """Whether a span over New Year is divided by the working days of the schedule. Otherwise: by calendar days."""


def income_span(parameters: TaxParameters, rule: YearRule, dates: IncomeDates, inputs: Inputs) -> IncomeSpan:
    """Return the days that a payment is for. The years of these days are its years of income."""
    match rule:
        case YearRule.BONUS:
            return _bonus(dates, inputs)
        case YearRule.FEE:
            return _fee(dates, inputs)
        case YearRule.ENTITLEMENT:
            return _entitlement(dates, inputs)
        case YearRule.COMMISSION:
            return _commission(parameters, dates, inputs)
        case YearRule.ARREARS:
            return _arrears(parameters, dates, inputs)
        case YearRule.CONTRIBUTION:
            return _contribution(parameters, dates)
        case YearRule.PAYMENT:
            return _paid(dates, "It belongs to the year in which it is paid.")
    return _earned(dates, "Salary belongs to the year in which it was earned, whenever it is paid.")


def _bonus(dates: IncomeDates, inputs: Inputs) -> IncomeSpan:
    if inputs.get("contractual") is not True:
        return _paid(dates, "A bonus that is not contractual belongs to the year in which it is paid.", SOURCE)
    sentence = "A contractual bonus belongs to the year in which the employee is entitled to it"
    if declared := _date(inputs, "declaration_date"):
        return IncomeSpan(declared, declared, f"{sentence}: that of its declaration date.", SOURCE)
    end = dates.period_end
    return IncomeSpan(end, end, f"{sentence}: without a declaration date, the year of service.", SOURCE)


def _fee(dates: IncomeDates, inputs: Inputs) -> IncomeSpan:
    if inputs.get("approved_in_advance") is True:
        first = _date(inputs, "for_from") or dates.period_start
        last = max(_date(inputs, "for_to") or dates.period_end, first)
        sentence = "A fee approved in advance belongs to the years in which the services are rendered."
        return IncomeSpan(first, last, sentence, SOURCE)
    if approved := _date(inputs, "approval_date"):
        return IncomeSpan(approved, approved, "A fee approved in arrears belongs to the year of its approval.", SOURCE)
    return _paid(dates, "A fee without an approval date belongs to the year in which it is paid.", SOURCE)


def _entitlement(dates: IncomeDates, inputs: Inputs) -> IncomeSpan:
    sentence = "It belongs to the year in which the employee is entitled to it"
    if entitled := _date(inputs, "entitlement_date"):
        return IncomeSpan(entitled, entitled, f"{sentence}: that of its entitlement date.", ENCASHMENT_SOURCE)
    if dates.last_service_date is not None and dates.last_service_date <= dates.period_end:
        day = dates.last_service_date
        return IncomeSpan(day, day, f"{sentence}: that of the last day of service.", ENCASHMENT_SOURCE)
    end = dates.period_end
    return IncomeSpan(end, end, f"{sentence}: that of the end of the pay period.", ENCASHMENT_SOURCE)


def _commission(parameters: TaxParameters, dates: IncomeDates, inputs: Inputs) -> IncomeSpan:
    if inputs.get("commission_for") == "longer":
        return _paid(dates, "Commission for longer than a month belongs to the year in which it is paid.", SOURCE)
    if parameters.commission_year.nearest(dates.period_end).value == EARNED:
        return _earned(dates, "Commission of a month belongs to the year in which it was earned.", SOURCE)
    return _paid(dates, "Commission belongs to the year in which it is paid.", SOURCE)


def _arrears(parameters: TaxParameters, dates: IncomeDates, inputs: Inputs) -> IncomeSpan:
    if parameters.arrears_year.nearest(dates.period_end).value != PERIOD:
        return _paid(dates, "Back pay belongs to the year in which it is paid.", ARREARS_SOURCE)
    first = _date(inputs, "for_from")
    if first is None:
        return _earned(dates, "Back pay without the days that it is for belongs to the pay period.", ARREARS_SOURCE)
    last = max(_date(inputs, "for_to") or dates.period_end, first)
    return IncomeSpan(first, last, "Back pay belongs to the years that it is for.", ARREARS_SOURCE)


def _contribution(parameters: TaxParameters, dates: IncomeDates) -> IncomeSpan:
    in_force = parameters.contribution_year.nearest(dates.period_end)
    if in_force.value == PERIOD:
        end = dates.period_end
        return IncomeSpan(end, end, "Contributions belong to the year of the month that they are for.", in_force.source)
    return _paid(dates, "Contributions belong to the year in which they are deducted.", in_force.source)


def _earned(dates: IncomeDates, rule: str, source: str = SALARY_SOURCE) -> IncomeSpan:
    return IncomeSpan(dates.period_start, dates.period_end, rule, source, by_working_days=True)


def _paid(dates: IncomeDates, rule: str, source: str = SOURCE) -> IncomeSpan:
    return IncomeSpan(dates.pay_date, dates.pay_date, rule, source)


def _date(inputs: Inputs, name: str) -> date | None:
    value = inputs.get(name)
    return date.fromisoformat(value) if isinstance(value, str) else None
