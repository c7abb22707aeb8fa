"""Whom Part 4 of the Employment Act covers: the right to rest days, limited hours of work and overtime pay."""

from enum import IntEnum

from msgspec import Struct

from gaji.law.columns import Cents, Codes, Flags, select_first, single_person
from gaji.law.explanation import UsedParameter, dollars, money, used_parameter
from gaji.law.months import Month
from gaji.law.pay.parameters import PartFourLimits, PayParameters


class EmploymentActGroup(IntEnum):
    """The groups that the Act distinguishes."""

    WORKMAN = 0
    NON_WORKMAN = 1
    MANAGER = 2


class PartFourStatus(Struct, frozen=True):
    """The details that determine whether Part 4 covers a person."""

    groups: Codes
    basic_cents: Cents
    """The monthly basic salary, without overtime, bonuses and allowances."""


def is_covered(parameters: PayParameters, month: Month, status: PartFourStatus) -> Flags:
    """Whether Part 4 covers each person: up to the salary limit of the group, never managers and executives (s. 35)."""
    limits = parameters.part_four.at(month).value
    max_salary = select_first(
        [status.groups == EmploymentActGroup.WORKMAN, status.groups == EmploymentActGroup.NON_WORKMAN],
        [limits.workman_cents, limits.non_workman_cents],
        -1,
    )
    return status.basic_cents <= max_salary


def group_limit_cents(limits: PartFourLimits, group: EmploymentActGroup) -> int:
    """The salary limit of a group other than managers."""
    return limits.workman_cents if group == EmploymentActGroup.WORKMAN else limits.non_workman_cents


def coverage_sentence(parameters: PayParameters, month: Month, status: PartFourStatus, index: int = 0) -> str:
    """Whether Part 4 covers the person at this index, and why."""
    person = single_person(status, index)
    group, basic = EmploymentActGroup(int(person.groups[0])), int(person.basic_cents[0])
    if group == EmploymentActGroup.MANAGER:
        return "Part 4 does not cover managers and executives, so the law does not require this payment"
    limit = group_limit_cents(parameters.part_four.at(month).value, group)
    description = f"a {group.name.lower().replace('_', '-')} with a basic salary of {dollars(basic)}"
    if is_covered(parameters, month, person)[0]:
        return f"Part 4 covers {description} (limit {dollars(limit)}), so the law requires this payment"
    return f"Part 4 does not cover {description} (limit {dollars(limit)}), so the law does not require this payment"


def limits_parameter(parameters: PayParameters, month: Month) -> UsedParameter:
    """The salary limits as a parameter of an explanation."""
    in_force = parameters.part_four.at(month)
    value = f"workman {money(in_force.value.workman_cents)}, non-workman {money(in_force.value.non_workman_cents)}"
    return used_parameter("basic salary limit of Part 4", in_force, value)
