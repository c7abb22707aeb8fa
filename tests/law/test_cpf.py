"""CPF: the cases, the months in which something changes, and invalid parameters."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from gaji.law import cpf, registry
from gaji.law.columns import cents, codes, date_at, date_column, flags, missing_dates
from gaji.law.months import Month
from gaji.law.parameters import InvalidParameterFile, MonthNotCovered
from gaji.law.residency import LegalStatus
from tests.law import arithmetic
from tests.law.case_people import case_month, cpf_earlier, cpf_members, cpf_prior_months, cpf_wages
from tests.law.cases import Case, cases, in_cents


@cases("cpf")
def test_case(case: Case, law: registry.Law) -> None:
    month, members, earlier = case_month(case), cpf_members(case), cpf_earlier(case)
    assessment = cpf.assess(law.cpf, month, members, cpf_wages(case), cpf_prior_months(case), earlier)
    assert assessment.due.employee_cents.tolist() == [in_cents(case["employee"])]
    assert assessment.due.employer_cents.tolist() == [in_cents(case["employer"])]
    if "additional_subject" in case:
        assert assessment.liability.additional_subject_cents.tolist() == [in_cents(case["additional_subject"])]
    if "counts_from" in case:
        assert date_at(assessment.applicability.counts_from) == case["counts_from"]


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        pytest.param(
            # Ordinary wages of 87,000 leave a ceiling of 15,000, but 42,000 counted in January.
            {"year": {"ordinary": 79000, "additional": 42000, "left_out": {}, "charged": {"1": 42000}}},
            (27000, 5400, 4590),
            id="A raise after a large bonus: 27,000 of it are above the actual ceiling",
        ),
        pytest.param(
            # Above 55 from June: 6,000 of July's bonus at 18 % and 16 %, 4,000 of January's at 20 % and 17 %.
            {
                "birthdate": date(1971, 5, 10),
                "year": {"ordinary": 88000, "additional": 16000, "left_out": {}, "charged": {"1": 10000, "7": 6000}},
            },
            (10000, 1880, 1640),
            id="The latest additional wages are above the ceiling, at the rates of their month",
        ),
        pytest.param(
            {"year": {"ordinary": 79000, "additional": 42000}},
            (27000, 5400, 4590),
            id="Additional wages of unknown months have the rates of December",
        ),
        pytest.param(
            {"month": "2026-11", "year": {"ordinary": 79000, "additional": 42000}},
            (0, 0, 0),
            id="In November it is not known yet whether too much was contributed",
        ),
    ],
)
def test_contributions_above_the_ceiling_of_the_year(case: Case, expected: tuple[int, ...], law: registry.Law) -> None:
    case = {"month": "2026-12", "ordinary_wages": 8000} | case
    month, members, prior = case_month(case), cpf_members(case), cpf_prior_months(case)
    assessment = cpf.assess(law.cpf, month, members, cpf_wages(case), prior)
    refund = cpf.refund_cents(law.cpf, month, members, prior, assessment)
    assert [column.tolist() for column in (assessment.excess_cents, *refund)] == [[100 * amount] for amount in expected]
    assert assessment.due.total_cents[0] >= 0


@cases("cpf_months", "age")
def test_age_group(case: Case) -> None:
    group = cpf.age_groups(Month.parse(case["month"]), date_column([case["birthdate"]]))
    assert [cpf.AgeGroup(code).name.lower() for code in group] == [case["group"]]


@cases("cpf_months", "pr_year")
def test_year_of_permanent_residence(case: Case) -> None:
    assert cpf.pr_years(Month.parse(case["month"]), date_column([case["pr_date"]])).tolist() == [case["year"]]


def test_an_explanation_lists_its_parameters(law: registry.Law) -> None:
    case: Case = {"month": "2026-02", "birthdate": date(1971, 1, 31), "ordinary_wages": 9000}
    employee = cpf.explain(law.cpf, Month(2026, 2), cpf_members(case), cpf_wages(case), cpf_prior_months(case))[0]
    used = {parameter.name: (parameter.value, parameter.since) for parameter in employee.parameters}
    assert used["ordinary wage ceiling"] == ("8000.00", date(2026, 1, 1))
    assert used["T1, above 55 to 60: employee"] == ("18 %", date(2026, 1, 1))
    assert employee.arithmetic == (
        "min(9000.00, 8000.00) = 8000.00",
        "choose(8000.00; up to 500.00: 0.00; up to 750.00: 0.54; otherwise: 0.18) = 0.18",
        "floor(0.18 × 8000.00) = 1440.00",
    )
    assert "age group above 55 to 60; total wages of $8,000.00 are above $750.00" in employee.branch


def test_the_day_of_citizenship_divides_the_month(law: registry.Law) -> None:
    case: Case = {"pr_date": date(2025, 8, 3), "citizenship_date": date(2026, 2, 15)}
    applicable = cpf.applicability(Month(2026, 2), cpf_members(case))
    assert date_at(applicable.changes_on) == date(2026, 2, 15)
    assert (applicable.tables_before.tolist(), applicable.tables.tolist()) == ([cpf.RateTable.T2], [cpf.RateTable.T1])
    for month in (Month(2026, 1), Month(2026, 3)):
        assert date_at(cpf.applicability(month, cpf_members(case)).changes_on) is None


def test_citizenship_from_the_first_of_a_month_does_not_divide_it() -> None:
    case: Case = {"pr_date": date(2025, 8, 3), "citizenship_date": date(2026, 2, 1)}
    applicable = cpf.applicability(Month(2026, 2), cpf_members(case))
    assert date_at(applicable.changes_on) is None
    assert applicable.tables_before.tolist() == applicable.tables.tolist() == [cpf.RateTable.T1]


@pytest.mark.parametrize("month", ["2015-12", "2028-01"])
def test_a_month_outside_the_covered_months_is_rejected(law: registry.Law, month: str) -> None:
    case: Case = {"ordinary_wages": 1000}
    with pytest.raises(MonthNotCovered, match=f"not {month}"):
        cpf.assess(law.cpf, Month.parse(month), cpf_members(case), cpf_wages(case), cpf_prior_months(case))


def test_a_permanent_resident_without_a_date_is_rejected() -> None:
    with pytest.raises(ValueError, match="pr_date"):
        cpf.applicability(Month(2026, 1), cpf_members({"legal_status": "PR"}))


def test_a_member_without_a_birthdate_is_rejected() -> None:
    with pytest.raises(ValueError, match="birthdate"):
        cpf.applicability(Month(2026, 1), cpf_members({"birthdate": None}))


def test_a_foreigner_needs_no_dates(law: registry.Law) -> None:
    case: Case = {"birthdate": None, "legal_status": "FOREIGNER", "ordinary_wages": 1000}
    assessment = cpf.assess(law.cpf, Month(2026, 1), cpf_members(case), cpf_wages(case), cpf_prior_months(case))
    assert assessment.due.total_cents.tolist() == [0]
    assert assessment.liability.ordinary_subject_cents.tolist() == [0]
    assert date_at(assessment.applicability.counts_from) is None


def test_the_estimate_can_be_switched_to_actual_wages(tmp_path: Path) -> None:
    (tmp_path / "cpf.toml").write_text(
        '[additional_wage_estimate]\nvalues = [{ from = 2016-01-01, value = "actual_to_date", source = "our choice" }]'
    )
    law = registry.load(tmp_path)
    case: Case = {"ordinary_wages": 8000, "additional_wages": 90000, "year": {"ordinary": 16000}}
    arguments = cpf_members(case), cpf_wages(case), cpf_prior_months(case)
    assessment = cpf.assess(law.cpf, Month(2026, 3), *arguments)
    assert assessment.liability.additional_subject_cents.tolist() == [7_800_000]
    for explanation in cpf.explain(law.cpf, Month(2026, 3), *arguments):
        arithmetic.check_explanation(explanation)


def test_every_table_is_continuous_at_the_end_of_the_graduated_band(law: registry.Law) -> None:
    for history in law.cpf.tables:
        for in_force in history.values:
            for rates in in_force.value:
                assert rates.employer_only + rates.employee == rates.total
                assert rates.graduated * 250 == rates.employee * 750


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ('[[T1.values]]\nfrom = 2027-06-01\nsource = "s"\n', "T1 from 2027-06-01.up_to_55", "is missing"),
        (
            '[[T1.values]]\nfrom = 2027-06-01\nsource = "s"\n'
            "up_to_55 = { employer_only = 17, graduated = 0.6, total = 37, employee = 38 }",
            "T1 from 2027-06-01.up_to_55.employee",
            "must be at most total",
        ),
        (
            '[[T1.values]]\nfrom = 2027-06-01\nsource = "s"\n'
            "up_to_55 = { employer_only = 17, graduated = 0.6, totals = 37, total = 37, employee = 20 }",
            "T1 from 2027-06-01.up_to_55.totals",
            "is not a known field",
        ),
        (
            "[wage_bands]\n"
            "values = [{ from = 2026-01-01, nil_up_to = 50, employer_only_up_to = 800, graduated_up_to = 750, "
            "source = 's' }]",
            "wage_bands from 2026-01-01.graduated_up_to",
            "must be above",
        ),
        ("[T6]\nunit = 's'", "T6", "is not a known field"),
    ],
)
def test_an_invalid_table_is_rejected(tmp_path: Path, text: str, key: str, reason: str) -> None:
    (tmp_path / "cpf.toml").write_text(text)
    with pytest.raises(InvalidParameterFile) as raised:
        registry.load(tmp_path)
    assert (raised.value.file, raised.value.key) == (str(tmp_path / "cpf.toml"), key)
    assert reason in raised.value.reason


def test_the_largest_amounts_do_not_overflow(law: registry.Law) -> None:
    largest = 10**12 - 1
    ordinary, none = cents([largest, 0]), cents([0, 0])
    members = cpf.CpfMembers(
        date_column([date(1990, 1, 1)] * 2),
        codes([LegalStatus.CITIZEN] * 2),
        date_column([None] * 2),
        date_column([None] * 2),
        codes([0] * 2),
        flags([False] * 2),
    )
    assessment = cpf.assess(
        law.cpf,
        Month(2026, 1),
        members,
        cpf.MonthWages(ordinary, cents([largest, largest]), none, none, ordinary, missing_dates(2)),
        cpf.PriorMonths(none, none, none),
    )
    assert assessment.due.total_cents.tolist() == [518_000, 3_774_000]
    assert assessment.due.employee_cents.dtype == np.int64
