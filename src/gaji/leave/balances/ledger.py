"""The leave ledger of one employee: every movement of every leave type, derived from stored records."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.engine.leave.child_leave import MovementsByType, TakenLeave, list_child_leave
from gaji.engine.leave.child_leave_types import CHILD_LEAVE_TYPES
from gaji.engine.leave.holidays_off import list_days_in_lieu
from gaji.engine.leave.movements import LeaveService, Movement, MovementKind, list_movements
from gaji.engine.leave.part_time import list_hours_changes
from gaji.engine.leave.policies import HolidayOffChoice, Policies
from gaji.law.quantities import format_millis
from gaji.leave.balances import repository
from gaji.leave.balances.columns import load_needed_day_lengths
from gaji.leave.balances.opening_balances import OpeningBalances, load_opening_balances
from gaji.leave.balances.parents import Parents, load_parents
from gaji.leave.days.duration import DayLengths
from gaji.leave.types.queries import LeaveType, find_including_type, load_leave_types
from gaji.people.service_periods import queries as service_periods
from gaji.people.service_periods.queries import ServiceTerm


@dataclass(frozen=True)
class LeaveLedger:
    """The records from which the leave movements of an employee follow."""

    types: Sequence[LeaveType]
    terms: Sequence[ServiceTerm]
    opening_balances: OpeningBalances | None
    recorded: Mapping[int, Sequence[Movement]]
    """Leave taken and adjustments, by type."""
    parents: Parents | None = None
    """Who has children. None: the employee has none."""
    day_lengths: DayLengths | None = None
    """The working weeks of the employee. None: no policy needs them."""
    _grants_cache: dict[tuple[LeaveService, date], MovementsByType] = field(default_factory=dict, compare=False)

    def movements(self, leave_type: LeaveType, until: date, *, describe: bool = True) -> list[Movement]:
        """Return the movements of a type up to a day, in chronological order, with or without reasons of accruals."""
        recorded = list(self.recorded.get(leave_type.id, ()))
        if (opening := self._opening(leave_type)) is not None:
            days = opening.millidays[leave_type.id]
            recorded.append(Movement(opening.day, MovementKind.TAKE_ON, days, "Opening balance"))
        movements = []
        policies, minimum = self._policies(leave_type)
        for service in self.services(leave_type):
            granted = [*self._child_leave(leave_type, service, until), *self._days_in_lieu(leave_type, until)]
            entries = [*recorded, *granted, *list_hours_changes(tuple(policies), service, until)]
            movements += list_movements(policies, service, entries, until, minimum, describe=describe)
        return [movement for movement in movements if movement.millidays]

    def services(self, leave_type: LeaveType) -> list[LeaveService]:
        """Return the services of the employee, with the opening balance of a type."""
        opening = self._opening(leave_type)
        services = []
        for term in self.terms:
            service = LeaveService(term.start, term.end, leave_type.settlement(term.termination_code))
            if opening is not None and service.counts_on(opening.day):
                service = replace(service, take_on_date=opening.day)
            services.append(service)
        return services

    def _child_leave(self, leave_type: LeaveType, service: LeaveService, until: date) -> Sequence[Movement]:
        """The leave of a type that the law grants for children in a service, and what of it lapses."""
        if self.parents is None or leave_type.system_type not in CHILD_LEAVE_TYPES:
            return ()
        key = service, until
        if key not in self._grants_cache:
            parent = self.parents.parent(self.terms[0].employee_id, service.first, service.last, service.take_on_date)
            self._grants_cache[key] = list_child_leave(current_law().leave, parent, self.taken_for_children(), until)
        return self._grants_cache[key].get(leave_type.system_type, ())

    def _policies(self, leave_type: LeaveType) -> tuple[Policies, Policies | None]:
        """The policies and the minimum of a type, in proportion to the hours of a part-time employee."""
        if self.day_lengths is None or not self.terms or not leave_type.prorates_part_time:
            return leave_type.policies, leave_type.minimum
        return leave_type.policies_of(self.day_lengths.schedule(self.terms[0].employee_id))

    def _days_in_lieu(self, leave_type: LeaveType, until: date) -> Iterator[Movement]:
        """The days in lieu of public holidays on days off."""
        if self.day_lengths is None or not self.terms or not leave_type.makes_choice(HolidayOffChoice.DAY_IN_LIEU):
            return
        schedule = self.day_lengths.schedule(self.terms[0].employee_id)
        yield from list_days_in_lieu(current_law().holidays, schedule, leave_type.policies, until)

    def taken_for_children(self) -> TakenLeave:
        """The leave taken of the types that depend on children."""
        return {
            leave_type.system_type: sorted(
                (movement.date, -movement.millidays)
                for movement in self.recorded.get(leave_type.id, ())
                if movement.kind is MovementKind.TAKEN
            )
            for leave_type in self.types
            if leave_type.system_type in CHILD_LEAVE_TYPES
        }

    def _opening(self, leave_type: LeaveType) -> OpeningBalances | None:
        opening = self.opening_balances
        return opening if opening is not None and leave_type.id in opening.millidays else None

    def find_type(self, type_id: int) -> LeaveType | None:
        """Return the type with this id."""
        return next((leave_type for leave_type in self.types if leave_type.id == type_id), None)

    def affected_types(self, type_id: int) -> list[LeaveType]:
        """Return the types whose balance changes with leave of a type: itself, and the one that includes it."""
        leave_type = self.find_type(type_id)
        including = find_including_type(self.types, leave_type) if leave_type else None
        return [affected for affected in (leave_type, including) if affected]

    def serves(self, day: date) -> bool:
        """Return whether the employee is in service on a day."""
        return any(term.start <= day and (term.end is None or day <= term.end) for term in self.terms)

    def with_leave(self, taken: Sequence[tuple[int, date, int]]) -> "LeaveLedger":
        """Return the ledger with more leave: type, date and thousandths of days."""
        recorded = {type_id: list(movements) for type_id, movements in self.recorded.items()}
        for type_id, day, millidays in taken:
            for leave_type in self.affected_types(type_id):
                movement = Movement(day, MovementKind.TAKEN, -millidays, "leave")
                recorded.setdefault(leave_type.id, []).append(movement)
        return replace(self, recorded=recorded, _grants_cache={})


async def load_ledger(
    tx: Transaction, client_id: int, employee_id: int, exclude_day_id: int | None = None
) -> LeaveLedger:
    """Load the ledger of an employee, optionally without one of the leave days."""
    leave_types = await load_leave_types(tx, client_id)
    types_by_id = {leave_type.id: leave_type for leave_type in leave_types}
    recorded: dict[int, list[Movement]] = {}
    for row in await repository.list_recorded(tx, client_id, employee_id):
        leave_type = types_by_id[row["leave_type_id"]]
        if row["reason"] is not None:
            adjustment = Movement(row["date"], MovementKind.ADJUSTMENT, row["millidays"], row["reason"])
            recorded.setdefault(leave_type.id, []).append(adjustment)
        elif row["day_id"] != exclude_day_id:
            name, hours = leave_type.name, row["millihours"]
            reason = name if hours is None else f"{name}, {_hours(hours)}"
            taken = Movement(row["date"], MovementKind.TAKEN, row["millidays"], reason)
            recorded.setdefault(leave_type.id, []).append(taken)
            if including := find_including_type(leave_types, leave_type):
                counted = replace(taken, reason=f"{reason}, which it includes")
                recorded.setdefault(including.id, []).append(counted)
    terms = (await service_periods.load_service_terms(tx, client_id, [employee_id]))[employee_id]
    opening_balances = (await load_opening_balances(tx, client_id, [employee_id])).get(employee_id)
    parents = await load_parents(tx, client_id, leave_types, [employee_id])
    day_lengths = await load_needed_day_lengths(tx, client_id, leave_types, [employee_id])
    return LeaveLedger(leave_types, terms, opening_balances, recorded, parents, day_lengths)


def _hours(millihours: int) -> str:
    return f"{format_millis(millihours)} hour{'' if millihours == 1000 else 's'}"
