"""Divide amounts of payslips over the splits of a company, to the cent, for whole columns at once.

Each share is truncated to the cent. The remaining cents go, one each, to the shares that lost most by truncation (the
largest remainder method); among equals, to the first split. The parts of every amount add up to it exactly. A negative
amount is divided like the same positive amount, so that reversing an amount cancels it in every split.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Cents

FULL_SHARE = 10_000
"""100 %. Shares are in hundredths of a percent."""

Indexes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SplitAllocation:
    """The shares of each payslip. Those of payslip `i` are at `starts[i]` to `starts[i + 1]`, end excluded."""

    split_count: int
    starts: Indexes
    split_indexes: Indexes
    shares: Indexes

    @classmethod
    def from_shares(cls, split_count: int, shares: Sequence[Mapping[int, int]]) -> "SplitAllocation":
        """Build from the shares of each payslip: by split index, hundredths of a percent that add up to 100 %."""
        counts = [len(payslip_shares) for payslip_shares in shares]
        return cls(
            split_count,
            np.cumsum([0, *counts], dtype=np.int64),
            _int64([split for payslip_shares in shares for split in sorted(payslip_shares)]),
            _int64([payslip_shares[split] for payslip_shares in shares for split in sorted(payslip_shares)]),
        )

    @classmethod
    def single_split(cls, split_count: int, split_indexes: Sequence[int]) -> "SplitAllocation":
        """Build from one split for each payslip, which gets all of it."""
        payslip_count = len(split_indexes)
        return cls(split_count, np.arange(payslip_count + 1), _int64(split_indexes), np.full(payslip_count, FULL_SHARE))

    def allocate(self, payslips: Indexes, amounts: Cents) -> Cents:
        """The total of each split when the amounts of these payslips are divided."""
        totals = np.zeros(self.split_count, dtype=np.int64)
        counts = self.starts[payslips + 1] - self.starts[payslips]
        amount_at = np.repeat(np.arange(len(payslips)), counts)
        first = np.cumsum(counts) - counts
        rank = np.arange(len(amount_at)) - first[amount_at]
        share_at = self.starts[payslips][amount_at] + rank
        parts = _parts(np.abs(amounts), amount_at, self.shares[share_at], rank)
        np.add.at(totals, self.split_indexes[share_at], parts * np.sign(amounts)[amount_at])
        return totals


def _parts(amounts: Cents, amount_at: Indexes, shares: Indexes, rank: Indexes) -> Cents:
    """The parts of nonnegative amounts. The parts of one amount are adjacent; `rank` is the position among them."""
    # Divided in two steps: the largest amounts times a share do not fit into 64 bits.
    quotients, remainders = np.divmod(amounts, FULL_SHARE)
    parts, lost = np.divmod(remainders[amount_at] * shares, FULL_SHARE)
    parts += quotients[amount_at] * shares
    unallocated = amounts.copy()
    np.subtract.at(unallocated, amount_at, parts)
    # Sorting by loss within each amount keeps the parts of one amount adjacent, so their ranks still apply.
    by_loss = np.lexsort((-lost, amount_at))
    parts[by_loss] += rank < unallocated[amount_at]
    return parts


def _int64(values: Sequence[int]) -> Indexes:
    return np.array(values, dtype=np.int64)
