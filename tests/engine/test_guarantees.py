"""The guarantees of docs/rules/payslip.md, for random companies."""

import json
import random
from calendar import monthrange
from collections.abc import Sequence
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gaji.engine import batch, explanations
from gaji.engine.batch import BatchResult, CalculationTrace
from gaji.engine.catalogue import WEEKDAYS, build_catalogue
from gaji.engine.payslip_input import CalculationEntry, EmployeeDetails, PayPeriod, PayslipInput, ServiceInterval
from gaji.law import cpf
from tests.engine import random_payslips
from tests.engine.payslip_history import PayslipHistory
from tests.engine.random_payslips import Company
from tests.engine.reference_payslip import ReferencePayslip
from tests.engine.test_cases import text_to_cents
from tests.law import arithmetic
from tests.law.reason_amounts import check_reason
from tests.support.law import LAW

PEOPLE = 20
BY_INDEX = ("instalments_cents", "carried_forward_cents", "attention", "remarks")
MONTHLY_TOTALS = ("cpf_employee", "cpf_employer", "cdac", "ecf", "mbmf", "sinda", "sdl", "ordinary_subject")

seeds = st.integers(0, 2**32)
HOLIDAYS = frozenset(holiday.day for holiday in LAW.holidays.days)


def random_company(seed: int, people: int = PEOPLE) -> Company:
    """A different company for each seed."""
    return random_payslips.company(random.Random(seed), people)


def calculate(company: Company, payslips: Sequence[PayslipInput] | None = None) -> BatchResult:
    """Calculate the payslips of a company, or some of them."""
    return batch.calculate(LAW, build_catalogue(company.definitions), payslips or company.payslips)


def single_result(result: BatchResult, index: int) -> dict[str, Any]:
    """All results of one payslip of a batch."""
    return {
        "lines": result.lines_json[index],
        "nett": int(result.nett_cents[index]),
        "totals": {name: int(column[index]) for name, column in result.totals.items()},
        "previous_totals": {
            name: int(column[index]) for name, column in result.previous_totals.items() if column[index]
        },
        **{name: getattr(result, name).get(index) for name in BY_INDEX},
    }


@settings(max_examples=60)
@given(seeds)
def test_income_less_deductions_is_the_nett_pay_which_is_not_negative(seed: int) -> None:
    result = calculate(random_company(seed))
    for i, text in enumerate(result.lines_json):
        stored = json.loads(text)
        totals = {}
        for section in ("income", "deduction"):
            *lines, (name, total) = stored[section]
            assert name == "total"
            assert all(text_to_cents(amount) for _, amount in lines)
            totals[section] = sum(text_to_cents(amount) for _, amount in lines)
            assert totals[section] == text_to_cents(total)
        ((name, nett),) = stored["grand_total"]
        assert name == "nett_pay"
        assert totals["income"] - totals["deduction"] == text_to_cents(nett) == result.nett_cents[i]
        assert text_to_cents(nett) >= 0


@settings(max_examples=2)
@given(seeds)
def test_a_batch_of_300_gives_each_payslip_the_same_result_as_alone(seed: int) -> None:
    company = random_company(seed, people=300)
    result = calculate(company)
    for i, payslip in enumerate(company.payslips):
        assert single_result(result, i) == single_result(calculate(company, [payslip]), 0), payslip


@settings(max_examples=20)
@given(seeds)
def test_the_order_of_items_and_employees_is_irrelevant(seed: int) -> None:
    rng, company = random.Random(seed), random_company(seed)
    result = calculate(company)
    indexes = rng.sample(range(PEOPLE), PEOPLE)
    shuffled = calculate(company, [_shuffled(rng, company.payslips[i]) for i in indexes])
    for new, old in enumerate(indexes):
        assert single_result(shuffled, new) == single_result(result, old), company.payslips[old]


