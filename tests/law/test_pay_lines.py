"""Lines of pay at a daily or hourly rate: overtime, rest days, public holidays, encashed leave, notice, absence."""

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaji.law import registry
from gaji.law.columns import cents, codes, single_person
from gaji.law.months import Month
from gaji.law.parameters import InvalidParameterFile, MonthNotCovered
from gaji.law.pay import PayParameters, days_at_rate, overtime, part_four, rates, rest_days
from gaji.law.pay.days_at_rate import DayRateItem
from gaji.law.pay.part_four import EmploymentActGroup, PartFourStatus
from gaji.law.pay.rates import PayTerms, PayType
from gaji.law.quantities import counts, millis
from tests.law import arithmetic, plain_pay
from tests.law.cases import Case, cases, in_cents
from tests.law.terms import at_random, dollars, of_case, one, standing_at_random, standing_of_case, whole

LAW = registry.load()
MONTH = Month(2026, 1)
SEEDS = st.integers(0, 2**32)
CAPPED = '[non_workman_overtime_rate]\nvalues = [{ from = 2019-04-01, value = "capped", source = "the Ministry" }]\n'


@pytest.fixture(scope="module")
def capped(tmp_path_factory: pytest.TempPathFactory) -> PayParameters:
    """The law with the Ministry's highest rate for the overtime of non-workmen."""
    folder = tmp_path_factory.mktemp("capped")
    (folder / "pay.toml").write_text(CAPPED)
    return registry.load(folder).pay


@cases("pay_lines", "days_at_rate")
def test_days_at_rate(case: Case) -> None:
    terms, days = of_case(case), one(case["days"])
    explained = days_at_rate.explain(DayRateItem[case["line"]], terms, int(days[0]))
    assert explained.figure == case["line"].lower()
    assert days_at_rate.pay_cents(terms, days).tolist() == [explained.amount_cents] == [in_cents(case["pay"])]
    arithmetic.check_explained(explained)


@cases("pay_lines", "overtime")
def test_overtime(case: Case, law: registry.Law, capped: PayParameters) -> None:
    parameters = capped if case.get("capped") else law.pay
    terms, standing, hours = of_case(case), standing_of_case(case), one(case["hours"])
    explained = overtime.explain(parameters, MONTH, terms, standing, int(hours[0]))
    paid = overtime.pay_cents(parameters, MONTH, terms, standing, hours)
    assert paid.tolist() == [explained.amount_cents] == [in_cents(case["pay"])]
    arithmetic.check_explained(explained)


@cases("pay_lines", "rest_day")
def test_rest_day(case: Case, law: registry.Law) -> None:
    terms, standing = of_case(case), standing_of_case(case)
    days = one(case.get("employer_days", 0)), one(case.get("employee_days", 0))
    explained = rest_days.explain(law.pay, MONTH, terms, standing, *(int(column[0]) for column in days))
    paid = rest_days.pay_cents(law.pay, MONTH, terms, *days)
    assert paid.tolist() == [explained.amount_cents] == [in_cents(case["pay"])]
    arithmetic.check_explained(explained)


@cases("pay_lines", "rest_day_hours")
def test_rest_day_hours(case: Case) -> None:
    worked, normal = one(case["worked"]), one(case["normal"])
    assert rest_days.rest_day_millidays(worked, normal).tolist() == one(case["days"]).tolist()
    assert rest_days.overtime_millihours(worked, normal).tolist() == one(case["overtime"]).tolist()


@cases("pay_lines", "coverage")
def test_coverage(case: Case, law: registry.Law) -> None:
    standing = standing_of_case(case)
    required = "so the law requires this" if case["covered"] else "so the law does not require this"
    assert part_four.is_covered(law.pay, MONTH, standing).tolist() == [case["covered"]]
    assert part_four.coverage_sentence(law.pay, MONTH, standing).endswith(required)


def test_overtime_of_more_than_72_hours_is_paid_and_warned_of(law: registry.Law) -> None:
    assert overtime.exceeds_limit(law.pay, MONTH, millis([72, 73])).tolist() == [False, True]
    case = {"monthly": 2288}
    explained = overtime.explain(law.pay, MONTH, of_case(case), standing_of_case(case), 72_001)
    assert explained.branch.endswith("more than the 72 hours that a month may have")
    assert explained.amount_cents == 129_602


def test_an_explanation_has_its_parameters_with_their_sources(law: registry.Law) -> None:
    case = {"monthly": 2288}
    explained = overtime.explain(law.pay, MONTH, of_case(case), standing_of_case(case), 3000)
    assert [shown.value for shown in explained.parameters][:4] == ["1.50", "44", "own", "72"]
    assert all(shown.source.startswith("Employment Act 1968") for shown in explained.parameters)
    assert explained.arithmetic == ("round_cents(1.50 × 12 × 2288.00 ÷ (52 × 44) × 3) = 54.00",)


def test_a_day_of_the_monthly_rated_needs_the_days_of_the_week() -> None:
    terms = of_case({"monthly": 2600, "week_days": 0})
    with pytest.raises(ValueError, match=r"nothing to divide by for the people at \[0\]"):
        days_at_rate.pay_cents(terms, millis([1]))


