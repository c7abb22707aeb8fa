"""Explanations of the taxable value of benefits in kind."""

from gaji.law.benefits_in_kind.benefit import Benefit, BenefitCategory, CarType, Furnishing
from gaji.law.benefits_in_kind.parameters import BenefitParameters
from gaji.law.benefits_in_kind.values import (
    WITH_REBATE,
    car_cost_cents,
    counts_days,
    furniture_rate,
    is_valued_by_rent,
    residence_value,
    taxable_cents,
)
from gaji.law.explanation import Explanation, UsedParameter, money, percent, rate, step, used_parameter

APPENDIX = "IRAS, Appendix 8A"
RESIDENCES = "IRAS, accommodation and related benefits"
CARS = "IRAS, car and car-related benefits"
ACTUAL_RULE = "A benefit is taxed at its actual amount."
RENT_RULE = "A rented residence is taxed at the rent that the employer pays, less what the employee pays."
ANNUAL_VALUE_RULE = (
    "A residence is taxed at its annual value for the days, with its furniture as a part of it, less what the employee "
    "pays."
)
CAR_RULES = {
    CarType.NEW: "A new car is taxed at the private part of its cost, spread over years, and of its running costs.",
    CarType.SECOND_HAND: "A second-hand car is taxed at the private part of its cost, spread over the years left of "
    "its COE, and of its running costs.",
    CarType.OVER_TEN_YEARS: "A second-hand car of more than ten years is taxed at the private part of its cost, spread "
    "over the years left of its COE, and of its running costs.",
    CarType.COE_RENEWED: "A car with a renewed COE is taxed at the private part of the renewal fee and of the PARF "
    "rebate forgone, spread over the years of the COE, and of its running costs.",
    CarType.LEASED: "A leased car is taxed at the private part of its rental and of its running costs.",
}
Steps = tuple[str, ...]
Inputs = dict[str, str]


def explain(parameters: BenefitParameters, benefit: Benefit) -> Explanation:
    """Explain the taxable value of a benefit."""
    match benefit.category:
        case BenefitCategory.RESIDENCE:
            return _explain_residence(parameters, benefit)
        case BenefitCategory.CAR:
            return _explain_car(parameters, benefit)
        case BenefitCategory.DRIVER:
            return _explain_driver(parameters, benefit)
        case BenefitCategory.LONG_SERVICE_AWARD:
            return _explain_award(parameters, benefit)
        case BenefitCategory.HOTEL:
            return _explain_hotel(parameters, benefit)
    value = taxable_cents(parameters, benefit)
    inputs = {"amount": money(benefit.amount_cents)}
    return _explanation(benefit, value, inputs, ACTUAL_RULE, APPENDIX, (), (step(money(benefit.amount_cents), value),))


def _explain_residence(parameters: BenefitParameters, benefit: Benefit) -> Explanation:
    valuation = parameters.residence_value.on(benefit.last)
    used = used_parameter("valuation", valuation, valuation.value)
    if is_valued_by_rent(parameters, benefit):
        return _explain_rent(parameters, benefit, used)
    return _explain_annual_value(parameters, benefit, used)


def _explain_rent(parameters: BenefitParameters, benefit: Benefit, used: UsedParameter) -> Explanation:
    value, rent = residence_value(parameters, benefit), money(benefit.rent_cents or 0)
    steps = (
        step(f"floor_cents({rent} ÷ {benefit.sharing})", value.premises_cents),
        step(
            f"max({money(value.premises_cents)} − {money(benefit.paid_by_employee_cents)}, 0.00)", value.taxable_cents
        ),
    )
    inputs = {"rent": rent, **_residence_inputs(benefit)}
    return _explanation(benefit, value.taxable_cents, inputs, RENT_RULE, RESIDENCES, (used,), steps)


def _explain_annual_value(parameters: BenefitParameters, benefit: Benefit, used: UsedParameter) -> Explanation:
    value, yearly = residence_value(parameters, benefit), money(benefit.annual_value_cents or 0)
    premises, paid = money(value.premises_cents), money(benefit.paid_by_employee_cents)
    days = f"{benefit.days} ÷ {benefit.days_in_year}"
    steps = [step(f"floor_cents({yearly} × {days} ÷ {benefit.sharing})", value.premises_cents)]
    inputs = {"annual value": yearly, "furnishing": benefit.furnishing.value, **_residence_inputs(benefit)}
    if benefit.furnishing == Furnishing.NONE:
        steps.append(step(f"max({premises} − {paid}, 0.00)", value.taxable_cents))
        return _explanation(benefit, value.taxable_cents, inputs, ANNUAL_VALUE_RULE, RESIDENCES, (used,), tuple(steps))
    parts, rates = furniture_rate(parameters, benefit), parameters.furniture.on(benefit.last)
    steps.append(step(f"floor_cents({rate(parts)} × {premises})", value.furniture_cents))
    steps.append(step(f"max({premises} + {money(value.furniture_cents)} − {paid}, 0.00)", value.taxable_cents))
    both = (used, used_parameter("furniture", rates, percent(parts)))
    return _explanation(benefit, value.taxable_cents, inputs, ANNUAL_VALUE_RULE, RESIDENCES, both, tuple(steps))


