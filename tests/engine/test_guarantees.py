"""The guarantees of docs/rules/payslip.md, for random companies."""

import json
import random
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gaji.engine import batch, explanations
from gaji.engine.batch import BatchResult
from gaji.engine.catalogue import build_catalogue
from gaji.engine.payslip_input import CalculationEntry, EmployeeDetails, PayPeriod, PayslipInput, ServiceInterval
from gaji.law import registry
from tests.engine import random_payslips
from tests.engine.payslip_history import PayslipHistory
from tests.engine.random_payslips import Company
from tests.engine.reference_payslip import ReferencePayslip
from tests.engine.test_cases import text_to_cents
from tests.law import arithmetic

PEOPLE = 20
BY_INDEX = ("instalments_cents", "carried_forward_cents", "attention", "remarks")
MONTHLY_TOTALS = ("cpf_employee", "cpf_employer", "cdac", "ecf", "mbmf", "sinda", "sdl", "ordinary_subject")

seeds = st.integers(0, 2**32)
LAW = registry.load()
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
        assert [[line["item"], line["amount"]] for line in explained] == [*lines, *stored["grand_total"]]
        for line in explained:
            arithmetic.check_amount(tuple(line["arithmetic"]), text_to_cents(line["amount"]))


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


def _employee_without_status_change(rng: random.Random, period: PayPeriod) -> EmployeeDetails:
    """A random employee whose legal status does not change in the month."""
    while True:
        employee = random_payslips.employee(rng, period)
        dates = (employee.pr_date, employee.citizenship_date)
        if all(day is None or (day.year, day.month) != (period.end.year, period.end.month) for day in dates):
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
