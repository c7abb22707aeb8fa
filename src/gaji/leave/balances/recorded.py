"""What was recorded of many people, as columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from gaji.db.tenancy import Transaction
from gaji.engine.leave.balances import People
from gaji.law.columns import Dates, Flags, date_column
from gaji.law.quantities import Counts, Millis, counts
from gaji.leave.balances import repository
from gaji.people.service_periods.facts import Term


@dataclass(frozen=True)
class Recorded:
    """Leave that was taken (below zero), and adjustments."""

    people: People
    type_ids: Counts
    dates: Dates
    millidays: Millis
    taken: Flags

    def only(self, chosen: Flags | People) -> "Recorded":
        """Some of it."""
        return Recorded(
            self.people[chosen], self.type_ids[chosen], self.dates[chosen], self.millidays[chosen], self.taken[chosen]
        )


async def recorded_in(
    tx: Transaction, client_id: int, terms: Sequence[Term], until: date, *, whole_client: bool = False
) -> Recorded:
    """What was recorded in these services up to a day; they are those of everyone where the whole client is meant."""
    employee_ids = counts([term.employee_id for term in terms])
    wanted = None if whole_client else np.unique(employee_ids).tolist()
    tables = [[_column(sent) for sent in row] for row in await repository.columns(tx, client_id, until, wanted)]
    of_employees, type_ids, dates, millidays = (np.concatenate(both) for both in zip(*tables, strict=True))
    taken = np.repeat([True, False], [len(table[0]) for table in tables])
    rows, people = _in_their_places(employee_ids, of_employees)
    every = Recorded(
        people,
        type_ids[rows],
        dates[rows].view("datetime64[D]"),
        np.where(taken, -millidays, millidays)[rows],
        taken[rows],
    )
    first, last = date_column([term.start for term in terms]), date_column([term.end for term in terms])
    return every.only((first[people] <= every.dates) & ~(every.dates > last[people]))


def _column(sent: bytes | None) -> Counts:
    """The column that the database sent: its numbers have their first byte first."""
    return np.frombuffer(sent or b"", dtype=">i8").astype(np.int64)


def _in_their_places(employee_ids: Counts, of_employees: Counts) -> tuple[People, People]:
    """Which rows belong to which places; a row of someone who is there twice belongs to both."""
    order = np.argsort(employee_ids, kind="stable")
    ordered = employee_ids[order]
    start = np.searchsorted(ordered, of_employees)
    times = np.searchsorted(ordered, of_employees, side="right") - start
    rows = np.repeat(np.arange(len(of_employees)), times)
    among_own = np.arange(len(rows)) - np.repeat(np.cumsum(times) - times, times)
    return rows, order[np.repeat(start, times) + among_own]