@settings(max_examples=10)
@given(seeds)
def test_only_payslips_with_remarks_or_corrections_have_remarks_for_the_employee(seed: int) -> None:
    company = random_company(seed)
    catalogue, result = build_catalogue(company.definitions), calculate(company)
    for i, payslip in enumerate(company.payslips):
        if batch.employee_remarks(LAW, catalogue, payslip):
            assert result.remarks.get(i) or payslip.past_differences, payslip


def _shuffled(rng: random.Random, payslip: PayslipInput) -> PayslipInput:
    names = rng.sample(sorted(payslip.calculations), len(payslip.calculations))
    entries = {
        name: replace(entry, inputs=dict(reversed(entry.inputs.items())))
        for name, entry in ((name, payslip.calculations[name]) for name in names)
    }
    return replace(payslip, service=payslip.service[::-1], calculations=entries)


@pytest.mark.parametrize("year", range(2022, 2028))
def test_the_reference_implementation_agrees_for_every_status_in_every_month(year: int) -> None:
    covered = set()
    for month in range(1, 13):
        for seed in range(2):
            company = random_payslips.company(random.Random(f"{year}-{month} {seed}"), 22, (year, month))
            result = calculate(company)
            for i, payslip in enumerate(company.payslips):
                reference = ReferencePayslip(payslip, company.definitions, HOLIDAYS)
                _assert_agrees(single_result(result, i), reference, payslip)
                covered |= {payslip.employee.legal_status, payslip.period.periods_per_year, payslip.period.end.month}
    assert covered == {*random_payslips.STATUSES, *range(1, 13), 24, 26, 52}


def _assert_agrees(result: dict[str, Any], reference: ReferencePayslip, payslip: PayslipInput) -> None:
    assert json.loads(result["lines"]) == reference.lines_json(), payslip
    assert result["totals"] == {name: int(amount * 100) for name, amount in reference.totals.items()}, payslip
    previous = {name: int(amount * 100) for name, amount in reference.previous_totals.items() if amount}
    assert result["previous_totals"] == previous, payslip
    assert (result["attention"] is not None) == reference.needs_attention, payslip
    for cents, amounts in (
        (result["instalments_cents"], reference.instalments),
        (result["carried_forward_cents"], reference.carried_forward),
    ):
        assert (cents or {}) == {item: int(amount * 100) for item, amount in amounts.items() if amount}, payslip


@settings(max_examples=12)
@given(seeds)
def test_the_explanation_of_every_line_gives_its_amount(seed: int) -> None:
    company = random_company(seed, people=6)
    result, catalogue = calculate(company), build_catalogue(company.definitions)
    for i, payslip in enumerate(company.payslips):
        explained = explanations.explain(LAW, catalogue, payslip)
        stored = json.loads(result.lines_json[i])
        lines = [line for section in ("income", "deduction") for line in stored[section]]
        lines += [line for _, section in stored["sideline"] for line in section]
        assert [[line.item, line.amount] for line in explained] == [*lines, *stored["grand_total"]]
        for line in explained:
            arithmetic.check_amount(line.explanation.arithmetic, text_to_cents(line.amount))
            check_reason(line.explanation.reason, line.explanation.amount_cents)


@settings(max_examples=100)
@given(seeds)
def test_a_month_paid_in_four_parts_has_the_contributions_of_the_month_paid_at_once(seed: int) -> None:
    """Unless a part is too small for its deductions: then the employer pays the rest of the employee's share."""
    rng = random.Random(seed)
    year, month = rng.randint(2022, 2027), rng.randint(1, 12)
    ends = [date(year, month, day) for day in (7, 14, 21, 28)]
    weeks = [PayPeriod(end - timedelta(days=6), end, end, 52) for end in ends]
    whole_month = PayPeriod(date(year, month, 1), date(year, month, 28), date(year, month, 28), 12)
    wages = [rng.choice((rng.randint(1, 60_000), rng.randint(1, 400_000), 12_500, 18_750)) for _ in weeks]
    bonus = rng.choice((0, rng.randint(0, 1_000_000)))
    employee = _employee_without_status_change(rng, whole_month)
    in_parts = _month_totals(employee, weeks, wages, [0, bonus, 0, 0])
    assert in_parts == _month_totals(employee, [whole_month], [sum(wages)], [bonus])


