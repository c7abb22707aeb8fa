"""The inputs of a batch as columns: one entry for each case, in the order of the cases."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from gaji.engine.payslip_input import Case, Entry
from gaji.engine.catalogue import Input, Kept
from gaji.engine.money import cents
from gaji.law.columns import Cents, Codes, Dates, Flags, missing_dates
from gaji.law.quantities import MILLI, Millis


class Inputs:
    """What was entered for each calculation, as columns that are not to be written to; zero or no where nothing was."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.people = len(cases)
        self._nothing = _fixed(np.zeros(self.people, dtype=np.int64))
        self._nobody = _fixed(np.zeros(self.people, dtype=np.bool_))
        self._entries: dict[str, tuple[list[int], list[Entry]]] = {}
        self._money: dict[tuple[str, str], Cents] = {}
        self._shown: dict[str, Flags] = {}
        for place, case in enumerate(cases):
            for name, entry in case.calculations.items():
                places, entries = self._entries.setdefault(name, ([], []))
                places.append(place)
                entries.append(entry)

    @property
    def names(self) -> Iterable[str]:
        """The calculations that anyone has."""
        return self._entries.keys()

    def has(self, name: str) -> Flags:
        """Who has the calculation, with a line or without."""
        return self._flags(name, [True] * len(self._of(name)[0]))

    def shows(self, name: str) -> Flags:
        """Who has the calculation with a line."""
        if name not in self._shown:
            self._shown[name] = self._flags(name, [not entry.skip for entry in self._of(name)[1]])
        return self._shown[name]

    def recurs(self, name: str) -> Flags:
        """Who has the calculation on every payslip."""
        return self._flags(name, [entry.recurring for entry in self._of(name)[1]])

    def given(self, name: str, one: str) -> Flags:
        """For whom the input was entered."""
        return self._flags(name, [one in entry.inputs for entry in self._of(name)[1]])

    def flag(self, name: str, one: str) -> Flags:
        """A yes or no; no where nothing was entered."""
        return self._flags(name, [entry.inputs.get(one) is True for entry in self._of(name)[1]])

    def money(self, name: str, one: str) -> Cents:
        """An amount."""
        if (name, one) not in self._money:
            self._money[name, one] = self._numbers(name, one, _cents)
        return self._money[name, one]

    def quantity(self, name: str, one: str) -> Millis:
        """A quantity or percentage, in thousandths."""
        return self._numbers(name, one, _millis)

    def multiplies(self, name: str) -> bool:
        """Whether the amount of anyone is multiplied by anything."""
        return any(entry.multiplier is not None for entry in self._of(name)[1])

    def multiplier(self, name: str) -> Millis:
        """By what the amount is multiplied, in thousandths."""
        column = np.full(self.people, MILLI, dtype=np.int64)
        for place, entry in self.entries(name):
            if entry.multiplier is not None:
                column[place] = _millis(entry.multiplier)
        return column

    def choice(self, name: str, one: Input) -> Codes:
        """The place of the choice among those of the input; its default, or the first, where none was made."""
        default = one.choices.index(str(one.default)) if one.default is not None else 0
        column = np.full(self.people, default, dtype=np.int8)
        for place, entry in self.entries(name):
            if (chosen := entry.inputs.get(one.name)) is not None:
                column[place] = one.choices.index(str(chosen))
        return column

    def day(self, name: str, one: str) -> Dates:
        """A date."""
        column = missing_dates(self.people)
        for place, entry in self.entries(name):
            if (day := entry.inputs.get(one)) is not None:
                column[place] = np.datetime64(str(day), "D")
        return column

    def entries(self, name: str) -> Iterable[tuple[int, Entry]]:
        """Each place that has the calculation, with what was entered there."""
        return zip(*self._of(name), strict=True)

    def _of(self, name: str) -> tuple[list[int], list[Entry]]:
        return self._entries.get(name, ([], []))

    def _numbers(self, name: str, one: str, read: Callable[[Kept | None], int]) -> npt.NDArray[np.int64]:
        places, entries = self._of(name)
        entered = [entry.inputs.get(one) for entry in entries]
        if entered.count(None) == len(entered):  # most inputs are entered for nobody
            return self._nothing
        column = self._nothing.copy()
        column[places] = [read(kept) for kept in entered]
        return column

    def _flags(self, name: str, flags: list[bool]) -> Flags:
        if True not in flags:
            return self._nobody
        column = self._nobody.copy()
        column[self._of(name)[0]] = flags
        return column


def _fixed(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same column, which nobody can write to."""
    column.setflags(write=False)
    return column


def _cents(kept: Kept | None) -> int:
    """The cents of an amount; kept amounts have two decimals, which makes them quick to read."""
    if kept is None:
        return 0
    text = str(kept)
    return int(text[:-3] + text[-2:]) if text[-3:-2] == "." else cents(text)


def _millis(kept: Kept | None) -> int:
    """The thousandths of a quantity."""
    if kept is None:
        return 0
    text = str(kept)
    return int(text) * MILLI if text.isdigit() else int(Decimal(text) * MILLI)
