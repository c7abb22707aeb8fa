"""Compare finalised payslips with today's knowledge. Pure.

Payslips are compared in the order of time, because the contributions of one depend on the totals of those before it.
Each is calculated with the law of its own period. A change of pay that raises it is a decision that was taken later.
All other changes correct a mistake, and so does a change of pay that lowers it. Payslips of correction runs are not
compared: they have nothing of their own, and what they paid counts as paid by the payslips that they correct.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from gaji.engine import batch
from gaji.engine.batch import BatchResult
from gaji.engine.catalogue import Catalogue
from gaji.engine.earnings import ABSENCES, has_arrears
from gaji.engine.earnings.basic_pay import BASIC, WORKED_INPUTS
from gaji.engine.line_decoder import decode_line_columns
from gaji.engine.past_months import (
    MonthFigures,
    add_month_figures,
    booked_figures,
    recovered_share_cents,
    serves_month,
)
from gaji.engine.payslip_input import DECIDED_LATER, MISSED, ItemDifference, PastDifference, PayPeriod, PayslipInput
from gaji.engine.statutory import FUND_NAMES
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
FUNDS = frozenset(FUND_NAMES.values())

Items = Mapping[str, int]


@dataclass
class EarlierCorrections:
    """What was already proposed for finalised payslips, whether it was accepted or declined."""

    items: dict[tuple[int, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Cents by payslip and treatment, then by item."""
    figures: dict[int, Counter[tuple[str, str]]] = field(default_factory=lambda: defaultdict(Counter))
    """Cents by payslip, then by month and figure."""
    claimed: dict[int, dict[tuple[str, str], int]] = field(default_factory=lambda: defaultdict(dict))
    """Contributions that were found to be too much, in cents by payslip, then by month and figure."""
    missed_pay: set[int] = field(default_factory=set)
    """Payslips whose changes of pay were treated as missed."""
    decided_later: set[int] = field(default_factory=set)
    """Payslips whose changes of pay were treated as decided later."""

    def add(self, difference: PastDifference, *, includes_pay: bool) -> None:
        """Add a difference that was proposed."""
        for item, amount in difference.items.items():
            self.items[difference.payslip_id, difference.treatment][item] += amount.accepted
        for month, figures in difference.months.items():
            for name, figure in figures.items():
                self.figures[difference.payslip_id][month, name] += figure.accepted
                if name not in WAGES:
                    self.claimed[difference.payslip_id][month, name] = figure.claimed + figure.claim_cents
        if difference.treatment == DECIDED_LATER:
            self.decided_later.add(difference.payslip_id)
        elif includes_pay:
            self.missed_pay.add(difference.payslip_id)

    def is_pay_missed(self, payslip: PastPayslip, *, pay_is_missed: bool, month: Month | None) -> bool:
        """Return whether changes of pay of a payslip are missed: as before, or as asked for all or those of a month."""
        if payslip.id in self.missed_pay or payslip.id in self.decided_later:
            return payslip.id in self.missed_pay
        return pay_is_missed and (month is None or Month.from_date(payslip.end) == month)


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


@dataclass
class _EmployeeComparison:
    """The payslips of one employee that are still to be compared, and what was found so far."""

    remaining: deque[PayslipComparison]
    changes: MonthFigures = field(default_factory=dict)
    """How the totals of earlier payslips should have differed."""
    paid: MonthFigures = field(default_factory=dict)
    """The totals of earlier payslips as they were."""
    differences: list[PastDifference] = field(default_factory=list)

    def add_paid(self, payslip: PastPayslip) -> None:
        """Add the totals of a payslip that was compared."""
        self.paid = _combine(self.paid, _combine(payslip.months, booked_figures(payslip.stored), 1), 1)