@settings(max_examples=40)
@given(seeds)
def test_weekly_pay_has_the_contributions_of_the_same_wages_paid_by_the_month(seed: int) -> None:
    """The wages of each month are those of its own days, divided by hand."""
    rng = random.Random(seed)
    apportionment = rng.choice(("working_days", "calendar_days"))
    works = [rng.random() < 0.7 for _ in range(7)]
    if not any(works):
        works[2] = True
    first = date(rng.randint(2022, 2026), rng.randint(2, 12), 1) - timedelta(days=rng.randint(0, 6))
    weeks = [
        PayPeriod(start, end, end, 52, apportionment=apportionment if start.month != end.month else None)
        for start, end in (
            (first + timedelta(weeks=n), first + timedelta(weeks=n, days=6)) for n in range(rng.randint(10, 15))
        )
    ]
    employee = _employee_without_status_change(rng, weeks[0], years=1)
    history = PayslipHistory([ServiceInterval(date(2015, 1, 1))])
    by_hand: dict[tuple[int, int], int] = {}
    for week in weeks:
        wages = rng.choice((rng.randint(1, 40_000), rng.randint(1, 300_000), 12_500, 18_750))
        for month, part in _apportion(week, wages, works, apportionment).items():
            by_hand[month] = by_hand.get(month, 0) + part
        entries = {"basic_salary": CalculationEntry({"fixed_amount": _decimal_text(wages)})}
        entries["week_hours"] = CalculationEntry(
            {"schedule": "fixed", **{f"works_{day}": works[n] for n, day in enumerate(WEEKDAYS)}}
        )
        _add_payslip(history, week, employee, entries)
    last = weeks[-1].end
    complete = [month for month in by_hand if (first.year, first.month) < month < (last.year, last.month)]
    assert complete
    for year, number in complete:
        whole_month = PayPeriod(date(year, number, 1), date(year, number, 28), date(year, number, 28), 12)
        expected = _month_totals(employee, [whole_month], [by_hand[year, number]], [0])
        assert {name: history.month_total(name, year, number) for name in MONTHLY_TOTALS} == expected, (year, number)


def _apportion(week: PayPeriod, wages: int, works: list[bool], apportionment: str) -> dict[tuple[int, int], int]:
    """Divide the wages of a week between its months. The first part is rounded, the second is the rest."""
    days = [week.start + timedelta(days=n) for n in range(7)]
    if apportionment == "working_days":
        days = [day for day in days if works[day.weekday()]]
    before = [day for day in days if day.month != week.end.month]
    part = int(Fraction(wages * len(before), len(days)) + Fraction(1, 2))
    return (
        {(week.start.year, week.start.month): part, (week.end.year, week.end.month): wages - part}
        if part
        else {(week.end.year, week.end.month): wages}
    )


