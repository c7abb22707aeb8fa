"""Statutory leave and length of service."""

import random
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.law import length_of_service, registry
from gaji.law.columns import date_column, flags, missing_dates
from gaji.law.leave import annual, childcare, parental, sick
from gaji.law.leave.explanations.childcare import explain_part_time_days
from gaji.law.leave.part_time import FullTimeHours, PartTimeHours
from gaji.law.months import Month
from gaji.law.parameters import MonthNotCovered
from gaji.law.quantities import counts
from tests.law import reference_pay
from tests.law.cases import Case, cases
from tests.law.pay_terms import milli_column
from tests.support.law import LAW

MONTH = Month(2026, 1)
DATES = st.dates(date(2016, 1, 1), date(2027, 12, 31))


@cases("leave", "service")
def test_length_of_service(case: Case) -> None:
    first, last = date_column([case["first"]]), date_column([case["last"]])
    assert length_of_service.completed_months(first, last).tolist() == [case["months"]]
    assert length_of_service.year_of_service(first, last).tolist() == [case["year"]]


@cases("leave", "annual_scale")
def test_annual_scale(case: Case, law: registry.Law) -> None:
    assert annual.entitled_days(law.leave, MONTH, counts([case["year"]])).tolist() == [case["days"]]


@cases("leave", "annual_prorata")
def test_annual_pro_rata(case: Case) -> None:
    assert annual.prorated_days(milli_column(case["entitlement"]), counts([case["months"]])).tolist() == [case["days"]]


@cases("leave", "annual_earned")
def test_annual_earned(case: Case, law: registry.Law) -> None:
    first, last = date_column([case["first"]]), date_column([case["last"]])
    assert annual.earned_days(law.leave, MONTH, first, last).tolist() == [case["days"]]


@cases("leave", "sick")
def test_sick(case: Case, law: registry.Law) -> None:
    months = counts([case["months"]])
    assert sick.outpatient_days(law.leave, MONTH, months).tolist() == [case["outpatient"]]
    assert sick.with_hospitalisation_days(law.leave, MONTH, months).tolist() == [case["with_hospitalisation"]]


@cases("leave", "sick_left")
def test_sick_left(case: Case, law: registry.Law) -> None:
    taken = [counts([case[name]]) for name in ("months", "outpatient_taken", "hospitalisation_taken")]
    assert sick.outpatient_days_left(law.leave, MONTH, *taken).tolist() == [case["outpatient"]]
    assert sick.hospitalisation_days_left(law.leave, MONTH, *taken).tolist() == [case["with_hospitalisation"]]


@cases("leave", "childcare")
def test_childcare(case: Case, law: registry.Law) -> None:
    month, months = Month.parse(case.get("month", str(MONTH))), counts([case["months"]])
    under_7, other, older = (
        flags([case.get(name, False)]) for name in ("citizen_under_7", "other_under_7", "citizen_7_to_12")
    )
    days = childcare.days_per_year(law.leave, month, months, under_7, other)
    assert days.tolist() == [case["days"]]
    assert childcare.extended_days(law.leave, month, months, older, days).tolist() == [case.get("extended", 0)]


@cases("leave", "infant_care")
def test_infant_care(case: Case, law: registry.Law) -> None:
    month, months = Month.parse(case["month"]), counts([case["months"]] * 2)
    days = childcare.infant_care_days(law.leave, month, months, flags([True, False]))
    assert days.tolist() == [case["days"], 0]


@cases("leave", "maternity")
def test_maternity(case: Case, law: registry.Law) -> None:
    weeks = parental.maternity_weeks(
        law.leave, date_column([case["born"]]), flags([case["citizen"]]), counts([case["months"]])
    )
    assert [column.tolist() for column in weeks] == [[case["weeks"]], [case["paid"]]]


@cases("leave", "paternity")
def test_paternity(case: Case, law: registry.Law) -> None:
    citizen, months = flags([case.get("citizen", True)]), counts([case.get("months", 12)])
    weeks = parental.paternity_weeks(law.leave, date_column([case["born"]]), citizen, months)
    assert [column.tolist() for column in weeks] == [[case["weeks"]], [case["required"]]]


@cases("leave", "shared_parental")
def test_shared_parental(case: Case, law: registry.Law) -> None:
    born = date_column([case["born"], case["born"]])
    weeks = parental.shared_parental_weeks(law.leave, born, flags([True, False]))
    assert [column.tolist() for column in weeks] == [[case["weeks"], 0], [case["each"], 0]]
    assert parental.shared_from_maternity(law.leave, born).tolist() == [case["from_maternity"]] * 2


