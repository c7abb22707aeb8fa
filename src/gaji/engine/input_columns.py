"""The inputs of a batch as columns: one value for each payslip, in the order of the payslips."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from gaji.engine.catalogue import InputField, StoredValue
from gaji.engine.money import to_cents
from gaji.engine.payslip_input import CalculationEntry, EntryPart, PayslipInput
from gaji.law.columns import Cents, Codes, Dates, Flags, date_column, missing_dates
from gaji.law.months import Month
from gaji.law.quantities import MILLI, Millis

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class PeriodParts:
    """The parts of the period with different values of a calculation, of the payslips on which the values change."""

    people: npt.NDArray[np.intp]
    """The index of the payslip of each part. The parts of a payslip are in order."""
    first_days: Dates
    last_days: Dates
    values: Sequence[EntryPart]


class InputColumns:
    """The inputs of each calculation as read-only columns. Missing values are zero or false."""

    def __init__(self, payslips: Sequence[PayslipInput]) -> None:
        self.person_count = len(payslips)
        self.period_end = payslips[0].period.end if payslips else date.max
        """The last day of the period of the batch."""
        self.prorates_gross_rate: Flags = _read_only(
            np.array([payslip.prorates_gross_rate for payslip in payslips], dtype=np.bool_)
        )
        """Whether items of the gross rate of pay are prorated unless entered otherwise."""
        self.ns_direct_scheme: Flags = _read_only(
            np.array([payslip.ns_direct_scheme for payslip in payslips], dtype=np.bool_)
        )
        """Whether the employer pays the full salary during national service."""
        self.dated_leave = {
            i: payslip.leave
            for i, payslip in enumerate(payslips)
            if payslip.leave.unpaid_dates or payslip.leave.national_service_dates
        }
        """The leave of the payslips whose days of absence are known by date."""
        self._zeros = _read_only(np.zeros(self.person_count, dtype=np.int64))
        self._all_false = _read_only(np.zeros(self.person_count, dtype=np.bool_))
        self._entries: dict[str, tuple[list[int], list[CalculationEntry]]] = {}
        self._entered: dict[str, set[str]] = {}
        """The inputs that some payslip has, by calculation."""
        self._multiplied: set[str] = set()
        """The calculations that some payslip has a multiplier for."""
        self._money_cache: dict[tuple[str, str], Cents] = {}
        self._line_cache: dict[str, Flags] = {}
        for i, payslip in enumerate(payslips):
            for name, entry in payslip.calculations.items():
                indexes, entries = self._entries.setdefault(name, ([], []))
                indexes.append(i)
                entries.append(entry)
                self._entered.setdefault(name, set()).update(entry.inputs)
                if entry.multiplier is not None:
                    self._multiplied.add(name)

    @property
    def names(self) -> Iterable[str]:
        """The calculations that occur in the batch."""
        return self._entries.keys()

    def has(self, name: str) -> Flags:
        """Whether the payslip has the calculation, with or without a line."""
        return self._flags(name, [True] * len(self._indexes_and_entries(name)[0]))

    def has_line(self, name: str) -> Flags:
        """Whether the payslip has the calculation with a line."""
        if name not in self._line_cache:
            entries = self._indexes_and_entries(name)[1]
            self._line_cache[name] = self._flags(name, [not entry.skip for entry in entries])
        return self._line_cache[name]

    def is_recurring(self, name: str) -> Flags:
        """Whether the calculation is on every payslip of the employee."""
        return self._flags(name, [entry.recurring for entry in self._indexes_and_entries(name)[1]])

    def is_entered(self, name: str, input_name: str) -> Flags:
        """Whether the input was entered."""
        if not self.is_entered_for_any(name, input_name):
            return self._all_false
        return self._flags(name, [input_name in entry.inputs for entry in self._indexes_and_entries(name)[1]])

    def is_entered_for_any(self, name: str, input_name: str) -> bool:
        """Whether the input was entered for any payslip. Most inputs are not."""
        return input_name in self._entered.get(name, ())

    def flag(self, name: str, input_name: str) -> Flags:
        """A boolean input."""
        if not self.is_entered_for_any(name, input_name):
            return self._all_false
        entries = self._indexes_and_entries(name)[1]
        return self._flags(name, [entry.inputs.get(input_name) is True for entry in entries])

    def money_cents(self, name: str, input_name: str) -> Cents:
        """A money input."""
        if (name, input_name) not in self._money_cache:
            self._money_cache[name, input_name] = self._numbers(name, input_name, parse_cents)
        return self._money_cache[name, input_name]

    def quantity_millis(self, name: str, input_name: str) -> Millis:
        """A quantity or percentage input, in thousandths."""
        return self._numbers(name, input_name, parse_millis)

    def has_multiplier(self, name: str) -> bool:
        """Whether any payslip has a multiplier for the calculation."""
        return name in self._multiplied

    def multiplier_millis(self, name: str) -> Millis:
        """The multiplier of the calculation, in thousandths. Default: 1."""
        column = np.full(self.person_count, MILLI, dtype=np.int64)
        for i, entry in self.entries(name):
            if entry.multiplier is not None:
                column[i] = parse_millis(entry.multiplier)
        return column

    def choice_codes(self, name: str, field: InputField) -> Codes:
        """The index of the chosen value among the choices of the input. Default: the input's default, or the first."""
        default = field.choices.index(str(field.default)) if field.default is not None else 0
        column = np.full(self.person_count, default, dtype=np.int8)
        for i, entry in self.entries(name):
            if (choice := entry.inputs.get(field.name)) is not None:
                column[i] = field.choices.index(str(choice))
        return column

    def dates(self, name: str, input_name: str) -> Dates:
        """A date input. Missing dates are NaT."""
        column = missing_dates(self.person_count)
        for i, entry in self.entries(name):
            if (day := entry.inputs.get(input_name)) is not None:
                column[i] = np.datetime64(str(day), "D")
        return column

    def month_numbers(self, name: str, input_name: str) -> npt.NDArray[np.int64]:
        """A month input as the number of the month. Missing months are -1."""
        column = np.full(self.person_count, -1, dtype=np.int64)
        for i, entry in self.entries(name):
            if (month := entry.inputs.get(input_name)) is not None:
                column[i] = Month.parse(str(month)).number
        return column

    def parts(self, name: str) -> PeriodParts | None:
        """The parts of payslips on which the values of a calculation change. None if they change on no payslip."""
        dated = [(i, entry.parts) for i, entry in self.entries(name) if entry.parts]
        if not dated:
            return None
        values = [part for _, parts in dated for part in parts]
        lasts = [
            last for _, parts in dated for last in (*(part.start - ONE_DAY for part in parts[1:]), self.period_end)
        ]
        people = np.repeat([i for i, _ in dated], [len(parts) for _, parts in dated]).astype(np.intp)
        return PeriodParts(people, date_column([part.start for part in values]), date_column(lasts), values)

    def entries(self, name: str) -> Iterable[tuple[int, CalculationEntry]]:
        """The index of each payslip that has the calculation, with its entry."""
        return zip(*self._indexes_and_entries(name), strict=True)

    def _indexes_and_entries(self, name: str) -> tuple[list[int], list[CalculationEntry]]:
        return self._entries.get(name, ([], []))

    def _numbers(self, name: str, input_name: str, parse: Callable[[StoredValue | None], int]) -> npt.NDArray[np.int64]:
        if not self.is_entered_for_any(name, input_name):
            return self._zeros
        indexes, entries = self._indexes_and_entries(name)
        column = self._zeros.copy()
        column[indexes] = [parse(entry.inputs.get(input_name)) for entry in entries]
        return column

    def _flags(self, name: str, flags: list[bool]) -> Flags:
        if True not in flags:
            return self._all_false
        column = self._all_false.copy()
        column[self._indexes_and_entries(name)[0]] = flags
        return column


def _read_only(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    column.setflags(write=False)
    return column


def parse_cents(value: StoredValue | None) -> int:
    """The amount in cents. Stored amounts have two decimals, which allows a fast path."""
    if value is None:
        return 0
    text = str(value)
    return int(text[:-3] + text[-2:]) if text[-3:-2] == "." else to_cents(text)


def parse_millis(value: StoredValue | None) -> int:
    """The quantity in thousandths."""
    if value is None:
        return 0
    text = str(value)
    return int(text) * MILLI if text.isdigit() else int(Decimal(text) * MILLI)
