"""Division: amounts of payslips over the splits of a company, to the cent, for whole columns at once.

What a share comes to is cut to the cent; the cents that are left over go one each to the shares that lost most by it
(the largest remainder), the first split among equals. So the parts of every amount add up to it exactly. An amount
below zero is divided like the same amount above zero, so that taking something back cancels it in every split.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Cents

FULL_SHARE = 10_000
"""A share is in hundredths of a percent; these make all of it."""

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SplitAllocation:
    """How each payslip is divided. The shares of the payslip at a place lie from its start to the next one's."""

    split_count: int
    """How many there are."""
    starts: Places
    split_indexes: Places
    shares: Places

    @classmethod
    def from_shares(cls, splits: int, shares: Sequence[Mapping[int, int]]) -> "SplitAllocation":
        """From the shares of each payslip: by the place of a split, hundredths of a percent that make a whole."""
        counts = [len(one) for one in shares]
        return cls(
            splits,
            np.cumsum([0, *counts], dtype=np.int64),
            _places([place for one in shares for place in sorted(one)]),
            _places([one[place] for one in shares for place in sorted(one)]),
        )

    @classmethod
    def single_split(cls, splits: int, places: Sequence[int]) -> "SplitAllocation":
        """Each payslip wholly in one split."""
        return cls(splits, np.arange(len(places) + 1), _places(places), np.full(len(places), FULL_SHARE))

    def allocate(self, payslips: Places, amounts: Cents) -> Cents:
        """What amounts of payslips, each named by its place, come to in each split."""
        total = np.zeros(self.split_count, dtype=np.int64)
        counts = self.starts[payslips + 1] - self.starts[payslips]
        amount_at = np.repeat(np.arange(len(payslips)), counts)
        first = np.cumsum(counts) - counts
        rank = np.arange(len(amount_at)) - first[amount_at]
        share_at = self.starts[payslips][amount_at] + rank
        parts = _parts(np.abs(amounts), amount_at, self.shares[share_at], rank)
        np.add.at(total, self.split_indexes[share_at], parts * np.sign(amounts)[amount_at])
        return total


def _parts(amounts: Cents, amount_at: Places, shares: Places, rank: Places) -> Cents:
    """The parts of amounts that are not negative: those of one amount side by side, each with its rank there."""
    whole, rest = np.divmod(amounts, FULL_SHARE)  # apart, because the largest amounts times a share are beyond 64 bits
    parts, lost = np.divmod(rest[amount_at] * shares, FULL_SHARE)
    parts += whole[amount_at] * shares
    left = amounts.copy()
    np.subtract.at(left, amount_at, parts)
    # The parts of one amount stay where they were as a group, in the order of what they lost: their ranks still hold.
    by_loss = np.lexsort((-lost, amount_at))
    parts[by_loss] += rank < left[amount_at]
    return parts


def _places(values: Sequence[int]) -> Places:
    return np.array(values, dtype=np.int64)
