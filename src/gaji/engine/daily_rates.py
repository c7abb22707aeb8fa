"""Gross rates of pay for a day, by themselves: what days are worth without a payslip."""

from collections.abc import Sequence

from gaji.engine import earnings, people
from gaji.engine.cases import Case
from gaji.engine.catalogue import Catalogue
from gaji.engine.earnings import GrossRate
from gaji.engine.inputs import Inputs
from gaji.engine.presence import presence
from gaji.engine.regular_hours import regular_hours
from gaji.law.book import Law
from gaji.law.months import Month


def gross_daily_rates(law: Law, catalogue: Catalogue, cases: Sequence[Case]) -> GrossRate:
    """The gross rates of cases that have one pay period, as a payslip of that period would have them."""
    period = cases[0].period
    inputs = Inputs(cases)
    regular = regular_hours(inputs, law.pay.half_day_hours.at(Month.holding(period.end)).value)
    present = presence(law.holidays, period, cases, regular)
    groups = people.employment_act_groups(people.persons(cases))
    return earnings.gross_rate(catalogue, inputs, earnings.pay(inputs, present, groups, period.pays_a_year))
