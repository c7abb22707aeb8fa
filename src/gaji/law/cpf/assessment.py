"""CPF of a month from beginning to end, for whole columns of people."""

from dataclasses import dataclass

import numpy as np

from gaji.law.columns import Cents, anyone
from gaji.law.cpf import additional_wages, contributions
from gaji.law.cpf.inputs import Contributions, People, Wages, Year, nothing_taken
from gaji.law.cpf.parameters import CpfParameters, Table
from gaji.law.cpf.tables import Applying, applying
from gaji.law.months import Month


@dataclass(frozen=True)
class Assessment:
    """What a payslip contributes, and what that rests on."""

    applying: Applying
    liability: Contributions
    """Of the month, up to and with this payslip."""
    due: Contributions
    """Of this payslip: the liability less what the month's earlier payslips took."""


def assess(
    parameters: CpfParameters,
    month: Month,
    people: People,
    wages: Wages,
    year: Year,
    taken: Contributions | None = None,
    applies: Applying | None = None,
) -> Assessment:
    """The contributions of a payslip for each person; whoever knows already what applies to them can give it."""
    taken = nothing_taken(len(wages.ordinary_cents)) if taken is None else taken
    applies = applying(month, people) if applies is None else applies
    contributes = applies.tables != int(Table.NONE)
    ordinary = contributions.ordinary_subject_cents(parameters, month, applies, wages.ordinary_cents)
    subject = additional_wages.subject_cents(parameters, month, wages, year, ordinary, taken)
    additional = np.where(contributes, subject, 0)
    before = _before_citizenship(applies, wages, ordinary, additional)
    liability = contributions.of_total_wages(parameters, month, applies, ordinary, additional, before)
    return Assessment(applies, liability, liability.less(taken))


def _before_citizenship(applies: Applying, wages: Wages, ordinary: Cents, additional: Cents) -> Cents:
    """Of the wages that bear CPF, those from before citizenship began in this month.

    Wages count in the order in which they were earned, until their ceiling is reached.
    """
    changes = ~np.isnat(applies.changes_on)
    if not anyone(changes):
        return np.zeros(len(ordinary), dtype=np.int64)
    before = np.clip(wages.ordinary_before_cents, 0, ordinary) + np.clip(wages.additional_before_cents, 0, additional)
    return np.where(changes, before, 0)
