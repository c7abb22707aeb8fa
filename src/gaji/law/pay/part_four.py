"""Whom Part 4 of the Employment Act covers: rest days, hours of work, overtime."""

from dataclasses import dataclass
from enum import IntEnum

from gaji.law.columns import Cents, Codes, Flags, chosen, only
from gaji.law.explanation import Parameter, money, parameter
from gaji.law.months import Month
from gaji.law.pay.parameters import PayParameters


class EmploymentActGroup(IntEnum):
    """The groups that the Act tells apart."""

    WORKMAN = 0
    NON_WORKMAN = 1
    MANAGER = 2


@dataclass(frozen=True)
class Standing:
    """What decides whether someone is covered."""

    groups: Codes
    basic_cents: Cents
    """The basic salary of a month, without overtime, bonuses and allowances."""


def covers(parameters: PayParameters, month: Month, standing: Standing) -> Flags:
    """Workmen and others up to their own limit of basic salary, managers and executives never (s. 35)."""
    limits = parameters.part_four.at(month).value
    most = chosen(
        [standing.groups == EmploymentActGroup.WORKMAN, standing.groups == EmploymentActGroup.NON_WORKMAN],
        [limits.workman_cents, limits.non_workman_cents],
        -1,
    )
    return standing.basic_cents <= most


def sentence(parameters: PayParameters, month: Month, standing: Standing, place: int = 0) -> str:
    """Whether Part 4 covers one person, and why."""
    one = only(standing, place)
    group, basic = EmploymentActGroup(int(one.groups[0])), int(one.basic_cents[0])
    if group == EmploymentActGroup.MANAGER:
        return "Part 4 does not cover managers and executives, so the law does not require this"
    limits = parameters.part_four.at(month).value
    most = limits.workman_cents if group == EmploymentActGroup.WORKMAN else limits.non_workman_cents
    who = f"a {group.name.lower()} with a basic salary of {money(basic)}"
    if covers(parameters, month, one)[0]:
        return f"Part 4 covers {who}, up to {money(most)}, so the law requires this"
    return f"Part 4 does not cover {who}, above {money(most)}, so the law does not require this"


def shown(parameters: PayParameters, month: Month) -> Parameter:
    """The limits, for an explanation."""
    in_force = parameters.part_four.at(month)
    value = f"workman {money(in_force.value.workman_cents)}, non_workman {money(in_force.value.non_workman_cents)}"
    return parameter("basic salary covered by Part 4", in_force, value)
