"""The guarantees of docs/rules/payslip.md, for companies at random."""

import json
import random
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaji.engine import batch, catalogue
from gaji.engine import explanations
from gaji.engine.batch import BatchResult
from gaji.engine.payslip_input import PayslipInput, CalculationEntry, PayPeriod, EmployeeDetails, ServiceInterval
from gaji.law import registry
from tests.engine import cases_at_random
from tests.engine.cases_at_random import Company
from tests.engine.past import Past
from tests.engine.plain_payslip import Payslip
from tests.law import arithmetic

PEOPLE = 20
BY_PLACE = ("moved", "carried", "attention", "remarks")
OF_THE_MONTH = ("cpf_employee", "cpf_employer", "cdac", "ecf", "mbmf", "sinda", "sdl", "ordinary_subject")

seeds = st.integers(0, 2**32)
LAW = registry.load()
HOLIDAYS = frozenset(holiday.day for holiday in LAW.holidays.days)


def company(seed: int, people: int = PEOPLE) -> Company:
    """A company of its own for each number."""
    return cases_at_random.company(random.Random(seed), people)


def calculate(found: Company, cases: Sequence[PayslipInput] | None = None) -> BatchResult:
    """The payslips of a company, or of some of its people."""
    return batch.calculate(LAW, catalogue.build_catalogue(found.definitions), found.cases if cases is None else cases)


def one_of(slips: BatchResult, place: int) -> dict[str, Any]:
    """All that a batch says about one payslip."""
    return {
        "form": slips.lines_json[place],
        "nett": int(slips.nett_cents[place]),
        "figures": {name: int(column[place]) for name, column in slips.totals.items()},
        **{name: getattr(slips, name).get(place) for name in BY_PLACE},
    }


def in_cents(amount: str) -> int:
    """An amount of a form in cents."""
    return int(amount.replace(".", ""))


@settings(max_examples=60)
@given(seeds)
def test_income_less_deductions_is_the_nett_pay_which_is_not_negative(seed: int) -> None:
    slips = calculate(company(seed))
    for place, text in enumerate(slips.lines_json):
        form = json.loads(text)
        totals = {}
        for section in ("income", "deduction"):
            *lines, (name, total) = form[section]
            assert name == "total"
            assert all(in_cents(amount) for _, amount in lines)
            totals[section] = sum(in_cents(amount) for _, amount in lines)
            assert totals[section] == in_cents(total)
        ((name, nett),) = form["grand_total"]
        assert name == "nett_pay"
        assert totals["income"] - totals["deduction"] == in_cents(nett) == slips.nett_cents[place]
        assert in_cents(nett) >= 0


@settings(max_examples=2)
@given(seeds)
def test_a_batch_gives_each_of_300_people_what_they_would_get_alone(seed: int) -> None:
    found = company(seed, people=300)
    together = calculate(found)
    for place, case in enumerate(found.cases):
        assert one_of(together, place) == one_of(calculate(found, [case]), 0), case


@settings(max_examples=20)
@given(seeds)
def test_the_order_of_items_and_of_people_is_irrelevant(seed: int) -> None:
    at, found = random.Random(seed), company(seed)
    slips = calculate(found)
    places = at.sample(range(PEOPLE), PEOPLE)
    shuffled = calculate(found, [_in_another_order(at, found.cases[place]) for place in places])
    for new, old in enumerate(places):
        assert one_of(shuffled, new) == one_of(slips, old), found.cases[old]


def _in_another_order(at: random.Random, case: PayslipInput) -> PayslipInput:
    names = at.sample(sorted(case.calculations), len(case.calculations))
    entries = {
        name: CalculationEntry(dict(reversed(entry.inputs.items())), entry.recurring, entry.skip, entry.multiplier)
        for name, entry in ((name, case.calculations[name]) for name in names)
    }
    return PayslipInput(case.period, case.employee, case.service[::-1], entries, *_rest(case))


def _rest(case: PayslipInput) -> tuple[Any, ...]:
    names = ("leaving", "earlier", "year", "last_month", "moved", "carried")
    return tuple(getattr(case, name) for name in names)


