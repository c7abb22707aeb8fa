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

COLUMN_FORMATS = (">i8", ">i8", ">i4", ">i4")
"""Of employees, types, dates and thousandths of days, as `repository.load_columns` returns them."""
DATABASE_EPOCH = np.datetime64("2000-01-01", "D")
"""The day from which PostgreSQL counts days."""


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
    tables = [[_column(*column) for column in zip(row, COLUMN_FORMATS, strict=True)] for row in rows]
    employee_ids, type_ids, dates, millidays = (np.concatenate(columns) for columns in zip(*tables, strict=True))
    taken = np.repeat([True, False], [len(table[0]) for table in tables])
    selected, people = _assign_rows(term_employees, employee_ids)
    recorded = RecordedLeave(
        people,
        type_ids[selected],
        DATABASE_EPOCH + dates[selected].view("timedelta64[D]"),
        np.where(taken, -millidays, millidays)[selected],
        taken[selected],
    )
    first, last = date_column([term.start for term in terms]), date_column([term.end for term in terms])
    return recorded.select((first[people] <= recorded.dates) & ~(recorded.dates > last[people]))


def _column(data: bytes | None, column_format: str) -> Counts:
    """Decode a column that the database sent as big-endian integers."""
    return np.frombuffer(data or b"", dtype=column_format).astype(np.int64)


def _assign_rows(term_employees: Counts, employee_ids: Counts) -> tuple[PersonIndexes, PersonIndexes]:
    """Return which rows belong to which terms. A row of an employee with two terms belongs to both."""
    order = np.argsort(term_employees, kind="stable")
    employees, first, term_counts = np.unique(term_employees[order], return_index=True, return_counts=True)
    if not len(employees):
        return order, order
    index = np.searchsorted(employees[:-1], employee_ids)
    row_counts = np.where(employees[index] == employee_ids, term_counts[index], 0)
    rows = np.repeat(np.arange(len(employee_ids)), row_counts)
    position = np.arange(len(rows)) - np.repeat(np.cumsum(row_counts) - row_counts, row_counts)
    return rows, order[first[index[rows]] + position]
