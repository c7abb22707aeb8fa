"""Whom Part 4 of the Employment Act covers: rest days, hours of work, overtime."""

from dataclasses import dataclass
from enum import IntEnum

from gaji.law.columns import Cents, Codes, Flags, select_first, single_person
from gaji.law.explanation import UsedParameter, money, used_parameter
from gaji.law.months import Month
from gaji.law.pay.parameters import PayParameters


class EmploymentActGroup(IntEnum):
    """The groups that the Act tells apart."""

    WORKMAN = 0
    NON_WORKMAN = 1
    MANAGER = 2


@dataclass(frozen=True)
class PartFourStatus:
    """What decides whether someone is covered."""

    groups: Codes
    basic_cents: Cents
    """The basic salary of a month, without overtime, bonuses and allowances."""


def is_covered(parameters: PayParameters, month: Month, standing: PartFourStatus) -> Flags:
    """Workmen and others up to their own limit of basic salary, managers and executives never (s. 35)."""
    limits = parameters.part_four.at(month).value
    most = select_first(
        [standing.groups == EmploymentActGroup.WORKMAN, standing.groups == EmploymentActGroup.NON_WORKMAN],
        [limits.workman_cents, limits.non_workman_cents],
        -1,
    )
    return standing.basic_cents <= most


def coverage_sentence(parameters: PayParameters, month: Month, standing: PartFourStatus, index: int = 0) -> str:
    """Whether Part 4 covers one person, and why."""
    one = single_person(standing, index)
    group, basic = EmploymentActGroup(int(one.groups[0])), int(one.basic_cents[0])
    if group == EmploymentActGroup.MANAGER:
        return "Part 4 does not cover managers and executives, so the law does not require this"
    limits = parameters.part_four.at(month).value
    most = limits.workman_cents if group == EmploymentActGroup.WORKMAN else limits.non_workman_cents
    who = f"a {group.name.lower()} with a basic salary of {money(basic)}"
    if is_covered(parameters, month, one)[0]:
        return f"Part 4 covers {who}, up to {money(most)}, so the law requires this"
    return f"Part 4 does not cover {who}, above {money(most)}, so the law does not require this"


def limits_parameter(parameters: PayParameters, month: Month) -> UsedParameter:
    """The limits, for an explanation."""
    in_force = parameters.part_four.at(month)
    value = f"workman {money(in_force.value.workman_cents)}, non_workman {money(in_force.value.non_workman_cents)}"
    return used_parameter("basic salary covered by Part 4", in_force, value)