def compute_differences(
    law: Law,
    comparisons: Iterable[PayslipComparison],
    earlier: EarlierCorrections,
    *,
    pay_is_missed: bool = False,
    month: Month | None = None,
) -> dict[int, list[PastDifference]]:
    """Return the open differences of finalised payslips, by employee and in order of time.

    The comparisons of an employee are in order of time. Payslips of the same period are calculated together. With a
    month, only changes of pay of that month can be missed.
    """

    def is_missed(payslip: PastPayslip) -> bool:
        return earlier.is_pay_missed(payslip, pay_is_missed=pay_is_missed, month=month)

    by_employee: dict[int, list[PayslipComparison]] = defaultdict(list)
    for comparison in comparisons:
        by_employee[comparison.payslip.employee_id].append(comparison)
    employees = {employee_id: _EmployeeComparison(deque(group)) for employee_id, group in by_employee.items()}
    while pending := [employee for employee in employees.values() if employee.remaining]:
        day = min(employee.remaining[0].payslip.end for employee in pending)
        due = [employee for employee in pending if employee.remaining[0].payslip.end == day]
        _compare_next(law, due, earlier, is_missed)
    unsettled = {employee_id: _without_settled(employee.differences) for employee_id, employee in employees.items()}
    return {employee_id: differences for employee_id, differences in unsettled.items() if differences}


def _compare_next(
    law: Law,
    due: Sequence[_EmployeeComparison],
    earlier: EarlierCorrections,
    is_missed: Callable[[PastPayslip], bool],
) -> None:
    """Compare the next payslip of each employee."""
    employees, comparisons = [], []
    for employee in due:
        comparison = employee.remaining.popleft()
        employee.changes = _combine(employee.changes, booked_figures(comparison.payslip.stored), -1)
        if comparison.payslip.stored.corrects is None:
            employees.append(employee)
            comparisons.append(comparison)
        else:
            employee.add_paid(comparison.payslip)
    with_pay = _calculate(law, employees, comparisons, [c.knowledge.corrected_with_pay for c in comparisons])
    corrected = list(with_pay)
    undecided = [
        index
        for index, comparison in enumerate(comparisons)
        if comparison.knowledge.corrected != comparison.knowledge.corrected_with_pay
        and not is_missed(comparison.payslip)
    ]
    before_pay = _calculate(
        law,
        [employees[index] for index in undecided],
        [comparisons[index] for index in undecided],
        [comparisons[index].knowledge.corrected for index in undecided],
    )
    for index, before in zip(undecided, before_pay, strict=True):
        corrected[index] = before
    for employee, comparison, after, before in zip(employees, comparisons, with_pay, corrected, strict=True):
        truth, arrears = _treat(comparison, after, before)
        if employee.remaining:
            employee.changes = _combine(employee.changes, _combine(truth.months, comparison.payslip.months, -1), 1)
            employee.add_paid(comparison.payslip)
        employee.differences += _open_differences(comparison, earlier, truth, arrears)


def _treat(comparison: PayslipComparison, after: _Result, before: _Result) -> tuple[_Result, Items]:
    """Return what the payslip should have paid, and the arrears by item that were decided later.

    The results after and before changes of pay are the same if these were missed.
    """
    if after is before:
        return after, {}
    arrears = _effects(comparison.catalogue, after.lines, before.lines)
    return (after, {}) if sum(arrears.values()) < 0 else (before, arrears)


def _calculate(
    law: Law,
    employees: Sequence[_EmployeeComparison],
    comparisons: Sequence[PayslipComparison],
    inputs: Sequence[PayslipInput],
) -> list[_Result]:
    """Calculate payslips with changed totals of earlier ones. What is unchanged is not calculated again."""
    results = [_Result(comparison.payslip.lines, comparison.payslip.months) for comparison in comparisons]
    changed: dict[tuple[PayPeriod, Catalogue], dict[int, PayslipInput]] = defaultdict(dict)
    for index, (employee, comparison, current) in enumerate(zip(employees, comparisons, inputs, strict=True)):
        updated = add_month_figures(_with_last_month(current, comparison, employee.paid), employee.changes)
        if updated != comparison.payslip.stored:
            changed[updated.period, comparison.catalogue][index] = updated
    for (_, catalogue), group in changed.items():
        calculated = _results(batch.calculate(law, catalogue, list(group.values())), list(group.values()))
        for index, result in zip(group, calculated, strict=True):
            results[index] = result
    return results


