"""Compare finalised payslips with today's knowledge. Pure.

Payslips are compared in the order of time, because the contributions of one depend on the totals of those before it.
Each is calculated with the law of its own period. A change of pay that raises it is a decision that was taken later.
All other changes correct a mistake, and so does a change of pay that lowers it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gaji.engine import batch
from gaji.engine.catalogue import Catalogue
from gaji.engine.earnings import ABSENCES, has_arrears
from gaji.engine.line_decoder import decode_line_columns
from gaji.engine.past_months import MonthFigures, add_month_figures, booked_figures
from gaji.engine.payslip_input import DECIDED_LATER, MISSED, ItemDifference, PastDifference, PayslipInput
from gaji.law.months import Month
from gaji.law.registry import Law
from gaji.payroll.corrections.current_inputs import CurrentKnowledge
from gaji.payroll.corrections.past_payslips import PastPayslip, own_months

WAGES = (
    *("ordinary", "ordinary_before", "additional", "additional_before"),
    *("ordinary_subject", "additional_subject", "remuneration", "fund_wages"),
)
"""Figures that a correction can reduce. Contributions are claimed back instead."""

FUND_WAGES = "fund_wages"

Items = Mapping[str, int]


@dataclass
class EarlierCorrections:
    """What was already proposed for finalised payslips, whether it was accepted or declined."""

    items: dict[tuple[int, str, str], int] = field(default_factory=lambda: defaultdict(int))
    """Cents by payslip, treatment and item."""
    figures: dict[tuple[int, str, str], int] = field(default_factory=lambda: defaultdict(int))
    """Cents by payslip, month and figure."""
    claimed: dict[tuple[int, str, str], int] = field(default_factory=dict)
    """Contributions that were found to be too much, in cents by payslip, month and figure."""
    missed_pay: set[int] = field(default_factory=set)
    """Payslips whose changes of pay were treated as missed."""

    def add(self, difference: PastDifference, *, includes_pay: bool) -> None:
        """Add a difference that was proposed."""
        for item, amount in difference.items.items():
            self.items[difference.payslip_id, difference.treatment, item] += amount.accepted
        for month, figures in difference.months.items():
            for name, figure in figures.items():
                self.figures[difference.payslip_id, month, name] += figure.accepted
                if name not in WAGES:
                    self.claimed[difference.payslip_id, month, name] = max(figure.paid - figure.due, 0)
        if difference.treatment == MISSED and includes_pay:
            self.missed_pay.add(difference.payslip_id)


@dataclass(frozen=True)
class PayslipComparison:
    """A finalised payslip, today's inputs of it, and its catalogue."""

    payslip: PastPayslip
    knowledge: CurrentKnowledge
    catalogue: Catalogue


@dataclass(frozen=True)
class _Result:
    lines: Items
    months: MonthFigures


def compute_differences(
    law: Law, comparisons: Sequence[PayslipComparison], earlier: EarlierCorrections, *, pay_is_missed: bool = False
) -> list[PastDifference]:
    """Return the open differences of one employee's finalised payslips, in order of time."""
    changes: MonthFigures = {}
    differences: list[PastDifference] = []
    for comparison in comparisons:
        payslip = comparison.payslip
        changes = _combine(changes, booked_figures(payslip.stored), -1)
        missed_pay = pay_is_missed or payslip.id in earlier.missed_pay
        truth, decided_later = _compare(law, comparison, changes, missed_pay)
        changes = _combine(changes, _combine(truth.months, payslip.months, -1), 1)
        differences += _open_differences(comparison, earlier, truth, decided_later)
    return differences


def _compare(law: Law, comparison: PayslipComparison, changes: MonthFigures, missed_pay: bool) -> tuple[_Result, Items]:
    """Return what the payslip should have paid, and the arrears by item that were decided later."""
    corrected = comparison.knowledge.corrected
    with_pay = comparison.knowledge.corrected_with_pay
    if with_pay == corrected:
        return _calculate(law, comparison, corrected, changes), {}
    after = _calculate(law, comparison, with_pay, changes)
    if missed_pay:
        return after, {}
    before = _calculate(law, comparison, corrected, changes)
    arrears = _effects(comparison.catalogue, after.lines, before.lines)
    return (after, {}) if sum(arrears.values()) < 0 else (before, arrears)


