"""The journal of a pay run: the totals of its payslips by ledger account and split.

Every payslip line is one amount with two accounts. Income credits the account of nett pay and deductions debit it. The
journal shows the difference as one line.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gaji.engine.catalogue import NETT_PAY, PayslipSection
from gaji.engine.ledger import Ledger
from gaji.engine.line_decoder import LineKey, decode_line_columns
from gaji.engine.split_allocation import SplitAllocation
from gaji.law.columns import Cents

ORDER = (PayslipSection.INCOME, PayslipSection.DEDUCTION, PayslipSection.EMPLOYER_CONTRIBUTION, PayslipSection.BENEFIT)

SplitTotals = Mapping[LineKey, Cents]
"""The total of each payslip line in each split."""


@dataclass(frozen=True)
class JournalLine:
    """A line of a journal: an amount for each split, on one side of an account."""

    category: str
    line_item: str
    account: str
    amounts_cents: Cents


@dataclass(frozen=True)
class Journal:
    """Journal lines whose debits equal their credits in every split."""

    debit: Sequence[JournalLine]
    credit: Sequence[JournalLine]


def build_journal(ledger: Ledger, lines_json: Sequence[str], allocation: SplitAllocation) -> Journal:
    """Build the journal of payslips from their stored lines."""
    return post_totals(ledger, split_totals(lines_json, allocation))


def split_totals(lines_json: Sequence[str], allocation: SplitAllocation) -> SplitTotals:
    """The total of each payslip line in each split."""
    columns = decode_line_columns(lines_json)
    return {key: allocation.allocate(column.payslips, column.amounts) for key, column in columns.items()}


def post_totals(ledger: Ledger, totals: SplitTotals) -> Journal:
    """Post totals to their accounts, in the order of the catalogue, with nett pay last."""
    debit: list[JournalLine] = []
    credit: list[JournalLine] = []
    nett_pay: dict[str, Cents] = defaultdict(lambda: np.zeros(1, dtype=np.int64))
    for section, item in _in_catalogue_order(ledger, totals):
        accounts, amounts = ledger.accounts_for_line(section, item), totals[section, item]
        if section == PayslipSection.DEDUCTION:
            nett_pay[accounts.debit] = nett_pay[accounts.debit] - amounts
        else:
            debit.append(JournalLine(accounts.category, item, accounts.debit, amounts))
        if section == PayslipSection.INCOME:
            nett_pay[accounts.credit] = nett_pay[accounts.credit] + amounts
        else:
            credit.append(JournalLine(accounts.category, item, accounts.credit, amounts))
    category = ledger.nett_pay.category
    credit += [JournalLine(category, NETT_PAY, account, amounts) for account, amounts in nett_pay.items()]
    return Journal(
        [*_same_side(debit), *_other_side(credit)],
        [*_same_side(credit), *_other_side(debit)],
    )


def _in_catalogue_order(ledger: Ledger, totals: SplitTotals) -> list[LineKey]:
    positions = {item: i for i, item in enumerate(ledger.items)}
    return sorted(totals, key=lambda key: (ORDER.index(key[0]), positions.get(key[1], len(positions)), key[1]))


def _same_side(lines: Sequence[JournalLine]) -> list[JournalLine]:
    """The lines that stay on their side: those with a total of zero or more, and not zero in every split."""
    return [line for line in lines if line.amounts_cents.any() and line.amounts_cents.sum() >= 0]


def _other_side(lines: Sequence[JournalLine]) -> list[JournalLine]:
    """The lines with a negative total, negated for the other side."""
    return [
        JournalLine(line.category, line.line_item, line.account, -line.amounts_cents)
        for line in lines
        if line.amounts_cents.sum() < 0
    ]