def _with_last_month(current: PayslipInput, comparison: PayslipComparison, paid: MonthFigures) -> PayslipInput:
    """The input with the ordinary wages of the month before, if it turned out to be a complete month of service."""
    month_before = Month.from_date(current.period.end) - 1
    if serves_month(comparison.payslip.stored, month_before) or not serves_month(current, month_before):
        return current
    return replace(current, last_month_ordinary_cents=paid.get(month_before, {}).get("ordinary", 0))


def _results(calculated: BatchResult, payslips: Sequence[PayslipInput]) -> list[_Result]:
    """The lines and the figures by month of each payslip of a batch."""
    lines: list[dict[str, int]] = [{} for _ in payslips]
    for (_, item), column in decode_line_columns(calculated.lines_json).items():
        for index, cents in zip(column.payslips.tolist(), column.amounts.tolist(), strict=True):
            lines[index][item] = cents
    totals = {name: column.tolist() for name, column in calculated.totals.items()}
    previous = {name: column.tolist() for name, column in calculated.previous_totals.items()}
    return [
        _Result(
            lines[index],
            own_months(
                payslip.period.end,
                {name: column[index] for name, column in totals.items()},
                {name: column[index] for name, column in previous.items() if column[index]},
                calculated.past_totals.get(index, {}),
            ),
        )
        for index, payslip in enumerate(payslips)
    ]


def _open_differences(
    comparison: PayslipComparison, earlier: EarlierCorrections, truth: _Result, arrears: Items
) -> list[PastDifference]:
    """The differences of a payslip less what was already proposed."""
    payslip = comparison.payslip
    missed_items = _missed_items(comparison, earlier, truth)
    missed = PastDifference(
        payslip.id,
        payslip.start,
        payslip.end,
        missed_items,
        MISSED,
        _missed_figures(payslip, earlier, truth),
        worked=_select_worked_inputs(comparison, missed_items),
    )
    items = _arrears_items(payslip.id, earlier, truth, arrears)
    decided_later = PastDifference(payslip.id, payslip.start, payslip.end, items)
    return [difference for difference in (missed, decided_later) if _is_open(difference)]


def _arrears_items(
    payslip_id: int, earlier: EarlierCorrections, truth: _Result, arrears: Items
) -> dict[str, ItemDifference]:
    proposed: Items = earlier.items.get((payslip_id, DECIDED_LATER), {})
    items = {}
    for item in sorted({*arrears, *proposed}):
        if remaining := arrears.get(item, 0) - proposed.get(item, 0):
            paid = truth.lines.get(item, 0) + proposed.get(item, 0) * _sign(item)
            items[item] = ItemDifference(paid, paid + remaining * _sign(item), remaining)
    return items


def _without_settled(differences: Sequence[PastDifference]) -> list[PastDifference]:
    """Leave out contributions of a month that are right in total, because a later payslip of the month settled them."""
    missing: Counter[tuple[str, str]] = Counter()
    claimed: set[tuple[str, str]] = set()
    for month, name, figure in _contributions(differences):
        missing[month, name] += figure.due - figure.paid
        if figure.claimed:
            claimed.add((month, name))
    settled = {key for key, cents in missing.items() if cents == 0 and key not in claimed}
    if not settled:
        return list(differences)
    remaining = [
        _replace_figures(difference, lambda month, name, figure: None if (month, name) in settled else figure)
        for difference in differences
    ]
    return [difference for difference in remaining if _is_open(difference)]


def _contributions(differences: Iterable[PastDifference]) -> Iterator[tuple[str, str, ItemDifference]]:
    """Yield the month, the name and the difference of each contribution."""
    for difference in differences:
        for month, figures in difference.months.items():
            yield from ((month, name, figure) for name, figure in figures.items() if name not in WAGES)


