"""Leave days and adjustments of many employees, as columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from gaji.db.tenancy import Transaction
from gaji.engine.leave.leave_years import PersonIndexes
from gaji.law.columns import Dates, Flags, date_column
from gaji.law.quantities import Counts, Millis, counts
from gaji.leave.balances import repository
from gaji.people.service_periods.queries import ServiceTerm


@dataclass(frozen=True)
class RecordedLeave:
    """Leave taken (negative) and adjustments."""

    people: PersonIndexes
    type_ids: Counts
    dates: Dates
    millidays: Millis
    taken: Flags

    def select(self, rows: Flags | PersonIndexes) -> "RecordedLeave":
        """Return some of the rows."""
        return RecordedLeave(
            self.people[rows], self.type_ids[rows], self.dates[rows], self.millidays[rows], self.taken[rows]
        )


async def load_recorded(
    tx: Transaction, client_id: int, terms: Sequence[ServiceTerm], until: date, *, whole_client: bool = False
) -> RecordedLeave:
    """Load what was recorded in these services up to a day. With `whole_client`, no filter by employee is sent."""
    term_employees = counts([term.employee_id for term in terms])
    employee_filter = None if whole_client else np.unique(term_employees).tolist()
    rows = await repository.load_columns(tx, client_id, until, employee_filter)
    tables = [[_column(data) for data in row] for row in rows]
    employee_ids, type_ids, dates, millidays = (np.concatenate(columns) for columns in zip(*tables, strict=True))
    taken = np.repeat([True, False], [len(table[0]) for table in tables])
    selected, people = _assign_rows(term_employees, employee_ids)
    recorded = RecordedLeave(
        people,
        type_ids[selected],
        dates[selected].view("datetime64[D]"),
        np.where(taken, -millidays, millidays)[selected],
        taken[selected],
    )
    first, last = date_column([term.start for term in terms]), date_column([term.end for term in terms])
    return recorded.select((first[people] <= recorded.dates) & ~(recorded.dates > last[people]))


def _column(data: bytes | None) -> Counts:
    """Decode a column that the database sent as big-endian 8-byte integers."""
    return np.frombuffer(data or b"", dtype=">i8").astype(np.int64)


def _assign_rows(term_employees: Counts, employee_ids: Counts) -> tuple[PersonIndexes, PersonIndexes]:
    """Return which rows belong to which terms. A row of an employee with two terms belongs to both."""
    order = np.argsort(term_employees, kind="stable")
    ordered = term_employees[order]
    start = np.searchsorted(ordered, employee_ids)
    term_counts = np.searchsorted(ordered, employee_ids, side="right") - start
    rows = np.repeat(np.arange(len(employee_ids)), term_counts)
    position = np.arange(len(rows)) - np.repeat(np.cumsum(term_counts) - term_counts, term_counts)
    return rows, order[np.repeat(start, term_counts) + position]
