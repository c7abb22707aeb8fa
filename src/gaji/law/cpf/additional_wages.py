"""Additional wages subject to CPF, within the ceiling of the year.

The additional wage ceiling is the annual ceiling less the year's ordinary wages that are subject to CPF. During the
year these are estimated. In December and in the month of leaving they are known, and additional wages that the estimate
left out are added: the shortfall. It has the rates of the months in which those wages were paid. If the estimate was
too low, too much was contributed, and the CPF Board refunds it on application: no result here is negative.
"""

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Cents, Dates, any_nonzero
from gaji.law.cpf.inputs import CpfContributions, MonthWages, PriorMonths
from gaji.law.cpf.parameters import EXPECTED_MONTHS, CpfParameters
from gaji.law.months import DECEMBER, MONTHS_PER_YEAR, Month


def subject_cents(
    parameters: CpfParameters,
    month: Month,
    wages: MonthWages,
    prior: PriorMonths,
    ordinary_subject_cents: Cents,
    earlier: CpfContributions,
) -> Cents:
    """The additional wages of the month to date that are subject to CPF."""
    columns = (
        wages.additional_cents,
        prior.additional_cents,
        prior.additional_subject_cents,
        earlier.additional_subject_cents,
    )
    if not any(any_nonzero(column) for column in columns):
        return np.zeros_like(ordinary_subject_cents)
    annual = parameters.annual_ceiling_cents.at(month).value
    final = is_final(month, wages.leaving_dates)
    ordinary = np.where(final, ordinary_subject_cents, expected_cents(parameters, month, wages))
    room = annual - prior.ordinary_subject_cents - ordinary - prior.additional_subject_cents
    # Once the year's wages are known, additional wages that the estimate left out count as well.
    left_out = np.where(final, prior.additional_cents - prior.additional_subject_cents, 0)
    candidates = np.maximum(wages.additional_cents + np.maximum(left_out, 0), 0)
    subject: Cents = np.maximum(np.minimum(room, candidates), 0)
    return np.maximum(subject, np.minimum(committed_cents(ordinary_subject_cents, earlier), candidates))


def shortfall_cents(month: Month, wages: MonthWages, prior: PriorMonths, subject_cents: Cents) -> Cents | None:
    """The part of the month's subject additional wages that was paid in earlier months, by those months.

    One row per person, one column per calendar month. None if there is no such part or its months are not known. The
    earliest additional wages come first, this month's last. Those of unknown months come before all others.
    """
    if prior.left_out_cents is None or not any_nonzero(prior.left_out_cents):
        return None
    final = is_final(month, wages.leaving_dates)
    left_out = np.where(final[:, None], np.maximum(prior.left_out_cents[:, : month.month - 1], 0), 0)
    total = np.maximum(prior.additional_cents - prior.additional_subject_cents, 0)
    unknown = np.maximum(total - left_out.sum(axis=1), 0)
    remaining = np.maximum(subject_cents - unknown, 0)
    parts = np.zeros((len(subject_cents), MONTHS_PER_YEAR), dtype=np.int64)
    for column in range(month.month - 1):
        parts[:, column] = np.minimum(left_out[:, column], remaining)
        remaining = remaining - parts[:, column]
    return parts if any_nonzero(parts) else None


def excess_cents(
    parameters: CpfParameters,
    month: Month,
    wages: MonthWages,
    prior: PriorMonths,
    ordinary_subject_cents: Cents,
    subject_cents: Cents,
) -> Cents:
    """The additional wages on which too much was contributed, known in December and from the month of leaving."""
    columns = (prior.additional_subject_cents, subject_cents)
    if not any(any_nonzero(column) for column in columns):
        return np.zeros_like(ordinary_subject_cents)
    annual = parameters.annual_ceiling_cents.at(month).value
    ordinary = prior.ordinary_subject_cents + ordinary_subject_cents
    additional = prior.additional_subject_cents + subject_cents
    over = np.clip(ordinary + additional - annual, 0, np.maximum(additional, 0))
    return np.where(is_final(month, wages.leaving_dates), over, 0)


def is_final(month: Month, leaving_dates: Dates) -> npt.NDArray[np.bool_]:
    """Whether the year's ordinary wages are known: in December, and from the month of leaving."""
    if month.month == DECEMBER:
        return np.ones(len(leaving_dates), dtype=np.bool_)
    left: npt.NDArray[np.bool_] = leaving_dates <= np.datetime64(month.last_day, "D")
    return left


def expected_cents(parameters: CpfParameters, month: Month, wages: MonthWages) -> Cents:
    """The ordinary wages expected from this month to the end of the year, each month up to its own ceiling.

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


def committed_cents(ordinary_subject_cents: Cents, earlier: CpfContributions) -> Cents:
    """The additional wages that stay subject to CPF because earlier payslips of the month charged CPF on them.

    If the estimate rises within a month, the ceiling must not cause a refund: wages that were subject to CPF remain so,
    except for the part that the grown ordinary wages now cover.
    """
    covered = earlier.ordinary_subject_cents + earlier.additional_subject_cents - ordinary_subject_cents
    committed: Cents = np.maximum(np.minimum(covered, earlier.additional_subject_cents), 0)
    return committed