def _replace_figures(
    difference: PastDifference, replaced: Callable[[str, str, ItemDifference], ItemDifference | None]
) -> PastDifference:
    """Replace figures, or leave them out. Months without open figures are left out too."""
    months: dict[str, dict[str, ItemDifference]] = {}
    for month, figures in difference.months.items():
        results = ((name, replaced(month, name, figure)) for name, figure in figures.items())
        remaining = {name: figure for name, figure in results if figure is not None}
        if any(map(_is_figure_open, remaining.values())):
            months[month] = remaining
    return replace(difference, months=months)


def book_contributions(differences: Sequence[PastDifference], draft_months: Collection[Month]) -> list[PastDifference]:
    """Decide which contributions a draft books: the missing ones, and what is too much in the months of the draft.

    Contributions are monthly, so the draft takes less if earlier payslips of its month took too much. What is too much
    in other months is claimed back.
    """
    texts = {str(month) for month in draft_months}

    def missing(_: str, name: str, figure: ItemDifference) -> ItemDifference:
        return figure if name in WAGES else replace(figure, accepted=max(figure.due - figure.paid, 0))

    def settled(month: str, name: str, figure: ItemDifference) -> ItemDifference:
        claim = 0 if name in WAGES or month not in texts else max(figure.claim_cents, 0)
        return replace(figure, accepted=figure.accepted - claim) if claim else figure

    differences = set_off_contributions([_replace_figures(difference, missing) for difference in differences])
    return [_replace_figures(difference, settled) for difference in differences]


def without_self_settling(
    differences: Sequence[PastDifference], draft_months: Collection[Month]
) -> list[PastDifference]:
    """Leave out payslips of which only contributions are too much, in months that the draft settles by itself."""
    texts = {str(month) for month in draft_months}

    def needs_decision(difference: PastDifference) -> bool:
        return any(amount.accepted for amount in difference.items.values()) or any(
            _is_figure_open(figure) and (name in WAGES or month not in texts or figure.due > figure.paid)
            for month, figures in difference.months.items()
            for name, figure in figures.items()
        )

    return [difference for difference in differences if needs_decision(difference)]


def set_off_contributions(differences: Sequence[PastDifference]) -> list[PastDifference]:
    """Set off what one payslip contributed too much against what another payslip of the same month is missing.

    Contributions are monthly: more wages on one payslip of a month can mean less contributions on the next.
    """
    missing: dict[tuple[str, str], int] = defaultdict(int)
    for difference in differences:
        for month, figures in difference.months.items():
            for name, figure in figures.items():
                missing[month, name] += 0 if name in WAGES else figure.accepted
    return [_set_off(difference, missing) for difference in differences]


def _set_off(difference: PastDifference, missing: dict[tuple[str, str], int]) -> PastDifference:
    months = {month: dict(figures) for month, figures in difference.months.items()}
    for month, figures in months.items():
        for name, figure in figures.items():
            excess = 0 if name in WAGES else max(figure.paid + figure.accepted - figure.due, 0)
            if amount := min(excess, missing[month, name]):
                missing[month, name] -= amount
                figures[name] = replace(figure, accepted=figure.accepted - amount)
    return replace(difference, months=months)


def corrections_of_month(
    differences: Sequence[PastDifference], month: Month, draft_months: Collection[Month] = ()
) -> list[PastDifference]:
    """Return what a correction run pays an employee for a month. A draft takes less if too much was contributed."""
    texts = {str(draft_month) for draft_month in draft_months}
    missed = [
        difference
        for difference in differences
        if difference.treatment == MISSED and Month.from_date(difference.end) == month
    ]

    def not_claimed(month: str, name: str, figure: ItemDifference) -> ItemDifference | None:
        if name in WAGES or month not in texts or figure.claim_cents <= 0:
            return figure
        # What is due is only known when the draft is finalised: until then, what was paid counts as due.
        unclaimed = replace(figure, due=figure.due + figure.claim_cents)
        return unclaimed if _is_figure_open(unclaimed) else None

    booked = [_replace_figures(difference, not_claimed) for difference in set_off_contributions(missed)]
    return [difference for difference in _defer_funds(booked) if _is_open(difference)]


