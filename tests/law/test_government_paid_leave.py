"""What the government reimburses for leave."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from gaji.law import registry
from gaji.law.government_paid_leave import LeaveMonth, MonthClaim, claim_by, claim_months
from gaji.law.months import Month
from tests.law import arithmetic
from tests.law.cases import DATE_CASES, Case, cases, in_cents

FILE = "government_paid_leave"
BY_DAYS = """[incomplete_weeks]
values = [{ from = 2019-04-01, value = "by_days", certainty = "C", source = "a letter of the ministry" }]
"""
NOT_CLAIMED = """[cpf_share]
values = [{ from = 2019-04-01, value = "not_claimed", certainty = "A", source = "a letter of the ministry" }]
"""


def law_with(directory: Path, text: str) -> registry.Law:
    """The law with values of an operator."""
    (directory / f"{FILE}.toml").write_text(text)
    return registry.load(directory)


def claims(law: registry.Law, case: Case) -> list[MonthClaim]:
    """The claims of a case, with their arithmetic checked."""
    parameters = law.government_paid_leave
    months = [
        LeaveMonth(Month.parse(row["month"]), int(row["days"] * 1000), in_cents(row["gross"]), in_cents(row["cpf"]))
        for row in case["months"]
    ]
    terms = parameters.terms(case["leave"]).at(months[0].month)
    computed = claim_months(parameters, terms, case.get("week", 5) * 1000, months)
    for claim in computed:
        arithmetic.check_amount(claim.arithmetic, claim.claim_cents)
    return computed


def check_case(law: registry.Law, case: Case) -> None:
    computed = claims(law, case)
    figures = [(claim.cpf_cents, claim.cap_cents, claim.used_cents, claim.claim_cents) for claim in computed]
    names = ("cpf_share", "cap", "used", "claim")
    assert figures == [tuple(in_cents(row[name]) for name in names) for row in case["months"]]


@cases(FILE, "case", DATE_CASES)
def test_claims(case: Case, law: registry.Law) -> None:
    check_case(law, case)


@cases(FILE, "divided", DATE_CASES)
def test_an_operator_divides_the_cap_of_incomplete_weeks(case: Case, tmp_path: Path) -> None:
    check_case(law_with(tmp_path, BY_DAYS), case)


def test_an_operator_leaves_the_cpf_out(tmp_path: Path) -> None:
    month = {"month": "2026-03", "days": 1, "gross": 240, "cpf": 884}
    [claim] = claims(law_with(tmp_path, NOT_CLAIMED), {"leave": "childcare_leave", "months": [month]})
    assert (claim.cpf_cents, claim.claim_cents) == (0, 24_000)


@cases(FILE, "deadline", DATE_CASES)
def test_the_last_day_of_a_claim(case: Case, law: registry.Law) -> None:
    assert claim_by(law.government_paid_leave, case["last_day"]) == case["claim_by"]


amounts = st.tuples(st.integers(1, 23_000), st.integers(0, 2_000_000), st.integers(0, 200_000))


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from(["maternity_leave", "paternity_leave", "childcare_leave"]),
    st.integers(1, 7),
    st.lists(amounts, min_size=1, max_size=5),
)
def test_a_claim_is_never_more_than_the_pay_or_the_caps(
    law: registry.Law, leave: str, week: int, rows: list[tuple[int, int, int]]
) -> None:
    parameters = law.government_paid_leave
    months = [LeaveMonth(Month(2026, 1) + number, *row) for number, row in enumerate(rows)]
    terms = parameters.terms(leave).at(months[0].month)
    computed = claim_months(parameters, terms, week * 1000, months)
    for month, claim in zip(months, computed, strict=True):
        assert 0 <= claim.claim_cents <= claim.cap_cents - claim.used_cents
        assert claim.cpf_cents <= month.cpf_cents
        arithmetic.check_amount(claim.arithmetic, claim.claim_cents)
    paid = sum(month.gross_cents + claim.cpf_cents for month, claim in zip(months, computed, strict=True))
    assert sum(claim.claim_cents for claim in computed) <= paid
