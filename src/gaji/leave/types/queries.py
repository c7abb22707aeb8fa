"""Leave types with their policies."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

import asyncpg
import msgspec

from gaji.core import clock
from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.engine.leave.movements import Settlement
from gaji.engine.leave.part_time import prorate_policies
from gaji.engine.leave.policies import AccrualMethod, HolidayOffChoice, LeavePolicy, Policies, policy_on
from gaji.engine.leave.statutory_minimum import COUNTED_BY_SERVICE, statutory_policies
from gaji.engine.regular_hours import WorkSchedule
from gaji.law.leave.part_time import FullTimeHours
from gaji.law.scale import Scale
from gaji.leave.types import repository

ANNUAL = "annual_leave"
NATIONAL_SERVICE = "national_service_leave"
INCLUDED_IN = {"sick_leave": "hospitalisation_leave"}
"""Types whose leave also counts against another type: hospitalisation leave includes outpatient sick leave."""
CERTIFIED = frozenset([*INCLUDED_IN, *INCLUDED_IN.values()])
"""System types that the law grants to employees with a medical certificate (Employment Act, s. 89)."""
MISCONDUCT = 3
"""The termination code with which annual leave is forfeited."""
NO_POLICY = (LeavePolicy(AccrualMethod.NONE),)
"""The policy of a custom type for which no policy was set."""


@dataclass(frozen=True)
class LeaveType:
    """A leave type and its policies over time."""

    id: int
    name: str
    system_type: str | None
    policies: Policies

    def policy(self, day: date) -> LeavePolicy:
        """Return the policy that applies on a day."""
        return policy_on(self.policies, day)

    @property
    def accrues(self) -> bool:
        """Whether any of its policies accrues leave."""
        return any(policy.accrual is not AccrualMethod.NONE for policy in self.policies)

    @property
    def has_rules(self) -> bool:
        """Whether anything other than recorded days and adjustments changes the balance."""
        return self.accrues or any(
            policy.carry_limit_millidays is not None or policy.expiry_months for policy in self.policies
        )

    def makes_choice(self, choice: HolidayOffChoice) -> bool:
        """Return whether any of its policies makes a choice about public holidays on days off."""
        return any(policy.holidays_off is choice for policy in self.policies)

    @property
    def minimum(self) -> Policies | None:
        """The policies of the law that each year of service must reach, if there are any."""
        return _statutory_policies()[ANNUAL] if self.system_type == ANNUAL else None

    @property
    def prorates_part_time(self) -> bool:
        """Whether any of its policies gives part-time employees days in proportion to their hours."""
        return any(policy.full_time for policy in self.policies)

    def policies_of(self, schedule: WorkSchedule) -> tuple[Policies, Policies | None]:
        """Return the policies and the minimum of an employee with these working hours."""
        limit = current_law().leave.part_time_below.nearest(clock.today()).value
        policies = prorate_policies(tuple(self.policies), schedule, limit)
        full_time = next((policy.full_time for policy in reversed(self.policies) if policy.full_time), None)
        if self.minimum is None or full_time is None:
            return policies, self.minimum
        minimum = tuple(replace(policy, full_time=full_time) for policy in self.minimum)
        return policies, prorate_policies(minimum, schedule, limit)

    def settlement(self, termination_code: int | None) -> Settlement:
        """Return what happens to the balance when service ends for this reason."""
        if self.system_type != ANNUAL:
            return Settlement.ENDS
        return Settlement.LOST if termination_code == MISCONDUCT else Settlement.PAID_OUT


async def load_leave_type_ids(tx: Transaction, client_id: int) -> set[int]:
    """Return the ids of the client's leave types."""
    return {leave_type.id for leave_type in await load_leave_types(tx, client_id)}


async def load_unlimited_types(tx: Transaction, client_id: int, day: date) -> set[str]:
    """Load the names of the types that are recorded without a limit on a day, such as unpaid leave."""
    return list_unlimited_types(await load_leave_types(tx, client_id), day)


def list_unlimited_types(leave_types: Sequence[LeaveType], day: date) -> set[str]:
    """List the names of the types that are recorded without a limit on a day. They have no balance to use up."""
    return {leave_type.name for leave_type in leave_types if leave_type.policy(day).is_unlimited}


def list_certified_ids(leave_types: Sequence[LeaveType]) -> set[int]:
    """List the IDs of the types that the law grants to employees with a medical certificate."""
    return {leave_type.id for leave_type in leave_types if leave_type.system_type in CERTIFIED}


async def load_leave_types(tx: Transaction, client_id: int) -> Sequence[LeaveType]:
    """Load the leave types of a client with all their policies, by id."""
    policies: dict[int, list[LeavePolicy]] = defaultdict(list)
    types: dict[int, tuple[str, str | None]] = {}
    for row in await repository.list_with_policies(tx, client_id):
        types[row["id"]] = row["name"], row["system_type"]
        if row["effective_date"] is not None:
            policies[row["id"]].append(_policy(row))
    return [
        LeaveType(type_id, name, system_type, with_default(system_type, tuple(policies[type_id])))
        for type_id, (name, system_type) in types.items()
    ]


@cache
def with_default(system_type: str | None, policies: tuple[LeavePolicy, ...]) -> Policies:
    """Return the policies of a type over time. The statutory policy applies before the first own policy.

    The law grants the days of some types anew in every year, whatever was taken in the year before.
    """
    if system_type in COUNTED_BY_SERVICE:
        policies = tuple(replace(policy, carries_negative=False) for policy in policies)
    statutory = NO_POLICY if system_type is None else _statutory_policies()[system_type]
    if not policies:
        return statutory
    first = policies[0].since
    earlier = (policy for policy in statutory if policy.since is None or (first and policy.since < first))
    return (*earlier, *policies)


@cache
def _statutory_policies() -> Mapping[str, Policies]:
    return statutory_policies(current_law().leave)


def find_including_type(leave_types: Sequence[LeaveType], leave_type: LeaveType) -> LeaveType | None:
    """Return the type that leave of this type also counts against, if there is one."""
    other = INCLUDED_IN.get(leave_type.system_type or "")
    return next((candidate for candidate in leave_types if candidate.system_type == other), None) if other else None


def _policy(row: asyncpg.Record) -> LeavePolicy:
    first_year = row["first_year"]
    return LeavePolicy(
        accrual=AccrualMethod(row["accrual"]),
        entitlement=_scale(row["entitlement"], "year"),
        since=row["effective_date"],
        min_service_months=row["least_months"],
        first_year=None if first_year is None else _scale(first_year, "months"),
        carry_limit_millidays=row["carry_over_limit_millidays"],
        expiry_months=row["carry_over_expiry_months"],
        prorate=row["prorate"],
        allows_negative=row["below_zero"],
        paid=row["paid"],
        leave_year_month=row["leave_year_start"],
        holidays_off=HolidayOffChoice(row["public_holidays_off"]),
        full_time=_full_time(row) if row["prorate_part_time"] else None,
    )


def _full_time(row: asyncpg.Record) -> FullTimeHours:
    return FullTimeHours(row["full_time_week_millihours"], row["full_time_day_millihours"])


@cache
def _scale(text: str, measure: str) -> Scale:
    steps: list[dict[str, int]] = msgspec.json.decode(text)
    return Scale(tuple(step[measure] for step in steps), tuple(step["millidays"] for step in steps))
