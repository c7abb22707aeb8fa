"""Wage offsets paid to employers."""

from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.law import registry, wage_offsets
from gaji.law.months import Month
from gaji.law.parameters import InvalidParameterFile
from gaji.law.wage_offsets import MonthlyWage, OffsetEmployee, Scheme, WageOffset, YearlyWages
from tests.law import arithmetic
from tests.law.case_people import case_month, offset_employee, offset_wage, offset_wages_by_year, wage_offset_parameters
from tests.law.cases import Case, cases, in_cents
from tests.law.explanations.wage_offsets import FIGURES
from tests.support.law import LAW

SENIOR: Case = {"month": "2026-03", "birthdate": date(1958, 1, 10), "ordinary_wages": 3500}
ABOVE_CEILING: Case = {"year": 2026, "wages": [[37200, 12], [34800, 12], [30000, 12]]}


def figures(offsets: list[WageOffset]) -> dict[str, int | str]:
    """The amounts in cents, by the key of a case."""
    return {
        FIGURES[offset.scheme]: "not_estimated" if offset.amount_cents is None else offset.amount_cents
        for offset in offsets
    }


def expected(case: Case) -> dict[str, int | str]:
    """The expected figures of a case in cents."""
    values = {name: case[name] for name in FIGURES.values() if name in case}
    return {name: value if isinstance(value, str) else in_cents(value) for name, value in values.items()}


def of_year(law: registry.Law, case: Case) -> list[WageOffset]:
    return wage_offsets.estimate_year(
        wage_offset_parameters(law), case["year"], offset_employee(case), offset_wages_by_year(case)
    )


def of_month(law: registry.Law, case: Case) -> list[WageOffset]:
    return wage_offsets.estimate_month(
        wage_offset_parameters(law), law.cpf, case_month(case), offset_employee(case), offset_wage(case)
    )


def law_with(directory: Path, text: str) -> registry.Law:
    """The law with values of an operator."""
    (directory / "wage_offsets.toml").write_text(text)
    return registry.load(directory)


def switch(name: str, value: str, certainty: str = "C") -> str:
    """The text that sets a switch."""
    entry = f'{{ from = 2021-01-01, value = "{value}", certainty = "{certainty}", source = "a letter from IRAS" }}'
    return f"[{name}]\nvalues = [{entry}]\n"


@cases("wage_offsets", "year")
def test_year(case: Case, law: registry.Law) -> None:
    assert figures(of_year(law, case)) == expected(case)


@cases("wage_offsets", "month")
def test_month(case: Case, law: registry.Law) -> None:
    assert figures(of_month(law, case)) == expected(case)


def test_owners_have_no_progressive_wage_credit_and_no_senior_credit(law: registry.Law) -> None:
    assert of_year(law, {"year": 2026, "wages": [[27500, 10], [30000, 12]], "owner": True}) == []
    assert of_month(law, {**SENIOR, "ordinary_wages": 2000, "owner": True}) == []


def test_high_wages_are_not_listed(law: registry.Law) -> None:
    assert of_year(law, {"year": 2026, "wages": [[96000, 12], [90000, 12], [84000, 12]]}) == []
    assert of_year(law, {"year": 2026, "wages": [[96000, 12]]}) == []


def test_people_who_are_not_marked_have_no_employment_credit(law: registry.Law) -> None:
    assert of_month(law, {"month": "2026-03", "ordinary_wages": 1500, "hired_on": date(2026, 1, 1)}) == []


def test_the_uplifting_credit_is_for_hires_from_april_2023(law: registry.Law) -> None:
    case = {"month": "2023-06", "ordinary_wages": 1500, "uplifting": True}
    assert of_month(law, {**case, "hired_on": date(2023, 3, 31)}) == []
    assert figures(of_month(law, {**case, "hired_on": date(2023, 4, 1)})) == {"uplifting_credit": 30_000}


def test_permanent_residents_have_the_enabling_credit_from_april_2023(law: registry.Law) -> None:
    case = {"ordinary_wages": 1500, "enabling": True, "legal_status": "PR", "pr_date": date(2015, 1, 1)}
    assert of_month(law, {**case, "month": "2023-03"}) == []
    assert figures(of_month(law, {**case, "month": "2023-04"})) == {"enabling_credit": 30_000}


def test_each_figure_has_its_certainty_date_and_source(law: registry.Law) -> None:
    [senior] = of_month(law, {**SENIOR, "ordinary_wages": 2800})
    assert (senior.certainty, senior.rate, str(senior.terms.since)) == ("B", "4 %", "2026-01-01")
    assert "Ministry of Manpower" in senior.terms.source
    [increase] = of_year(law, {"year": 2026, "wages": [[27500, 10], [30000, 12]]})
    assert (increase.certainty, increase.rate) == ("C", "30 % up to 3000.00")
    [oldest] = of_month(law, {"month": "2025-03", "birthdate": date(1955, 1, 1), "ordinary_wages": 1000})
    assert oldest.certainty == "A"