@pytest.mark.parametrize("year", range(2022, 2028))
def test_the_plain_telling_agrees_on_people_of_every_status_in_every_month(year: int) -> None:
    met = set()
    for month in range(1, 13):
        for seed in range(2):
            found = cases_at_random.company(random.Random(f"{year}-{month} {seed}"), 22, (year, month))
            slips = calculate(found)
            for place, case in enumerate(found.cases):
                _assert_agrees(one_of(slips, place), Payslip(case, found.definitions, HOLIDAYS), case)
                met |= {case.employee.legal_status, case.period.periods_per_year, case.period.end.month}
    assert met == {*cases_at_random.STATUSES, *range(1, 13), 24, 26, 52}


def _assert_agrees(told: dict[str, Any], plain: Payslip, case: PayslipInput) -> None:
    assert json.loads(told["form"]) == plain.form(), case
    assert told["figures"] == {name: int(amount * 100) for name, amount in plain.figures.items()}, case
    assert (told["attention"] is not None) == plain.attention, case
    for name in ("moved", "carried"):
        amounts = getattr(plain, name)
        assert (told[name] or {}) == {item: int(amount * 100) for item, amount in amounts.items() if amount}, case


@settings(max_examples=12)
@given(seeds)
def test_every_line_can_be_worked_out_from_its_explanation(seed: int) -> None:
    found = company(seed, people=6)
    slips, types = calculate(found), catalogue.build_catalogue(found.definitions)
    for place, case in enumerate(found.cases):
        told = explanations.explain(LAW, types, case)
        form = json.loads(slips.lines_json[place])
        lines = [line for group in ("income", "deduction") for line in form[group]]
        lines += [line for _, group in form["sideline"] for line in group]
        assert [[one["item"], one["amount"]] for one in told] == [*lines, *form["grand_total"]]
        for one in told:
            arithmetic.check(tuple(one["arithmetic"]), in_cents(one["amount"]))


@settings(max_examples=100)
@given(seeds)
def test_a_month_in_four_parts_has_the_contributions_of_the_month_paid_at_once(seed: int) -> None:
    at = random.Random(seed)
    year, month = at.randint(2022, 2027), at.randint(1, 12)
    ends = [date(year, month, day) for day in (7, 14, 21, 28)]
    weeks = [PayPeriod(end - timedelta(days=6), end, end, 52) for end in ends]
    whole = PayPeriod(date(year, month, 1), date(year, month, 28), date(year, month, 28), 12)
    parts = [at.choice((at.randint(1, 60_000), at.randint(1, 400_000), 12_500, 18_750)) for _ in weeks]
    bonus = at.choice((0, at.randint(0, 1_000_000)))
    who = _settled(at, whole)
    in_parts = _paid(who, weeks, parts, [0, bonus, 0, 0])
    assert in_parts == _paid(who, [whole], [sum(parts)], [bonus])


def _settled(at: random.Random, period: PayPeriod) -> EmployeeDetails:
    """Someone whose status does not change in the month."""
    while True:
        person = cases_at_random.person(at, period)
        days = (person.pr_date, person.citizenship_date)
        if all(day is None or (day.year, day.month) != (period.end.year, period.end.month) for day in days):
            return person


def _paid(who: EmployeeDetails, periods: list[PayPeriod], ordinary: list[int], bonus: list[int]) -> dict[str, int]:
    """What the payslips of a month come to."""
    past = Past([ServiceInterval(date(2015, 1, 1))])
    for period, wages, additional in zip(periods, ordinary, bonus, strict=True):
        entries = {
            "basic_salary": CalculationEntry({"fixed_amount": _text(wages)}),
            "bonus": CalculationEntry({"amount": _text(additional)}, recurring=False),
        }
        case = past.next_case(period, who, entries, leaving=None)
        slips = batch.calculate(LAW, catalogue.build_catalogue(), [case])
        past.add(case, {name: int(column[0]) for name, column in slips.totals.items()}, {}, {})
    return {name: sum(one.figures[name] for one in past.paid) for name in OF_THE_MONTH}


def _text(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def test_cases_of_two_periods_are_no_batch() -> None:
    first, second = company(1).cases[0], company(2).cases[0]
    assert first.period != second.period
    with pytest.raises(ValueError, match="one pay period"):
        batch.calculate(LAW, catalogue.build_catalogue(), [first, second])