def _residence_inputs(benefit: Benefit) -> Inputs:
    return {
        "employees sharing": str(benefit.sharing),
        "paid by the employee": money(benefit.paid_by_employee_cents),
        "days": str(benefit.days),
        "days in the year": str(benefit.days_in_year),
    }


def _explain_car(parameters: BenefitParameters, benefit: Benefit) -> Explanation:
    car_type = benefit.car_type or CarType.NEW
    value = taxable_cents(parameters, benefit)
    use = parameters.car_private_use.on(benefit.last)
    used = [used_parameter("private use", use, f"{use.value.numerator} ÷ {use.value.denominator}")]
    cost, inputs = _car_cost(parameters, benefit, used)
    running = money(benefit.running_costs_cents)
    line = f"round_cents({use.value.numerator} ÷ {use.value.denominator} × ({cost} + {running}))"
    inputs = {**inputs, "running costs": running}
    return _explanation(benefit, value, inputs, CAR_RULES[car_type], CARS, tuple(used), (step(line, value),))


def _car_cost(parameters: BenefitParameters, benefit: Benefit, used: list[UsedParameter]) -> tuple[str, Inputs]:
    """Return the yearly cost of a car as an expression, with its inputs. Parameters are added to `used`."""
    if benefit.car_type == CarType.LEASED:
        return money(benefit.amount_cents), {"rental": money(benefit.amount_cents)}
    rebate, price = money(benefit.parf_rebate_cents), money(benefit.cost_cents)
    inputs = {"cost": price}
    if benefit.car_type == CarType.COE_RENEWED:
        cost = f"({price} + {rebate})"
    else:
        cost = f"({price} − {rebate})" if benefit.car_type in WITH_REBATE else price
    if car_cost_cents(benefit) != benefit.cost_cents or "(" in cost:
        inputs["PARF rebate"] = rebate
    if benefit.car_type == CarType.NEW:
        years = parameters.car_years.on(benefit.last)
        used.append(used_parameter("years of a new car", years, str(years.value)))
        cost = f"{cost} ÷ {years.value}"
    else:
        inputs["months of the COE"] = str(benefit.coe_months)
        cost = f"{cost} ÷ {benefit.coe_months} × 12"
    if counts_days(parameters, benefit):
        part_year = parameters.car_part_year.on(benefit.last)
        used.append(used_parameter("part of a year", part_year, part_year.value))
        inputs |= {"days": str(benefit.days), "days in the year": str(benefit.days_in_year)}
        cost = f"{cost} × {benefit.days} ÷ {benefit.days_in_year}"
    return cost, inputs


def _explain_driver(parameters: BenefitParameters, benefit: Benefit) -> Explanation:
    value, wages = taxable_cents(parameters, benefit), money(benefit.amount_cents)
    inputs = {"wages": wages, "private km": str(benefit.private_km), "total km": str(benefit.total_km)}
    line = step(f"round_cents({wages} × {benefit.private_km} ÷ {benefit.total_km})", value)
    rule = "A driver is taxed at the wages, by the private part of the mileage."
    return _explanation(benefit, value, inputs, rule, APPENDIX, (), (line,))


def _explain_award(parameters: BenefitParameters, benefit: Benefit) -> Explanation:
    value, amount = taxable_cents(parameters, benefit), money(benefit.amount_cents)
    limit = parameters.long_service_award.on(benefit.last)
    line = step(f"choose({amount}; up to {money(limit.value)}: 0.00; otherwise: {amount})", value)
    rule = "A long-service award is taxed in full if it is above a limit."
    used = (used_parameter("limit", limit, money(limit.value)),)
    return _explanation(benefit, value, {"amount": amount}, rule, APPENDIX, used, (line,))


def _explain_hotel(parameters: BenefitParameters, benefit: Benefit) -> Explanation:
    value, amount, paid = (
        taxable_cents(parameters, benefit),
        money(benefit.amount_cents),
        money(benefit.paid_by_employee_cents),
    )
    inputs = {"amount": amount, "paid by the employee": paid}
    rule = "Hotel accommodation is taxed at its cost, less what the employee pays."
    return _explanation(benefit, value, inputs, rule, RESIDENCES, (), (step(f"max({amount} − {paid}, 0.00)", value),))


def _explanation(
    benefit: Benefit,
    value: int,
    inputs: Inputs,
    rule: str,
    source: str,
    parameters: tuple[UsedParameter, ...],
    steps: Steps,
) -> Explanation:
    return Explanation(benefit.category.value, value, inputs, rule, source, benefit.section.value, parameters, steps)
