"""The journal of a pay run: what its payslips come to in the ledger, for each split.

Every line of a payslip is one amount with two accounts. Income is owed to the employees and deductions are taken from
what is owed to them, so that both meet in the account of nett pay; a journal shows what remains there as one line.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gaji.engine.catalogue import NETT_PAY, Section
from gaji.engine.split_allocation import Division
from gaji.engine.line_decoder import LineKey, columns
from gaji.engine.ledger import Ledger
from gaji.law.columns import Cents

ORDER = (Section.INCOME, Section.DEDUCTION, Section.EMPLOYER_CONTRIBUTION, Section.BENEFIT)

Totals = Mapping[LineKey, Cents]
"""By line, what it comes to in each split."""


@dataclass(frozen=True)
class Posting:
    """A line of a journal: an amount for each split, on one side of an account."""

    category: str
    line_item: str
    label: str
    """The account."""
    amounts: Cents


@dataclass(frozen=True)
class Journal:
    """Postings whose debits equal their credits in every split."""

    debit: Sequence[Posting]
    credit: Sequence[Posting]


def journal(ledger: Ledger, forms: Sequence[str], division: Division) -> Journal:
    """The journal of payslips, given by their detail forms, that are divided in this way."""
    return posted(ledger, totals(forms, division))


def totals(forms: Sequence[str], division: Division) -> Totals:
    """What each line of payslips comes to in each split."""
    return {key: division.divided(column.payslips, column.amounts) for key, column in columns(forms).items()}


def posted(ledger: Ledger, totals: Totals) -> Journal:
    """The postings of lines, in the order of the catalogue, with nett pay at the end."""
    debit: list[Posting] = []
    credit: list[Posting] = []
    paid_out: dict[str, Cents] = defaultdict(lambda: np.zeros(1, dtype=np.int64))
    for section, item in _in_order(ledger, totals):
        accounts, amounts = ledger.posted(section, item), totals[section, item]
        if section == Section.DEDUCTION:
            paid_out[accounts.debit] = paid_out[accounts.debit] - amounts
        else:
            debit.append(Posting(accounts.category, item, accounts.debit, amounts))
        if section == Section.INCOME:
            paid_out[accounts.credit] = paid_out[accounts.credit] + amounts
        else:
            credit.append(Posting(accounts.category, item, accounts.credit, amounts))
    credit += [Posting(ledger.nett_pay.category, NETT_PAY, account, amounts) for account, amounts in paid_out.items()]
    return Journal(
        [*_kept(debit), *_turned(credit)],
        [*_kept(credit), *_turned(debit)],
    )


def _in_order(ledger: Ledger, totals: Totals) -> list[LineKey]:
    places = {item: place for place, item in enumerate(ledger.items)}
    return sorted(totals, key=lambda key: (ORDER.index(key[0]), places.get(key[1], len(places)), key[1]))


def _kept(postings: Sequence[Posting]) -> list[Posting]:
    """The postings that stay on their side: whatever is not, all in all, taken back."""
    return [one for one in postings if one.amounts.any() and one.amounts.sum() >= 0]


def _turned(postings: Sequence[Posting]) -> list[Posting]:
    """What is taken back, all in all, from the one side stands on the other."""
    return [Posting(one.category, one.line_item, one.label, -one.amounts) for one in postings if one.amounts.sum() < 0]
