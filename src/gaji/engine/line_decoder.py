"""Decode stored payslip lines into columns of amounts, one for each line."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

from gaji.engine.catalogue import PayslipSection
from gaji.law.columns import Cents

TOTAL = "total"

LineKey = tuple[PayslipSection, str]
"""The section and the item of a line."""
LineList = list[tuple[str | int, str]]


class LineSections(msgspec.Struct):
    """The sections of lines in the stored JSON of a payslip."""

    income: LineList = []
    deduction: LineList = []
    sideline: list[tuple[PayslipSection, LineList]] = []

    def sections(self) -> Iterator[tuple[PayslipSection, LineList]]:
        """Iterate over the sections with their lines, including section totals."""
        yield PayslipSection.INCOME, self.income
        yield PayslipSection.DEDUCTION, self.deduction
        yield from self.sideline


@dataclass(frozen=True)
class LineColumn:
    """One line over many payslips."""

    payslips: npt.NDArray[np.int64]
    """The indexes of the payslips that have the line."""
    amounts: Cents


def decode_line_columns(lines_json: Sequence[str]) -> Mapping[LineKey, LineColumn]:
    """Decode the lines of payslips into columns. Section totals are left out."""
    payslips: dict[LineKey, list[int]] = defaultdict(list)
    amounts: dict[LineKey, list[int]] = defaultdict(list)
    for i, stored in enumerate(map(_decode, lines_json)):
        for section, lines in stored.sections():
            for item, amount in lines:
                if item != TOTAL:
                    key = (section, str(item))
                    payslips[key].append(i)
                    amounts[key].append(stored_cents(amount))
    return {
        key: LineColumn(np.array(indexes, dtype=np.int64), np.array(amounts[key], dtype=np.int64))
        for key, indexes in payslips.items()
    }


def stored_cents(amount: str) -> int:
    """Return the cents of an amount of a stored line. It always has two decimals, so no validation is needed."""
    return int(amount.replace(".", ""))


_decode = msgspec.json.Decoder(LineSections).decode