@cases("leave", "adoption")
def test_adoption(case: Case, law: registry.Law) -> None:
    intended, citizen = date_column([case["intended"]]), flags([case.get("citizen", True)])
    weeks = parental.adoption_weeks(law.leave, intended, citizen, counts([case["months"]]))
    assert weeks.tolist() == [case["weeks"]]


def test_childcare_leave_for_one_child_is_limited_to_42_days(law: registry.Law) -> None:
    assert childcare.days_left_for_child(law.leave, MONTH, counts([0, 40, 42, 44])).tolist() == [42, 2, 0, 0]


def test_without_a_child_there_is_no_parental_leave(law: registry.Law) -> None:
    birthdates = missing_dates(1)
    assert parental.paternity_weeks(law.leave, birthdates, flags([True]), counts([12]))[0].tolist() == [0]
    assert parental.shared_parental_weeks(law.leave, birthdates, flags([True]))[0].tolist() == [0]


@pytest.mark.parametrize("born", [date(2016, 12, 31), date(2028, 1, 1)])
def test_births_outside_the_covered_months_are_rejected(law: registry.Law, born: date) -> None:
    with pytest.raises(MonthNotCovered, match="covers 2017-01 to 2027-12"):
        parental.paternity_weeks(law.leave, date_column([born]), flags([True]), counts([12]))


def test_uncovered_people_can_be_separated_first(law: registry.Law) -> None:
    born = date_column([date(2016, 12, 31), date(2017, 1, 1), date(2027, 12, 31), date(2028, 1, 1), None])
    covered = parental.is_covered(law.leave.paternity, born)
    assert covered.tolist() == [False, True, True, False, True]
    weeks, _ = parental.paternity_weeks(law.leave, born[covered], flags([True] * 3), counts([12] * 3))
    assert weeks.tolist() == [2, 4, 0]


def test_random_services_agree_with_the_reference() -> None:
    rng, people = random.Random(88), 10_000
    firsts = [date(2017, 1, 1) + timedelta(days=rng.randrange(3600)) for _ in range(people)]
    lasts = [first + timedelta(days=rng.choice((rng.randrange(-2, 120), rng.randrange(4000)))) for first in firsts]
    months = length_of_service.completed_months(date_column(firsts), date_column(lasts))
    earned = annual.earned_days(LAW.leave, MONTH, date_column(firsts), date_column(lasts))
    outpatient = sick.outpatient_days(LAW.leave, MONTH, months)
    hospitalised = sick.with_hospitalisation_days(LAW.leave, MONTH, months)
    has_child = flags([True] * people)
    children = childcare.days_per_year(LAW.leave, MONTH, months, has_child, has_child)
    for index, (first, last) in enumerate(zip(firsts, lasts, strict=True)):
        served = reference_pay.completed_months(first, last)
        assert served == months[index], (first, last)
        assert reference_pay.earned_annual_leave(first, last) == earned[index], (first, last)
        assert reference_pay.sick_leave(served) == (outpatient[index], hospitalised[index])
        assert reference_pay.childcare_leave(served) == children[index]


@given(first=DATES, served=st.integers(0, 4000))
def test_another_day_of_service_adds_at_most_one_month(first: date, served: int) -> None:
    last = first + timedelta(days=served)
    fewer, more = length_of_service.completed_months(
        date_column([first, first]), date_column([last, last + timedelta(days=1)])
    ).tolist()
    assert fewer <= more <= fewer + 1


@given(entitlement=st.integers(0, 60_000), months=st.integers(0, 11))
def test_more_months_never_give_less_leave(entitlement: int, months: int) -> None:
    fewer, more = annual.prorated_days(counts([entitlement, entitlement]), counts([months, months + 1])).tolist()
    assert 0 <= fewer <= more <= (entitlement + 500) // 1000


def test_an_operator_can_give_part_time_employees_all_days_for_children(tmp_path: Path) -> None:
    entry = (
        '{ from = 2019-04-01, value = "in_full", minimum = 0, certainty = "B", source = "a letter from the Ministry" }'
    )
    (tmp_path / "part_time_leave.toml").write_text(f"[childcare]\nvalues = [{entry}]\n")
    law = registry.load(tmp_path).leave
    hours = PartTimeHours(Fraction(20_000), Fraction(4_000), FullTimeHours(44_000, 8_000))
    assert childcare.part_time_millidays(law, MONTH, 6, hours, has_minimum=True) == 6_000
    explanation = explain_part_time_days(law, MONTH, "childcare_leave", 6, hours, has_minimum=True)
    assert (explanation.result, explanation.branch) == ("6", "in full; certainty B")