def _calculate(law: Law, comparison: PayslipComparison, payslip_input: PayslipInput, changes: MonthFigures) -> _Result:
    """Calculate a payslip with changed totals of earlier ones. What is unchanged is not calculated again."""
    changed = add_month_figures(payslip_input, changes)
    payslip = comparison.payslip
    if changed == payslip.stored:
        return _Result(payslip.lines, payslip.months)
    result = batch.calculate(law, comparison.catalogue, [changed])
    columns = decode_line_columns(result.lines_json)
    return _Result(
        {item: int(column.amounts[0]) for (_, item), column in columns.items()},
        own_months(
            payslip.end,
            {name: int(column[0]) for name, column in result.totals.items()},
            {name: int(column[0]) for name, column in result.previous_totals.items() if int(column[0])},
            result.past_totals.get(0, {}),
        ),
    )


def _open_differences(
    comparison: PayslipComparison, earlier: EarlierCorrections, truth: _Result, arrears: Items
) -> list[PastDifference]:
    """The differences of a payslip less what was already proposed."""
    payslip = comparison.payslip
    missed = PastDifference(
        payslip.id,
        payslip.start,
        payslip.end,
        _missed_items(comparison, earlier, truth),
        MISSED,
        _missed_figures(payslip, earlier, truth),
    )
    items = _arrears_items(payslip.id, earlier, truth, arrears)
    decided_later = PastDifference(payslip.id, payslip.start, payslip.end, items)
    return [difference for difference in (missed, decided_later) if is_open_difference(difference)]


def _arrears_items(
    payslip_id: int, earlier: EarlierCorrections, truth: _Result, arrears: Items
) -> dict[str, ItemDifference]:
    known = {item for key, kind, item in earlier.items if (key, kind) == (payslip_id, DECIDED_LATER)}
    items = {}
    for item in sorted({*arrears, *known}):
        proposed = earlier.items.get((payslip_id, DECIDED_LATER, item), 0)
        if remaining := arrears.get(item, 0) - proposed:
            paid = truth.lines.get(item, 0) + proposed * _sign(item)
            items[item] = ItemDifference(paid, paid + remaining * _sign(item), remaining)
    return items


def is_open_difference(difference: PastDifference) -> bool:
    """Return whether a difference changes any pay, wages or contributions."""
    figures = (figure for names in difference.months.values() for figure in names.values())
    return any(amount.accepted for amount in difference.items.values()) or any(
        figure.paid != figure.due for figure in figures
    )


def _missed_items(
    comparison: PayslipComparison, earlier: EarlierCorrections, truth: _Result
) -> dict[str, ItemDifference]:
    payslip = comparison.payslip
    items = {}
    for item in sorted({*payslip.lines, *truth.lines}):
        if not has_arrears(comparison.catalogue, item):
            continue
        proposed = earlier.items.get((payslip.id, MISSED, item), 0) * _sign(item)
        paid, due = payslip.lines.get(item, 0) + proposed, truth.lines.get(item, 0)
        if paid != due:
            items[item] = ItemDifference(paid, due, (due - paid) * _sign(item))
    return items


def _missed_figures(
    payslip: PastPayslip, earlier: EarlierCorrections, truth: _Result
) -> dict[str, dict[str, ItemDifference]]:
    months: dict[str, dict[str, ItemDifference]] = {}
    for month in sorted({*payslip.months, *truth.months}):
        stored, due_figures = payslip.months.get(month, {}), truth.months.get(month, {})
        for name in sorted({*stored, *due_figures}):
            paid = stored.get(name, 0) + earlier.figures.get((payslip.id, str(month), name), 0)
            due = due_figures.get(name, 0)
            claimed = earlier.claimed.get((payslip.id, str(month), name), 0)
            if (paid != due and paid - due != claimed) or name == FUND_WAGES:
                accepted = due - paid if name in WAGES else max(due - paid, 0)
                months.setdefault(str(month), {})[name] = ItemDifference(paid, due, accepted)
    # The wages for the funds are kept with any other figure, because they divide the contribution to MBMF.
    return {month: figures for month, figures in months.items() if any(f.paid != f.due for f in figures.values())}


def _effects(catalogue: Catalogue, after: Items, before: Items) -> dict[str, int]:
    """The effect on pay of each item that differs."""
    effects = {
        item: (after.get(item, 0) - before.get(item, 0)) * _sign(item)
        for item in sorted({*after, *before})
        if has_arrears(catalogue, item)
    }
    return {item: cents for item, cents in effects.items() if cents}


def _sign(item: str) -> int:
    return -1 if item in ABSENCES else 1


def _combine(first: MonthFigures, second: MonthFigures, sign: int) -> MonthFigures:
    """Add figures, or subtract them if the sign is negative. Zeros are left out."""
    combined: dict[Month, dict[str, int]] = {}
    for month in {*first, *second}:
        left, right = first.get(month, {}), second.get(month, {})
        figures = {name: left.get(name, 0) + sign * right.get(name, 0) for name in {*left, *right}}
        if figures := {name: cents for name, cents in figures.items() if cents}:
            combined[month] = figures
    return combined
