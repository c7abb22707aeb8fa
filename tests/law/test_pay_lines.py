"""Pay lines at a daily or hourly rate: overtime, rest days, public holidays, leave encashment, notice, absence."""

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
from gaji.law.pay import PayParameters, overtime, part_four_coverage, public_holiday_work, rates, rest_days
from gaji.law.pay.part_four_coverage import EmploymentActGroup, PartFourStatus
from gaji.law.pay.rates import PayTerms, PayType
from gaji.law.quantities import counts, millis
from tests.law import arithmetic, reference_pay
from tests.law.cases import Case, cases, in_cents
from tests.law.pay_terms import case_status, case_terms, dollars, from_millis, milli_column, random_status, random_terms
from tests.support.law import LAW

MONTH = Month(2026, 1)
SEEDS = st.integers(0, 2**32)
CAPPED = '[non_workman_overtime_rate]\nvalues = [{ from = 2019-04-01, value = "capped", source = "the Ministry" }]\n'


@pytest.fixture(scope="module")
def capped(tmp_path_factory: pytest.TempPathFactory) -> PayParameters:
    """The parameters with the Ministry's maximum overtime rate for non-workmen."""
    folder = tmp_path_factory.mktemp("capped")
    (folder / "pay.toml").write_text(CAPPED)
    return registry.load(folder).pay


@cases("pay_lines", "public_holiday_work")
def test_public_holiday_work(case: Case) -> None:
    terms, days = case_terms(case), milli_column(case["days"])
    explanation = public_holiday_work.explain(terms, int(days[0]))
    assert public_holiday_work.pay_cents(terms, days).tolist() == [explanation.amount_cents] == [in_cents(case["pay"])]
    arithmetic.check_explanation(explanation)


@cases("pay_lines", "daily_rate")
def test_daily_rate(case: Case) -> None:
    assert rates.daily_rates(case_terms(case)).cents(milli_column(case["days"])).tolist() == [in_cents(case["pay"])]


@cases("pay_lines", "overtime")
def test_overtime(case: Case, law: registry.Law, capped: PayParameters) -> None:
    parameters = capped if case.get("capped") else law.pay
    terms, status, hours = case_terms(case), case_status(case), milli_column(case["hours"])
    month = Month.parse(case.get("month", str(MONTH)))
    explanation = overtime.explain(parameters, month, terms, status, int(hours[0]))
    paid = overtime.pay_cents(parameters, month, terms, status, hours)
    assert paid.tolist() == [explanation.amount_cents] == [in_cents(case["pay"])]
    arithmetic.check_explanation(explanation)


@cases("pay_lines", "rest_day")
def test_rest_day(case: Case, law: registry.Law) -> None:
    terms, status = case_terms(case), case_status(case)
    days = milli_column(case.get("employer_days", 0)), milli_column(case.get("employee_days", 0))
    explanation = rest_days.explain(law.pay, MONTH, terms, status, *(int(column[0]) for column in days))
    paid = rest_days.pay_cents(law.pay, MONTH, terms, *days)
    assert paid.tolist() == [explanation.amount_cents] == [in_cents(case["pay"])]
    arithmetic.check_explanation(explanation)


@cases("pay_lines", "coverage")
def test_coverage(case: Case, law: registry.Law) -> None:
    status = case_status(case)
    required = "so the law requires this payment" if case["covered"] else "so the law does not require this payment"
    month = Month.parse(case.get("month", str(MONTH)))
    assert part_four_coverage.is_covered(law.pay, month, status).tolist() == [case["covered"]]
    assert part_four_coverage.coverage_sentence(law.pay, month, status).endswith(required)


def test_overtime_of_more_than_72_hours_is_paid_with_a_warning(law: registry.Law) -> None:
    assert overtime.exceeds_limit(law.pay, MONTH, millis([72, 73])).tolist() == [False, True]
    case = {"monthly": 2288}
    explanation = overtime.explain(law.pay, MONTH, case_terms(case), case_status(case), 72_001)
    assert explanation.branch.endswith("this exceeds the limit of 72 hours per month")
    assert explanation.amount_cents == 129_602


def test_an_explanation_lists_its_parameters_with_their_sources(law: registry.Law) -> None:
    case = {"monthly": 2288}
    explanation = overtime.explain(law.pay, MONTH, case_terms(case), case_status(case), 3000)
    assert [used.value for used in explanation.parameters][:4] == ["1.50", "44", "own", "72"]
    assert all(used.source.startswith("Employment Act 1968") for used in explanation.parameters)
    assert explanation.arithmetic == ("round_cents(1.50 × 12 × 2288.00 ÷ (52 × 44) × 3) = 54.00",)


def test_a_daily_rate_from_monthly_pay_needs_the_working_days_per_week() -> None:
    terms = case_terms({"monthly": 2600, "week_days": 0})
    with pytest.raises(ValueError, match=r"division by zero for the people at index \[0\]"):
        rates.daily_rates(terms).cents(millis([1]))