def _defer_funds(differences: Sequence[PastDifference]) -> list[PastDifference]:
    """Leave missing fund contributions open if the differences alone do not pay enough to deduct them from."""
    pay = sum(max(difference.total_cents, 0) - recovered_share_cents(difference) for difference in differences)
    funds = sum(
        figure.accepted
        for difference in differences
        for figures in difference.months.values()
        for name, figure in figures.items()
        if name in FUNDS
    )
    return list(differences) if funds <= pay else [_without_funds(difference) for difference in differences]


def _without_funds(difference: PastDifference) -> PastDifference:
    months = {
        month: {
            name: replace(figure, accepted=min(figure.accepted, 0)) if name in FUNDS else figure
            for name, figure in figures.items()
        }
        for month, figures in difference.months.items()
    }
    return replace(difference, months=months)


def _is_open(difference: PastDifference) -> bool:
    """Return whether a difference pays or books anything, or changes what is to be claimed back."""
    figures = (figure for names in difference.months.values() for figure in names.values())
    return any(amount.accepted for amount in difference.items.values()) or any(map(_is_figure_open, figures))


def _missed_items(
    comparison: PayslipComparison, earlier: EarlierCorrections, truth: _Result
) -> dict[str, ItemDifference]:
    payslip = comparison.payslip
    proposed: Items = earlier.items.get((payslip.id, MISSED), {})
    items = {}
    for item in sorted({*payslip.lines, *truth.lines, *proposed}):
        if not has_arrears(comparison.catalogue, item):
            continue
        paid = payslip.lines.get(item, 0) + proposed.get(item, 0) * _sign(item)
        due = truth.lines.get(item, 0)
        if paid != due:
            items[item] = ItemDifference(paid, due, (due - paid) * _sign(item))
    return items


def _select_worked_inputs(comparison: PayslipComparison, items: Mapping[str, ItemDifference]) -> dict[str, str]:
    """Return the hours and days that were entered for items that differ."""
    basic = comparison.knowledge.corrected.calculations.get(BASIC) if items else None
    if basic is None:
        return {}
    names = [name for item in items for name in WORKED_INPUTS.get(item, ())]
    return {name: str(basic.inputs[name]) for name in names if name in basic.inputs}


def _missed_figures(
    payslip: PastPayslip, earlier: EarlierCorrections, truth: _Result
) -> dict[str, dict[str, ItemDifference]]:
    months: dict[str, dict[str, ItemDifference]] = {}
    proposed: Mapping[tuple[str, str], int] = earlier.figures.get(payslip.id, {})
    claimed = earlier.claimed.get(payslip.id, {})
    for month in sorted({*payslip.months, *truth.months}):
        stored, due_figures = payslip.months.get(month, {}), truth.months.get(month, {})
        text = str(month)
        figures = months[text] = {}
        for name in sorted({*stored, *due_figures}):
            key = (text, name)
            paid, due = stored.get(name, 0) + proposed.get(key, 0), due_figures.get(name, 0)
            accepted = due - paid if name in WAGES else max(due - paid, 0)
            figure = ItemDifference(paid, due, accepted, claimed.get(key, 0))
            if _is_figure_open(figure) or name == FUND_WAGES:
                figures[name] = figure
    # The wages for the funds are kept with any other figure, because they divide the contribution to MBMF.
    return {month: figures for month, figures in months.items() if any(map(_is_figure_open, figures.values()))}


def _is_figure_open(figure: ItemDifference) -> bool:
    """Return whether a figure changes, or what is to be claimed back of it."""
    return figure.accepted != 0 or figure.claim_cents != 0


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
    if not second:
        return first
    combined: dict[Month, dict[str, int]] = {}
    for month in {*first, *second}:
        left, right = first.get(month, {}), second.get(month, {})
        figures = {name: left.get(name, 0) + sign * right.get(name, 0) for name in {*left, *right}}
        if figures := {name: cents for name, cents in figures.items() if cents}:
            combined[month] = figures
    return combined
