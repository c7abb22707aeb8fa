"""Enabling and Uplifting Employment Credit: a capped percentage of the wage of employees who are marked for them."""

from dataclasses import replace
from datetime import date
from fractions import Fraction

from gaji.law.columns import RATE_SCALE
from gaji.law.explanation import UsedParameter, dollars, money, percent, rate, step, used_parameter
from gaji.law.months import Month
from gaji.law.notation import below, choose, from_, line, otherwise
from gaji.law.parameters import DatedValue, History
from gaji.law.rounding import round_half_up
from gaji.law.wage_offsets.estimate import MonthlyWage, OffsetEmployee, Scheme, WageOffset, value_in_force
from gaji.law.wage_offsets.parameters import CappedRate, EnablingTerms, WageOffsetParameters

ENABLING_RULE = (
    "The employer of a person with a disability gets a percentage of a monthly wage below the limit, up to a cap. It "
    "is added again in the first months of someone who had not worked for at least six months."
)
UPLIFTING_RULE = (
    "The employer gets a percentage of a monthly wage below the limit, up to a cap, in the first months of employment."
)


def enabling_credit(
    parameters: WageOffsetParameters, month: Month, employee: OffsetEmployee, wage: MonthlyWage
) -> WageOffset | None:
    """The Enabling Employment Credit for a month. None for employees who are not marked or not eligible."""
    in_force = value_in_force(parameters.enabling_employment_credit, month)
    if in_force is None or not employee.enabling:
        return None
    terms, cents = in_force.value, wage.cents
    is_eligible = employee.is_resident(month) if terms.permanent_residents else employee.is_citizen(month)
    if not is_eligible or employee.age_on(month.last_day) < terms.minimum_age:
        return None
    draft = WageOffset(
        scheme=Scheme.ENABLING_EMPLOYMENT_CREDIT,
        rate=percent(terms.rate),
        rule=ENABLING_RULE,
        inputs=_inputs(month, cents, employee.hired_on),
        terms=used_parameter("rate", in_force, percent(terms.rate)),
        other_parameters=(
            used_parameter("cap", in_force, money(terms.cap_cents)),
            used_parameter("wage below", in_force, money(terms.wage_below_cents)),
        ),
        certainty=terms.certainty,
    )
    if cents >= terms.wage_below_cents:
        return _above_limit(draft, cents, terms.wage_below_cents)
    amount = _capped_cents(terms.rate, terms.cap_cents, cents)
    lines: tuple[str, ...] = (step(_capped_text(terms.rate, terms.cap_cents, cents), amount),)
    branch = "the wage is below the limit"
    added_parameters: tuple[UsedParameter, ...] = ()
    if employee.enabling_new_hire and employee.hired_on is not None:
        hired = _terms_when_hired(parameters.enabling_employment_credit, employee.hired_on)
        added = hired.value.new_hire
        employed_months = month - Month.from_date(employee.hired_on)
        added_parameters = (
            used_parameter("rate for a new hire", hired, percent(added.rate)),
            used_parameter("cap for a new hire", hired, money(added.cap_cents)),
            used_parameter("months for a new hire", hired, str(added.months)),
        )
        total = amount + _first_months_cents(added, employed_months, cents)
        addition = _first_months_text(added, employed_months, cents)
        lines += (_months_line(month, employee.hired_on), step(f"{money(amount)} + {addition}", total))
        is_new = employed_months < added.months
        branch += f", and this is {'one' if is_new else 'not one'} of the first {added.months} months of employment"
        amount = total
    return replace(
        draft,
        amount_cents=amount,
        branch=branch,
        arithmetic=lines,
        other_parameters=(*draft.other_parameters, *added_parameters),
    )


def uplifting_credit(
    parameters: WageOffsetParameters, month: Month, employee: OffsetEmployee, wage: MonthlyWage
) -> WageOffset | None:
    """The Uplifting Employment Credit for a month. None if not marked, or after the first months of employment."""
    in_force = value_in_force(parameters.uplifting_employment_credit, month)
    if in_force is None or not employee.uplifting or employee.hired_on is None or not employee.is_resident(month):
        return None
    terms, cents, credit = in_force.value, wage.cents, in_force.value.credit
    employed_months = month - Month.from_date(employee.hired_on)
    hired_too_early = Month.from_date(employee.hired_on) < parameters.uplifting_employment_credit.covered_from
    if hired_too_early or employed_months >= credit.months:
        return None
    draft = WageOffset(
        scheme=Scheme.UPLIFTING_EMPLOYMENT_CREDIT,
        rate=percent(credit.rate),
        rule=UPLIFTING_RULE,
        inputs=_inputs(month, cents, employee.hired_on),
        terms=used_parameter("rate", in_force, percent(credit.rate)),
        other_parameters=(
            used_parameter("cap", in_force, money(credit.cap_cents)),
            used_parameter("months", in_force, str(credit.months)),
            used_parameter("wage below", in_force, money(terms.wage_below_cents)),
        ),
        certainty=terms.certainty,
    )
    if cents >= terms.wage_below_cents:
        return _above_limit(draft, cents, terms.wage_below_cents)
    amount = _first_months_cents(credit, employed_months, cents)
    return replace(
        draft,
        amount_cents=amount,
        branch=f"month {employed_months + 1} of the first {credit.months} months of employment",
        arithmetic=(
            _months_line(month, employee.hired_on),
            step(_first_months_text(credit, employed_months, cents), amount),
        ),
    )


def _terms_when_hired(history: History[EnablingTerms], hired_on: date) -> DatedValue[EnablingTerms]:
    """The terms for people hired on a day. Hires before the first terms have those."""
    return history.at(max(Month.from_date(hired_on), history.covered_from))


def _capped_cents(percentage: int, cap_cents: int, wage_cents: int) -> int:
    return min(round_half_up(Fraction(percentage * wage_cents, RATE_SCALE)), cap_cents)


def _capped_text(percentage: int, cap_cents: int, wage_cents: int) -> str:
    return f"min(round_cents({rate(percentage)} × {money(wage_cents)}), {money(cap_cents)})"


def _first_months_cents(credit: CappedRate, employed_months: int, wage_cents: int) -> int:
    return _capped_cents(credit.rate, credit.cap_cents, wage_cents) if employed_months < credit.months else 0


def _months_line(month: Month, hired_on: date) -> str:
    """The completed months from the month of hiring on."""
    return line(f"{month} − {Month.from_date(hired_on)}", month - Month.from_date(hired_on))


def _first_months_text(credit: CappedRate, employed_months: int, wage_cents: int) -> str:
    capped = _capped_text(credit.rate, credit.cap_cents, wage_cents)
    return choose(employed_months, below(credit.months, capped), otherwise(money(0)))


def _above_limit(draft: WageOffset, wage_cents: int, limit_cents: int) -> WageOffset:
    return replace(
        draft,
        amount_cents=0,
        branch=f"the wage is not below {dollars(limit_cents)}",
        arithmetic=(step(choose(money(wage_cents), from_(money(limit_cents), money(0))), 0),),
    )


def _inputs(month: Month, wage_cents: int, hired_on: date | None) -> dict[str, str]:
    hired = {"hired": str(hired_on)} if hired_on else {}
    return {"month": str(month), "monthly wage": money(wage_cents), **hired}
