"""The types of a client with their policies, for those who compute with them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

import msgspec

from gaji.core.law_loader import law
from gaji.db.tenancy import Transaction
from gaji.engine.leave.movements import Settlement
from gaji.engine.leave.policies import AccrualMethod, Policies, LeavePolicy, policy_on
from gaji.engine.leave.statutory_minimum import statutory_policies
from gaji.law.scale import Scale
from gaji.leave.types import repository

ANNUAL = "annual_leave"
INCLUDED_IN = {"sick_leave": "hospitalisation_leave"}
"""Leave that counts against another type as well: the law's days with hospitalisation include those without."""
MISCONDUCT = 3
"""The termination code of whoever loses annual leave."""
GRANTED = (LeavePolicy(AccrualMethod.NONE),)
"""The policy of a type that the client made and said nothing else about."""


@dataclass(frozen=True)
class LeaveType:
    """A type and what is given of it."""

    id: int
    name: str
    system_type: str | None
    policies: Policies

    def policy(self, day: date) -> LeavePolicy:
        """The policy that holds on a day."""
        return policy_on(self.policies, day)

    @property
    def accrues(self) -> bool:
        """Whether any of its policies gives something by itself."""
        return any(one.accrual is not AccrualMethod.NONE for one in self.policies)

    @property
    def has_rules(self) -> bool:
        """Whether anything but what is recorded changes its balance."""
        return self.accrues or any(one.carry_limit_millidays is not None or one.expiry_months for one in self.policies)

    def settlement(self, termination_code: int | None) -> Settlement:
        """What becomes of the balance of someone who leaves for this reason."""
        if self.system_type != ANNUAL:
            return Settlement.ENDS
        return Settlement.LOST if termination_code == MISCONDUCT else Settlement.PAID_OUT


async def load_leave_type_ids(tx: Transaction, client_id: int) -> set[int]:
    """Return the ids of the client's leave types."""
    return {leave_type.id for leave_type in await types_of(tx, client_id)}


async def types_of(tx: Transaction, client_id: int) -> Sequence[LeaveType]:
    """The types of a client with all their policies, in the order of ids."""
    own: dict[int, list[LeavePolicy]] = defaultdict(list)
    found: dict[int, tuple[str, str | None]] = {}
    for row in await repository.with_policies(tx, client_id):
        found[row["id"]] = row["name"], row["system_type"]
        if row["effective_date"] is not None:
            own[row["id"]].append(_policy(row))
    return [
        LeaveType(type_id, name, system_type, with_default(system_type, tuple(own[type_id])))
        for type_id, (name, system_type) in found.items()
    ]


@cache
def with_default(system_type: str | None, own: tuple[LeavePolicy, ...]) -> Policies:
    """The policies of a type over time: before its first own one that of the law."""
    usual = GRANTED if system_type is None else _of_law()[system_type]
    if not own:
        return usual
    first = own[0].since
    return (*(one for one in usual if one.since is None or (first and one.since < first)), *own)


@cache
def _of_law() -> Mapping[str, Policies]:
    return statutory_policies(law().leave)


def including(types: Sequence[LeaveType], one: LeaveType) -> LeaveType | None:
    """The type that leave of this one counts against as well, if there is one."""
    other = INCLUDED_IN.get(one.system_type or "")
    return next((each for each in types if each.system_type == other), None) if other else None


def _policy(row: Mapping[str, object]) -> LeavePolicy:
    plain = ("least_months", "prorate", "below_zero", "paid")
    first_year = row["first_year"]
    return LeavePolicy(
        accrual=AccrualMethod(str(row["accrual"])),
        entitlement=_scale(str(row["entitlement"]), "year"),
        since=row["effective_date"],  # type: ignore[arg-type]  # asyncpg gives dates
        first_year=None if first_year is None else _scale(str(first_year), "months"),
        carry_limit_millidays=row["carry_over_limit"],  # type: ignore[arg-type]  # and integers
        expiry_months=row["carry_over_expiry_months"],  # type: ignore[arg-type]
        **{name: row[name] for name in plain},  # type: ignore[arg-type]
    )


@cache
def _scale(text: str, measure: str) -> Scale:
    steps: list[dict[str, int]] = msgspec.json.decode(text)
    return Scale(tuple(step[measure] for step in steps), tuple(step["days"] for step in steps))
