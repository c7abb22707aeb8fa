"""The journal of a pay run: what its payslips come to in the ledger, for each split.

Every line of a payslip is one amount with two accounts. Income is owed to the employees and deductions are taken from
what is owed to them, so that both meet in the account of nett pay; a journal shows what remains there as one line.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gaji.engine.catalogue import NETT_PAY, PayslipSection
from gaji.engine.split_allocation import SplitAllocation
from gaji.engine.line_decoder import LineKey, decode_line_columns
from gaji.engine.ledger import Ledger
from gaji.law.columns import Cents

ORDER = (PayslipSection.INCOME, PayslipSection.DEDUCTION, PayslipSection.EMPLOYER_CONTRIBUTION, PayslipSection.BENEFIT)

Totals = Mapping[LineKey, Cents]
"""By line, what it comes to in each split."""


@dataclass(frozen=True)
class JournalLine:
    """A line of a journal: an amount for each split, on one side of an account."""

    category: str
    line_item: str
    account: str
    """The account."""
    amounts_cents: Cents


@dataclass(frozen=True)
class Journal:
    """Postings whose debits equal their credits in every split."""

    debit: Sequence[JournalLine]
    credit: Sequence[JournalLine]


def build_journal(ledger: Ledger, forms: Sequence[str], division: SplitAllocation) -> Journal:
    """The journal of payslips, given by their detail forms, that are divided in this way."""
    return post_totals(ledger, split_totals(forms, division))


def split_totals(forms: Sequence[str], division: SplitAllocation) -> Totals:
    """What each line of payslips comes to in each split."""
    return {key: division.allocate(column.payslips, column.amounts) for key, column in decode_line_columns(forms).items()}


def post_totals(ledger: Ledger, totals: Totals) -> Journal:
    """The postings of lines, in the order of the catalogue, with nett pay at the end."""
    debit: list[JournalLine] = []
    credit: list[JournalLine] = []
    paid_out: dict[str, Cents] = defaultdict(lambda: np.zeros(1, dtype=np.int64))
    for section, item in _in_order(ledger, totals):
        accounts, amounts = ledger.accounts_for_line(section, item), totals[section, item]
        if section == PayslipSection.DEDUCTION:
            paid_out[accounts.debit] = paid_out[accounts.debit] - amounts
        else:
            debit.append(JournalLine(accounts.category, item, accounts.debit, amounts))
        if section == PayslipSection.INCOME:
            paid_out[accounts.credit] = paid_out[accounts.credit] + amounts
        else:
            credit.append(JournalLine(accounts.category, item, accounts.credit, amounts))
    credit += [JournalLine(ledger.nett_pay.category, NETT_PAY, account, amounts) for account, amounts in paid_out.items()]
    return Journal(
        [*_kept(debit), *_turned(credit)],
        [*_kept(credit), *_turned(debit)],
    )


def _in_order(ledger: Ledger, totals: Totals) -> list[LineKey]:
    places = {item: place for place, item in enumerate(ledger.items)}
    return sorted(totals, key=lambda key: (ORDER.index(key[0]), places.get(key[1], len(places)), key[1]))


def _kept(postings: Sequence[JournalLine]) -> list[JournalLine]:
    """The postings that stay on their side: whatever is not, all in all, taken back."""
    return [one for one in postings if one.amounts_cents.any() and one.amounts_cents.sum() >= 0]


def _turned(postings: Sequence[JournalLine]) -> list[JournalLine]:
    """What is taken back, all in all, from the one side stands on the other."""
    return [JournalLine(one.category, one.line_item, one.account, -one.amounts_cents) for one in postings if one.amounts_cents.sum() < 0]
