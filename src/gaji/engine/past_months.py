"""Corrections of earlier months: wages and contributions that a payslip books in the months they are for.

The contributions of a month are never reduced: too much is claimed back from the CPF Board. The employee's share that
an employer failed to deduct can be taken from the arrears of the same period only, unless the employee agrees to more.
The employer pays the rest (CPF Act 1953, s. 7).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from msgspec.structs import replace

from gaji.engine.payslip_input import MISSED, AdditionalWages, MonthToDate, PastDifference, PayslipInput, YearToDate
from gaji.law.columns import Cents
from gaji.law.months import DECEMBER, Month

EMPLOYEE_SHARE, EMPLOYER_SHARE = "cpf_employee", "cpf_employer"
YEAR_FIELDS = YearToDate.__struct_fields__

MonthFigures = dict[Month, dict[str, int]]
"""Cents by month and figure."""


@dataclass
class PastMonths:
    """The figures of earlier months on the payslips of a batch, by payslip index. Most payslips have none."""

    size: int
    by_payslip: dict[int, MonthFigures] = field(default_factory=dict)

    def total(self, name: str) -> Cents:
        """The sum of a figure over all earlier months."""
        column = np.zeros(self.size, dtype=np.int64)
        for i, months in self.by_payslip.items():
            column[i] = sum(figures.get(name, 0) for figures in months.values())
        return column

    def without_missing(self, missing: Mapping[str, Cents]) -> dict[int, MonthFigures]:
        """The figures less what the pay could not cover, the latest months first. The employer pays missing CPF."""
        return {i: _without_missing(months, i, missing) for i, months in self.by_payslip.items()}


def past_months(payslips: Sequence[PayslipInput]) -> PastMonths:
    """The figures that payslips book in earlier months."""
    figures = {i: booked_figures(payslip) for i, payslip in enumerate(payslips) if payslip.past_differences}
    return PastMonths(len(payslips), {i: months for i, months in figures.items() if months})


def booked_figures(payslip: PayslipInput) -> MonthFigures:
    """The figures that a payslip books in earlier months, if its pay covers them."""
    if not payslip.past_differences:
        return {}
    booked: MonthFigures = defaultdict(lambda: defaultdict(int))
    for difference in payslip.past_differences:
        if difference.treatment != MISSED:
            continue
        for text, figures in difference.months.items():
            month = booked[Month.parse(text)]
            for name, figure in figures.items():
                month[name] += figure.accepted
        uncovered = employee_share_cents(difference) - recovered_share_cents(difference)
        _move_share(booked, [Month.parse(text) for text in sorted(difference.months, reverse=True)], uncovered)
    return {month: {name: cents for name, cents in booked[month].items() if cents} for month in sorted(booked)}


def employee_share_cents(difference: PastDifference) -> int:
    """The employee's share of CPF that is missing."""
    shares = (figures.get(EMPLOYEE_SHARE) for figures in difference.months.values())
    return sum(share.accepted for share in shares if share)


def recovered_share_cents(difference: PastDifference) -> int:
    """The part of it that is taken from the employee."""
    share = employee_share_cents(difference)
    return share if difference.recovers_share else min(share, max(difference.total_cents, 0))


def with_corrections(payslips: Sequence[PayslipInput], past: PastMonths) -> Sequence[PayslipInput]:
    """The inputs with the totals of earlier payslips as these payslips correct them.

    The payslips of correction runs have no wages of their own period, so they do not depend on any totals.
    """
    if not past.by_payslip:
        return payslips
    return [
        payslip if payslip.corrects is not None else add_month_figures(payslip, past.by_payslip.get(i, {}))
        for i, payslip in enumerate(payslips)
    ]


def add_month_figures(payslip: PayslipInput, months: MonthFigures) -> PayslipInput:
    """The input with changed totals of earlier payslips."""
    if not months:
        return payslip
    current = Month.from_date(payslip.period.end)
    previous = payslip.previous_month
    return replace(
        payslip,
        month_to_date=_add_month(payslip.month_to_date, months.get(current)),
        year_to_date=_add_year(payslip.year_to_date, months, current),
        last_month_ordinary_cents=_add_last_month(payslip, payslip.last_month_ordinary_cents, months, current),
        previous_month=previous
        and replace(
            previous,
            month_to_date=_add_month(previous.month_to_date, months.get(current - 1)),
            year_to_date=_add_year(previous.year_to_date, months, current - 1),
            last_month_ordinary_cents=_add_last_month(payslip, previous.last_month_ordinary_cents, months, current - 1),
        ),
        additional_by_month=_add_additional(payslip, months),
    )


def _add_month(totals: MonthToDate, figures: Mapping[str, int] | None) -> MonthToDate:
    added = {name: getattr(totals, name) + cents for name, cents in (figures or {}).items()}
    return replace(totals, **added)


def _add_year(totals: YearToDate, months: MonthFigures, current: Month) -> YearToDate:
    added = {name: getattr(totals, name) for name in YEAR_FIELDS}
    for month, figures in months.items():
        if month.year == current.year and month.number < current.number:
            added = {name: cents + figures.get(name, 0) for name, cents in added.items()}
    return YearToDate(**added)


def _add_last_month(payslip: PayslipInput, ordinary_cents: int, months: MonthFigures, current: Month) -> int:
    """The ordinary wages of the last complete month. Zero if it was not complete, or had no wages under the CPF Act."""
    if not ordinary_cents and not serves_month(payslip, current - 1):
        return 0
    return ordinary_cents + months.get(current - 1, {}).get("ordinary", 0)


def serves_month(payslip: PayslipInput, month: Month) -> bool:
    """Whether one of the intervals in service of a payslip covers a month."""
    return any(
        interval.start <= month.first_day and (interval.end is None or interval.end >= month.last_day)
        for interval in payslip.service
    )


def _add_additional(payslip: PayslipInput, months: MonthFigures) -> dict[str, AdditionalWages]:
    known = payslip.additional_by_month
    if not known and (payslip.year_to_date.additional or not _settles_year(payslip)):
        return known
    added = dict(known)
    for month, figures in months.items():
        before = added.get(str(month), AdditionalWages())
        changes = figures.get("additional", 0), figures.get("additional_subject", 0)
        if any(changes):
            added[str(month)] = AdditionalWages(before.paid + changes[0], before.subject + changes[1])
    return added


def _settles_year(payslip: PayslipInput) -> bool:
    """Whether the ordinary wages of the year are known: in December, and from the month of leaving on."""
    end, last_day = payslip.period.end, payslip.last_service_date
    return end.month == DECEMBER or (last_day is not None and Month.from_date(last_day) <= Month.from_date(end))


def _without_missing(months: MonthFigures, index: int, missing: Mapping[str, Cents]) -> MonthFigures:
    reduced: MonthFigures = {month: defaultdict(int, figures) for month, figures in months.items()}
    for name, column in missing.items():
        amount = int(column[index])
        if name == EMPLOYEE_SHARE:
            _move_share(reduced, sorted(reduced, reverse=True), amount)
            continue
        for month in sorted(reduced, reverse=True):
            part = min(amount, max(reduced[month][name], 0))
            reduced[month][name] -= part
            amount -= part
    return {month: {name: cents for name, cents in figures.items() if cents} for month, figures in reduced.items()}


def _move_share(figures: MonthFigures, months: Sequence[Month], cents: int) -> None:
    """Move a part of the employee's share to the employer."""
    for month in months:
        part = min(cents, max(figures[month][EMPLOYEE_SHARE], 0))
        figures[month][EMPLOYEE_SHARE] -= part
        figures[month][EMPLOYER_SHARE] += part
        cents -= part