def test_a_month_before_the_covered_span_is_refused(law: registry.Law) -> None:
    with pytest.raises(MonthNotCovered, match="known from 2019-04 to 2027-12, not for 2019-03"):
        overtime.pay_cents(law.pay, Month(2019, 3), of_case({"monthly": 1}), standing_of_case({}), millis([1]))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[weekly_hours]\nvalues = [{ from = 2026-01-01, value = 0, source = 's' }]", "must be above 0"),
        (
            "[rest_day]\nvalues = [{ from = 2026-01-01, employer_half_day = 0.3, employer_day = 2, "
            "employee_half_day = 1, employee_day = 1, source = 's' }]",
            "whole or half days",
        ),
        (
            "[notice]\nvalues = [{ from = 2026-01-01, by_weeks = [{ least = 26, days = 7 }, { least = 0, days = 1 }], "
            "by_years = [{ least = 2, days = 14 }], source = 's' }]",
            "lowest step first",
        ),
        (
            "[outside_total_deductions]\nvalues = [{ from = 2026-01-01, value = ['fines'], source = 's' }]",
            "not 'fines'",
        ),
        (
            "[overtime_hours_a_month]\nvalues = [{ from = 2026-01-01, value = 72.5, source = 's' }]",
            "must be a whole number",
        ),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "pay.toml").write_text(text)
    with pytest.raises(InvalidParameterFile, match=reason):
        registry.load(tmp_path)


def test_random_lines_agree_with_the_plain_telling(capped: PayParameters) -> None:
    at, people = random.Random(38), 20_000
    terms, standing = at_random(at, people), standing_at_random(at, people)
    days = counts([at.choice((at.randrange(31_000), at.randrange(62) * 500, 0)) for _ in range(people)])
    other_days = counts([at.choice((at.randrange(5000), at.randrange(10) * 500, 0)) for _ in range(people)])
    hours = counts([at.choice((at.randrange(100_000), at.randrange(300) * 250, 0)) for _ in range(people)])
    at_rate = days_at_rate.pay_cents(terms, days).tolist()
    rest = rest_days.pay_cents(LAW.pay, MONTH, terms, days, other_days).tolist()
    over = overtime.pay_cents(LAW.pay, MONTH, terms, standing, hours).tolist()
    over_capped = overtime.pay_cents(capped, MONTH, terms, standing, hours).tolist()
    for place in range(people):
        pay_type = PayType(int(terms.pay_types[place])).name.lower()
        group = EmploymentActGroup(int(standing.groups[place])).name.lower()
        amount, day_hours = dollars(int(terms.amounts_cents[place])), whole(int(terms.day_millihours[place]))
        daily = plain_pay.daily_rate(pay_type, amount, whole(int(terms.week_millidays[place])), day_hours)
        hourly = plain_pay.hourly_rate(pay_type, amount, day_hours)
        worked = whole(int(days[place])), whole(int(other_days[place])), whole(int(hours[place]))
        assert plain_pay.to_the_cent(daily * worked[0]) == dollars(at_rate[place])
        assert plain_pay.rest_day(daily, worked[0], worked[1]) == dollars(rest[place])
        assert plain_pay.overtime(hourly, worked[2], group, capped=False) == dollars(over[place])
        assert plain_pay.overtime(hourly, worked[2], group, capped=True) == dollars(over_capped[place])


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS)
def test_every_explanation_works_out_to_what_the_batch_gave(seed: int) -> None:
    at, people = random.Random(seed), 20
    terms, standing = at_random(at, people), standing_at_random(at, people)
    hours = counts([at.randrange(1, 100_000) for _ in range(people)])
    paid = overtime.pay_cents(LAW.pay, MONTH, terms, standing, hours)
    rest = rest_days.pay_cents(LAW.pay, MONTH, terms, hours, hours // 3)
    leave = days_at_rate.pay_cents(terms, hours)
    for place in range(people):
        amount = int(hours[place])
        told = (
            (overtime.explain(LAW.pay, MONTH, terms, standing, amount, place), paid),
            (rest_days.explain(LAW.pay, MONTH, terms, standing, amount, amount // 3, place), rest),
            (days_at_rate.explain(DayRateItem.LEAVE_ENCASHMENT, terms, amount, place), leave),
        )
        for explained, column in told:
            assert explained.amount_cents == column[place]
            arithmetic.check_explained(explained)


def test_a_batch_is_its_members() -> None:
    at, people = random.Random(5), 2_000
    terms, standing = at_random(at, people), standing_at_random(at, people)
    hours = counts([at.randrange(100_000) for _ in range(people)])
    together = overtime.pay_cents(LAW.pay, MONTH, terms, standing, hours)
    alone = [
        int(
            overtime.pay_cents(LAW.pay, MONTH, single_person(terms, n), single_person(standing, n), hours[n : n + 1])[0]
        )
        for n in range(people)
    ]
    assert together.tolist() == alone
    assert together.dtype == np.int64


@given(amount=st.integers(0, 10**8), more=st.integers(0, 10**8), hours=st.integers(0, 744_000))
def test_more_pay_or_more_hours_never_bring_less(amount: int, more: int, hours: int) -> None:
    terms = PayTerms(codes([0, 0, 0]), cents([amount, amount + more, amount]), counts([5000] * 3), counts([0] * 3))
    standing = PartFourStatus(codes([1, 1, 1]), cents([0, 0, 0]))
    paid = overtime.pay_cents(LAW.pay, MONTH, terms, standing, counts([hours, hours, hours + 250]))
    assert 0 <= paid[0] <= paid[1]
    assert paid[0] <= paid[2]


def test_the_hourly_rate_of_the_monthly_rated_does_not_depend_on_the_contract(law: registry.Law) -> None:
    terms = PayTerms(codes([0, 0]), cents([286_000, 286_000]), counts([5000, 3000]), counts([8000, 4000]))
    found = rates.hourly_rates(law.pay, MONTH, terms)
    assert (found.dividends / found.divisors).tolist() == [1500, 1500]