def test_an_average_above_the_ceiling_shows_both_figures(law: registry.Law) -> None:
    [increase, sustained] = of_year(law, ABOVE_CEILING)
    assert increase.certainty == sustained.certainty == "D"
    assert increase.branch.endswith("$0.00 if nothing is paid then, $30.00 if the part below the ceiling is paid")
    assert sustained.branch.endswith("$0.00 if nothing is paid then, $120.00 if the part below the ceiling is paid")


@pytest.mark.parametrize(("choice", "increase", "sustained"), [("nothing", 0, 0), ("part_below", 3000, 12_000)])
def test_an_operator_settles_averages_above_the_ceiling(
    tmp_path: Path, choice: str, increase: int, sustained: int
) -> None:
    law = law_with(tmp_path, switch("progressive_wage_credit_above_ceiling", choice))
    offsets = of_year(law, ABOVE_CEILING)
    assert figures(offsets) == {"increase": increase, "sustained": sustained}
    for offset in offsets:
        arithmetic.check_explanation(offset.explanation())


def test_a_wage_in_the_taper_shows_the_range(law: registry.Law) -> None:
    [senior] = of_month(law, SENIOR)
    assert (senior.amount_cents, senior.certainty) == (None, "D")
    assert senior.branch.endswith("The amount is between $0.00 and $120.00")


def test_an_operator_settles_the_taper(tmp_path: Path) -> None:
    law = law_with(tmp_path, switch("senior_employment_credit_taper", "linear"))
    [senior] = of_month(law, SENIOR)
    assert (senior.amount_cents, senior.certainty) == (6000, "C")
    arithmetic.check_explanation(senior.explanation())


@pytest.mark.parametrize(("day", "cents"), [("first_day", 5600), ("last_day", 11_200)])
def test_an_operator_settles_the_day_of_the_age(tmp_path: Path, day: str, cents: int) -> None:
    law = law_with(tmp_path, switch("senior_employment_credit_age", day))
    case = {"month": "2026-03", "birthdate": date(1961, 3, 15), "ordinary_wages": 2800}
    [senior, _] = of_month(law, case)
    assert senior.amount_cents == cents
    arithmetic.check_explanation(senior.explanation())


@pytest.mark.parametrize(("choice", "cents"), [("ordinary", 1500), ("ordinary_and_additional", 1750)])
def test_an_operator_settles_additional_wages(tmp_path: Path, choice: str, cents: int) -> None:
    law = law_with(tmp_path, switch("cpf_transition_offset_wages", choice))
    case = {"month": "2026-03", "birthdate": date(1970, 1, 10), "ordinary_wages": 6000, "additional_wages": 1000}
    [transition] = of_month(law, case)
    assert transition.amount_cents == cents
    arithmetic.check_explanation(transition.explanation())


@pytest.mark.parametrize(("choice", "amounts"), [("nothing", []), ("full_rates", [625])])
def test_an_operator_settles_new_permanent_residents(tmp_path: Path, choice: str, amounts: list[int]) -> None:
    law = law_with(tmp_path, switch("cpf_transition_offset_new_residents", choice))
    case = {
        "month": "2026-03",
        "birthdate": date(1964, 1, 10),
        "ordinary_wages": 2500,
        "legal_status": "PR",
        "pr_date": date(2024, 6, 1),
    }
    assert [offset.amount_cents for offset in of_month(law, case)] == amounts


CEILING_OF_2027 = """
[[progressive_wage_credit.values]]
from = 2027-01-01
source = "IRAS, January 2027"
tiers = [{ up_to = 3500, rate = 30 }]
minimum_increase = 200
minimum_months = 3
certainty = "A"
formula_certainty = "C"
"""
INTO_2027: Case = {"year": 2027, "wages": [[39600, 12], [35400, 12], [31200, 12]]}


def test_an_operator_sets_an_unknown_ceiling(tmp_path: Path) -> None:
    law = law_with(tmp_path, CEILING_OF_2027)
    assert figures(of_year(law, INTO_2027)) == {"increase": 10_500, "sustained": "not_estimated"}


@pytest.mark.parametrize("choice", ["year_of_payment", "year_of_increase"])
def test_an_operator_settles_the_ceiling_of_a_sustained_increase(tmp_path: Path, choice: str) -> None:
    law = law_with(tmp_path, CEILING_OF_2027 + switch("progressive_wage_credit_sustained_ceiling", choice))
    offsets = of_year(law, INTO_2027)
    assert figures(offsets) == {"increase": 10_500, "sustained": 10_500}
    for offset in offsets:
        arithmetic.check_explanation(offset.explanation())


def test_an_operator_adds_unknown_rates(tmp_path: Path) -> None:
    law = law_with(
        tmp_path,
        '[[senior_employment_credit.values]]\nfrom = 2027-01-01\nsource = "Budget 2027"\nfull_rate_up_to = 3000\n'
        'nothing_from = 4000\nbands = [{ from_age = 60, rate = 1.5, certainty = "A" }]\n',
    )
    [senior] = of_month(law, {**SENIOR, "month": "2027-03", "ordinary_wages": 2000})
    assert (senior.amount_cents, senior.certainty) == (3000, "A")