@settings(max_examples=40)
@given(seeds)
def test_the_contributions_of_a_year_never_exceed_the_annual_limit(seed: int) -> None:
    """Apart from contributions to claim back, and from the rounding of each month to the dollar."""
    rng = random.Random(seed)
    year = rng.randint(2022, 2027)
    leaving = date(year, rng.randint(2, 12), 28) if rng.random() < 0.4 else None
    employee = replace(
        random_payslips.employee(rng, PayPeriod(date(year, 6, 1), date(year, 6, 30), date(year, 6, 30))),
        legal_status="CITIZEN",
        citizenship_date=None,
    )
    history = PayslipHistory([ServiceInterval(date(2015, 1, 1), leaving)])
    wages, excess = rng.randint(50_000, 1_500_000), 0
    refund = 0
    for month in range(1, (leaving.month if leaving else 12) + 1):
        wages = rng.randint(50_000, 1_500_000) if rng.random() < 0.2 else wages
        end = date(year, month, monthrange(year, month)[1])
        known = leaving if (leaving and rng.random() < 0.5) or month == (leaving and leaving.month) else None
        entries = {"basic_salary": CalculationEntry({"fixed_amount": _decimal_text(wages)})}
        if rng.random() < 0.3:
            bonus = _decimal_text(rng.randint(0, 8_000_000))
            entries["bonus"] = CalculationEntry({"amount": bonus}, recurring=False)
        trace = _add_payslip(history, PayPeriod(end.replace(day=1), end, end), employee, entries, known)
        current = trace.statutory.current
        excess = int(current.assessment.excess_cents[0])
        shares = cpf.refund_cents(
            LAW.cpf, current.month, trace.statutory.cpf_members, current.cpf_prior_months, current.assessment
        )
        refund = sum(int(share[0]) for share in shares)
    total = {name: sum(payslip.totals[name] for payslip in history.finished) for name in MONTHLY_TOTALS}
    total_subject = total["ordinary_subject"] + sum(
        payslip.totals["additional_subject"] for payslip in history.finished
    )
    assert total_subject - excess <= 10_200_000
    assert total["cpf_employee"] + total["cpf_employer"] - refund <= 3_774_000 + 12 * 50 + 100


def _add_payslip(
    history: PayslipHistory,
    period: PayPeriod,
    employee: EmployeeDetails,
    entries: dict[str, CalculationEntry],
    last_service_date: date | None = None,
) -> CalculationTrace:
    """Calculate the next payslip of an employee and add it to the history."""
    payslip = history.next_input(period, employee, entries, last_service_date)
    result = batch.calculate(LAW, build_catalogue(), [payslip])
    assume(not any("could not be deducted" in remark for remark in result.remarks.get(0, [])))
    totals, previous = (
        {name: int(column[0]) for name, column in columns.items()}
        for columns in (result.totals, result.previous_totals)
    )
    history.add(payslip, totals, {}, {}, previous)
    return batch.calculate_with_trace(LAW, build_catalogue(), [payslip])


def _employee_without_status_change(rng: random.Random, period: PayPeriod, years: int = 0) -> EmployeeDetails:
    """A random employee whose legal status does not change in the month, or not for some years either."""
    until = period.end + timedelta(days=366 * years)
    while True:
        employee = random_payslips.employee(rng, period)
        dates = (employee.pr_date, employee.citizenship_date)
        months = [(day.year, day.month) for day in dates if day is not None]
        if not any((period.end.year, period.end.month) <= month <= (until.year, until.month) for month in months):
            return employee


def _month_totals(
    employee: EmployeeDetails, periods: list[PayPeriod], wages: list[int], bonuses: list[int]
) -> dict[str, int]:
    """The totals of the payslips of a month."""
    history = PayslipHistory([ServiceInterval(date(2015, 1, 1))])
    for period, period_wages, bonus in zip(periods, wages, bonuses, strict=True):
        entries = {
            "basic_salary": CalculationEntry({"fixed_amount": _decimal_text(period_wages)}),
            "bonus": CalculationEntry({"amount": _decimal_text(bonus)}, recurring=False),
        }
        payslip = history.next_input(period, employee, entries, last_service_date=None)
        result = batch.calculate(LAW, build_catalogue(), [payslip])
        assume(not result.remarks)
        history.add(payslip, {name: int(column[0]) for name, column in result.totals.items()}, {}, {})
    return {name: sum(payslip.totals[name] for payslip in history.finished) for name in MONTHLY_TOTALS}


def _decimal_text(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def test_payslips_of_two_periods_are_rejected_as_a_batch() -> None:
    first, second = random_company(1).payslips[0], random_company(2).payslips[0]
    assert first.period != second.period
    with pytest.raises(ValueError, match="same pay period"):
        batch.calculate(LAW, build_catalogue(), [first, second])