def test_a_month_that_is_not_covered_is_rejected(law: registry.Law) -> None:
    with pytest.raises(MonthNotCovered, match="covers 2016-01 to 2027-12, not 2015-12"):
        overtime.pay_cents(law.pay, Month(2015, 12), case_terms({"monthly": 1}), case_status({}), millis([1]))


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
            "lowest first",
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
def test_an_invalid_file_is_rejected(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "pay.toml").write_text(text)
    with pytest.raises(InvalidParameterFile, match=reason):
        registry.load(tmp_path)


def test_random_lines_agree_with_the_reference(capped: PayParameters) -> None:
    rng, people = random.Random(38), 20_000
    terms, status = random_terms(rng, people), random_status(rng, people)
    days = counts([rng.choice((rng.randrange(31_000), rng.randrange(62) * 500, 0)) for _ in range(people)])
    other_days = counts([rng.choice((rng.randrange(5000), rng.randrange(10) * 500, 0)) for _ in range(people)])
    hours = counts([rng.choice((rng.randrange(100_000), rng.randrange(300) * 250, 0)) for _ in range(people)])
    holidays = public_holiday_work.pay_cents(terms, days).tolist()
    rest = rest_days.pay_cents(LAW.pay, MONTH, terms, days, other_days).tolist()
    uncapped = overtime.pay_cents(LAW.pay, MONTH, terms, status, hours).tolist()
    with_cap = overtime.pay_cents(capped, MONTH, terms, status, hours).tolist()
    for index in range(people):
        pay_type = PayType(int(terms.pay_types[index])).name.lower()
        group = EmploymentActGroup(int(status.groups[index])).name.lower()
        amount, day_hours = dollars(int(terms.amounts_cents[index])), from_millis(int(terms.day_millihours[index]))
        daily = reference_pay.daily_rate(pay_type, amount, from_millis(int(terms.cycle_millidays[index])), day_hours)
        hourly = reference_pay.hourly_rate(pay_type, amount, day_hours)
        worked, other, overtime_hours = (from_millis(int(column[index])) for column in (days, other_days, hours))
        assert reference_pay.round_to_cent(daily * worked) == dollars(holidays[index])
        assert reference_pay.rest_day(daily, worked, other) == dollars(rest[index])
        assert reference_pay.overtime(hourly, overtime_hours, group, capped=False) == dollars(uncapped[index])
        assert reference_pay.overtime(hourly, overtime_hours, group, capped=True) == dollars(with_cap[index])


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS)
def test_every_explanation_gives_the_result_of_the_batch(seed: int) -> None:
    rng, people = random.Random(seed), 20
    terms, status = random_terms(rng, people), random_status(rng, people)
    hours = counts([rng.randrange(1, 100_000) for _ in range(people)])
    paid = overtime.pay_cents(LAW.pay, MONTH, terms, status, hours)
    rest = rest_days.pay_cents(LAW.pay, MONTH, terms, hours, hours // 3)
    holidays = public_holiday_work.pay_cents(terms, hours)
    for index in range(people):
        amount = int(hours[index])
        explanations = (
            (overtime.explain(LAW.pay, MONTH, terms, status, amount, index), paid),
            (rest_days.explain(LAW.pay, MONTH, terms, status, amount, amount // 3, index), rest),
            (public_holiday_work.explain(terms, amount, index), holidays),
        )
        for explanation, column in explanations:
            assert explanation.amount_cents == column[index]
            arithmetic.check_explanation(explanation)


def test_a_batch_equals_its_members() -> None:
    rng, people = random.Random(5), 2_000
    terms, status = random_terms(rng, people), random_status(rng, people)
    hours = counts([rng.randrange(100_000) for _ in range(people)])
    batch = overtime.pay_cents(LAW.pay, MONTH, terms, status, hours)
    for index in range(people):
        person = single_person(terms, index), single_person(status, index), hours[index : index + 1]
        assert overtime.pay_cents(LAW.pay, MONTH, *person).tolist() == [int(batch[index])]
    assert batch.dtype == np.int64


@given(amount=st.integers(0, 10**8), more=st.integers(0, 10**8), hours=st.integers(0, 744_000))
def test_more_pay_or_more_hours_never_pay_less(amount: int, more: int, hours: int) -> None:
    terms = PayTerms(codes([0, 0, 0]), cents([amount, amount + more, amount]), counts([5000] * 3), counts([0] * 3))
    status = PartFourStatus(codes([1, 1, 1]), cents([0, 0, 0]))
    paid = overtime.pay_cents(LAW.pay, MONTH, terms, status, counts([hours, hours, hours + 250]))
    assert 0 <= paid[0] <= paid[1]
    assert paid[0] <= paid[2]


def test_the_hourly_rate_of_the_monthly_rated_does_not_depend_on_the_contract(law: registry.Law) -> None:
    terms = PayTerms(codes([0, 0]), cents([286_000, 286_000]), counts([5000, 3000]), counts([8000, 4000]))
    hourly = rates.hourly_rates(law.pay, MONTH, terms)
    assert (hourly.dividends / hourly.divisors).tolist() == [1500, 1500]
