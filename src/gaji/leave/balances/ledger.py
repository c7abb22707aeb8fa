"""The ledger of one employee: every movement of every type of leave, derived from what is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from gaji.db.tenancy import Transaction
from gaji.engine.leave.movements import MovementKind, Movement, LeaveService, list_movements
from gaji.law.quantities import format_millis
from gaji.leave.balances import repository
from gaji.leave.balances.opening_balances import TakenOn, taken_on
from gaji.leave.types.queries import LeaveType, including, types_of
from gaji.people.service_periods import facts as service_periods
from gaji.people.service_periods.facts import Term


@dataclass(frozen=True)
class Ledger:
    """What the movements of an employee follow from."""

    types: Sequence[LeaveType]
    terms: Sequence[Term]
    taken_on: TakenOn | None
    recorded: Mapping[int, Sequence[Movement]]
    """By type, those that are kept: leave that was taken, and adjustments."""

    def movements(self, one: LeaveType, until: date) -> list[Movement]:
        """The movements of a type up to a day, in the order of time."""
        own = self.recorded.get(one.id, ())
        since = self.taken_on.day if self.taken_on and one.id in self.taken_on.millidays else None
        if since is not None and self.taken_on is not None:
            left = self.taken_on.millidays[one.id]
            own = [*own, Movement(since, MovementKind.TAKE_ON, left, "Left over when the company moved in")]
        found = []
        for term in self.terms:
            service = LeaveService(term.start, term.end, one.settlement(term.termination_code))
            if since is not None and service.counts_on(since):
                service = replace(service, since=since)
            found += list_movements(one.policies, service, own, until)
        return [move for move in found if move.millidays]

    def type_of(self, type_id: int) -> LeaveType | None:
        """One of the types."""
        return next((one for one in self.types if one.id == type_id), None)

    def concerned(self, type_id: int) -> list[LeaveType]:
        """The types whose balance changes with leave of a type: itself, and the one that includes it."""
        own = self.type_of(type_id)
        other = including(self.types, own) if own else None
        return [one for one in (own, other) if one]

    def serves(self, day: date) -> bool:
        """Whether the employee is in service on a day."""
        return any(term.start <= day and (term.end is None or day <= term.end) for term in self.terms)

    def with_taken(self, taken: Sequence[tuple[int, date, int]]) -> "Ledger":
        """The same with more leave: type, date and thousandths of days."""
        recorded = {type_id: list(moves) for type_id, moves in self.recorded.items()}
        for type_id, day, millidays in taken:
            for one in self.concerned(type_id):
                recorded.setdefault(one.id, []).append(Movement(day, MovementKind.TAKEN, -millidays, "leave"))
        return replace(self, recorded=recorded)


async def ledger_of(tx: Transaction, client_id: int, employee_id: int, but_day: int | None = None) -> Ledger:
    """The ledger of an employee; without one of the days of leave, if so wanted."""
    types = await types_of(tx, client_id)
    names = {one.id: one for one in types}
    recorded: dict[int, list[Movement]] = {}
    for row in await repository.recorded(tx, client_id, employee_id):
        own = names[row["leave_type_id"]]
        if row["reason"] is not None:
            adjusted = Movement(row["date"], MovementKind.ADJUSTMENT, row["millidays"], row["reason"])
            recorded.setdefault(own.id, []).append(adjusted)
        elif row["day_id"] != but_day:
            told = own.name if row["millihours"] is None else f"{own.name}, {_hours(row['millihours'])}"
            taken = Movement(row["date"], MovementKind.TAKEN, row["millidays"], told)
            recorded.setdefault(own.id, []).append(taken)
            if other := including(types, own):
                recorded.setdefault(other.id, []).append(replace(taken, reason=f"{told}, which it includes"))
    terms = (await service_periods.terms(tx, client_id, [employee_id]))[employee_id]
    had = (await taken_on(tx, client_id, [employee_id])).get(employee_id)
    return Ledger(types, terms, had, recorded)


def _hours(millihours: int) -> str:
    return f"{format_millis(millihours)} hour{'' if millihours == 1000 else 's'}"
