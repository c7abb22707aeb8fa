"""Additional wages: how much of them bears CPF, within the ceiling of the year.

The year's ceiling is the annual ceiling less the ordinary wages that bear CPF in the year. During the year these are
estimated; in December, and in the month of leaving, they are known, and whatever the estimate left out is made good.
What it took too much is the CPF Board's to refund: nothing here ever becomes negative.
"""

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Cents, Dates, any_nonzero
from gaji.law.cpf.inputs import CpfContributions, MonthWages, PriorMonths
from gaji.law.cpf.parameters import EXPECTED_MONTHS, CpfParameters
from gaji.law.months import DECEMBER, Month


def subject_cents(
    parameters: CpfParameters,
    month: Month,
    wages: MonthWages,
    year: PriorMonths,
    ordinary_subject_cents: Cents,
    taken: CpfContributions,
) -> Cents:
    """The additional wages of the month, to date, that bear CPF."""
    if not any(
        any_nonzero(column)
        for column in (wages.additional_cents, year.additional_cents, taken.additional_subject_cents)
    ):
        return np.zeros_like(ordinary_subject_cents)
    annual = parameters.annual_ceiling_cents.at(month).value
    final = is_final(month, wages.leaving_dates)
    ordinary = np.where(final, ordinary_subject_cents, expected_cents(parameters, month, wages))
    room = annual - year.ordinary_subject_cents - ordinary - year.additional_subject_cents
    # Once the year is known, earlier additional wages that the estimate left out count as well.
    left_out = np.where(final, year.additional_cents - year.additional_subject_cents, 0)
    candidates = np.maximum(wages.additional_cents + np.maximum(left_out, 0), 0)
    subject: Cents = np.maximum(np.minimum(room, candidates), 0)
    return np.maximum(subject, np.minimum(committed_cents(ordinary_subject_cents, taken), candidates))


def is_final(month: Month, leaving_dates: Dates) -> npt.NDArray[np.bool_]:
    """Whether the year's ordinary wages are known: in December, and from the month of leaving on."""
    if month.month == DECEMBER:
        return np.ones(len(leaving_dates), dtype=np.bool_)
    left: npt.NDArray[np.bool_] = leaving_dates <= np.datetime64(month.last_day, "D")
    return left


def expected_cents(parameters: CpfParameters, month: Month, wages: MonthWages) -> Cents:
    """The ordinary wages expected of the rest of the year, this month included, each month up to its own ceiling.

    Months after a recorded last day of service do not count.
    """
    ceilings = parameters.ordinary_wage_ceiling_cents
    if parameters.additional_wage_estimate.at(month).value != EXPECTED_MONTHS:
        return np.clip(wages.ordinary_cents, 0, ceilings.at(month).value)
    expected = np.zeros_like(wages.ordinary_cents)
    for later in range(DECEMBER - month.month + 1):
        in_month = month + later
        in_service = ~(wages.leaving_dates < np.datetime64(in_month.first_day, "D"))
        expected += in_service * np.clip(wages.expected_month_cents, 0, ceilings.at(in_month).value)
    return expected


def committed_cents(ordinary_subject_cents: Cents, taken: CpfContributions) -> Cents:
    """The least that must go on bearing CPF because earlier payslips of the month took it.

    When the estimate rises within a month, the ceiling must not turn into a refund: what bore CPF so far goes on to,
    except for what the ordinary wages have meanwhile grown to cover.
    """
    covered = taken.ordinary_subject_cents + taken.additional_subject_cents - ordinary_subject_cents
    kept: Cents = np.maximum(np.minimum(covered, taken.additional_subject_cents), 0)
    return kept