def test_a_switch_without_certainty_stays_off(tmp_path: Path) -> None:
    law = law_with(tmp_path, switch("senior_employment_credit_taper", "linear", "D"))
    [senior] = of_month(law, SENIOR)
    assert senior.amount_cents is None
    assert senior.branch == "not estimated: the certainty is D, and the lowest that is estimated is C"


def test_an_operator_raises_the_lowest_certainty(tmp_path: Path) -> None:
    law = law_with(
        tmp_path, '[lowest_certainty]\nvalues = [{ from = 2021-01-01, value = "B", source = "our auditor" }]\n'
    )
    [increase] = of_year(law, {"year": 2026, "wages": [[27500, 10], [30000, 12]]})
    assert increase.amount_cents is None
    [senior] = of_month(law, {**SENIOR, "ordinary_wages": 2800})
    assert senior.amount_cents == 11_200


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (switch("senior_employment_credit_taper", "steep"), "must be one of not_estimated, linear, not 'steep'"),
        (switch("senior_employment_credit_taper", "linear", "E"), "must be one of A, B, C, D, not 'E'"),
        (CEILING_OF_2027.replace("up_to = 3500, rate", "rate"), None),
        (CEILING_OF_2027.replace("[{ up_to = 3500", "[{ up_to = 4000, rate = 1 }, { up_to = 3500"), "lowest first"),
        (CEILING_OF_2027.replace("[{ up_to", "[{ rate = 1 }, { up_to"), "only leave out up_to in the last tier"),
        (CEILING_OF_2027.replace("rate = 30", "rate = 30, more = 1"), "is not a known field"),
    ],
)
def test_invalid_files_are_rejected(tmp_path: Path, text: str, reason: str | None) -> None:
    if reason is None:
        law_with(tmp_path, text)
        return
    with pytest.raises(InvalidParameterFile, match=reason):
        law_with(tmp_path, text)


@pytest.mark.parametrize(
    ("year", "cents"),
    [
        (2022, [500, 500, 250, 0]),
        (2023, [250, 500, 250, 0]),
        (2024, [250, 250, 250, 0]),
        *((year, [250, 250, 0, 0]) for year in (2025, 2026, 2027)),
    ],
)
def test_the_transition_offset_on_1000_dollars_of_each_year(law: registry.Law, year: int, cents: list[int]) -> None:
    for age, amount in zip((57, 62, 67, 75), cents, strict=True):
        case = {"month": f"{year}-06", "birthdate": date(year - age, 1, 5), "ordinary_wages": 1000}
        offsets = [offset for offset in of_month(law, case) if offset.scheme == Scheme.CPF_TRANSITION_OFFSET]
        assert [offset.amount_cents for offset in offsets] == ([amount] if amount else [])


WAGES = st.builds(YearlyWages, st.integers(0, 6_000_000), st.integers(1, 12))


@given(year=st.sampled_from([2022, 2023, 2024, 2025, 2026]), now=WAGES, last=WAGES, before=WAGES)
def test_a_month_of_progressive_wage_credit_is_never_more_than_the_increase(
    year: int, now: YearlyWages, last: YearlyWages, before: YearlyWages
) -> None:
    wages = {year: now, year - 1: last, year - 2: before}
    employee = OffsetEmployee(date(1990, 1, 1), offset_employee({}).legal_status)
    offsets = wage_offsets.estimate_year(wage_offset_parameters(LAW), year, employee, wages)
    amounts = {offset.scheme: offset.amount_cents for offset in offsets}
    increase = max(Fraction(0), now.average - last.average)
    sustained = max(Fraction(0), min(now.average, last.average) - before.average)
    assert 0 <= (amounts.get(Scheme.PROGRESSIVE_WAGE_CREDIT) or 0) <= increase
    assert 0 <= (amounts.get(Scheme.SUSTAINED_INCREASE) or 0) <= sustained
    for offset in offsets:
        if offset.amount_cents is not None:
            arithmetic.check_explanation(offset.explanation())


@given(
    month=st.builds(Month, st.integers(2022, 2027), st.integers(1, 12)),
    birthdate=st.dates(date(1940, 1, 1), date(2008, 1, 1)),
    ordinary=st.integers(1, 1_500_000),
    additional=st.integers(0, 1_000_000),
    months_employed=st.integers(0, 30),
)
def test_every_offset_of_a_month_is_explained_and_below_the_wage(
    month: Month, birthdate: date, ordinary: int, additional: int, months_employed: int
) -> None:
    employee = OffsetEmployee(
        birthdate,
        offset_employee({}).legal_status,
        hired_on=(month + -months_employed).first_day,
        enabling=True,
        enabling_new_hire=True,
        uplifting=True,
    )
    wage = MonthlyWage(ordinary, additional)
    for offset in wage_offsets.estimate_month(wage_offset_parameters(LAW), LAW.cpf, month, employee, wage):
        assert offset.branch
        if offset.amount_cents is None:
            assert offset.certainty == "D"
        else:
            assert 0 <= offset.amount_cents <= wage.cents
            arithmetic.check_explanation(offset.explanation())
