"""The taxable value of a benefit in kind, by its category."""

from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from gaji.law.benefits_in_kind.benefit import Benefit, BenefitCategory, CarType, Furnishing
from gaji.law.benefits_in_kind.parameters import BY_DAYS, RENT, BenefitParameters
from gaji.law.columns import RATE_SCALE
from gaji.law.rounding import round_half_up

MONTHS_PER_YEAR = 12
WITH_REBATE = (CarType.NEW, CarType.SECOND_HAND)
"""Cars whose PARF rebate is taken off the cost."""


@dataclass(frozen=True, slots=True)
class ResidenceValue:
    """The value of a residence, in cents."""

    premises_cents: int
    furniture_cents: int
    taxable_cents: int


def taxable_cents(parameters: BenefitParameters, benefit: Benefit) -> int:
    """The taxable value of a benefit. Raises MonthNotCovered if the rule of the year is not known."""
    match benefit.category:
        case BenefitCategory.RESIDENCE:
            return residence_value(parameters, benefit).taxable_cents
        case BenefitCategory.CAR:
            return car_cents(parameters, benefit)
        case BenefitCategory.DRIVER:
            return round_half_up(Fraction(benefit.amount_cents * benefit.private_km, benefit.total_km))
        case BenefitCategory.LONG_SERVICE_AWARD:
            limit = parameters.long_service_award.on(benefit.last).value
            return benefit.amount_cents if benefit.amount_cents > limit else 0
        case BenefitCategory.HOTEL:
            return max(benefit.amount_cents - benefit.paid_by_employee_cents, 0)
    return benefit.amount_cents


def residence_value(parameters: BenefitParameters, benefit: Benefit) -> ResidenceValue:
    """The value of a residence: the rent, or the annual value for the days and its furniture. Cents are cut."""
    if is_valued_by_rent(parameters, benefit):
        premises, furniture = (benefit.rent_cents or 0) // benefit.sharing, 0
    else:
        yearly = benefit.annual_value_cents or 0
        premises = yearly * benefit.days // (benefit.days_in_year * benefit.sharing)
        furniture = premises * furniture_rate(parameters, benefit) // RATE_SCALE
    taxable = max(premises + furniture - benefit.paid_by_employee_cents, 0)
    return ResidenceValue(premises, furniture, taxable)


def is_valued_by_rent(parameters: BenefitParameters, benefit: Benefit) -> bool:
    """Whether the value of a residence is the rent that the employer pays."""
    return benefit.rent_cents is not None and taxes_rent(parameters, benefit.last)


def taxes_rent(parameters: BenefitParameters, day: date) -> bool:
    """Whether rented residences are taxed at their rent on a day. Otherwise: at their annual value, like all others."""
    return parameters.residence_value.on(day).value == RENT


def furniture_rate(parameters: BenefitParameters, benefit: Benefit) -> int:
    """The value of furniture in parts of 100,000 of the annual value."""
    rates = parameters.furniture.on(benefit.last).value
    return {Furnishing.NONE: 0, Furnishing.PARTLY: rates.partly, Furnishing.FULLY: rates.fully}[benefit.furnishing]


def car_cents(parameters: BenefitParameters, benefit: Benefit) -> int:
    """The private part of what a car costs in the year, to the nearest cent."""
    use = parameters.car_private_use.on(benefit.last).value
    yearly = _yearly_cost(parameters, benefit)
    return round_half_up(Fraction(use.numerator, use.denominator) * (yearly + benefit.running_costs_cents))


def car_cost_cents(benefit: Benefit) -> int:
    """The cost of a car that is spread over years."""
    if benefit.car_type == CarType.COE_RENEWED:
        return benefit.cost_cents + benefit.parf_rebate_cents
    return benefit.cost_cents - (benefit.parf_rebate_cents if benefit.car_type in WITH_REBATE else 0)


def counts_days(parameters: BenefitParameters, benefit: Benefit) -> bool:
    """Whether the yearly part of a car's cost is taken for the days only."""
    by_days = parameters.car_part_year.on(benefit.last).value == BY_DAYS
    return by_days and benefit.days < benefit.days_in_year


def _yearly_cost(parameters: BenefitParameters, benefit: Benefit) -> Fraction:
    if benefit.car_type == CarType.LEASED:
        return Fraction(benefit.amount_cents)
    if benefit.car_type == CarType.NEW:
        years = Fraction(parameters.car_years.on(benefit.last).value)
    else:
        years = Fraction(benefit.coe_months, MONTHS_PER_YEAR)
    cost = Fraction(car_cost_cents(benefit)) / years
    return cost * benefit.days / benefit.days_in_year if counts_days(parameters, benefit) else cost
