"""Further CPF submissions of a month: together they have what is payable, and no amount is submitted twice."""

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from gaji.documents.ezpay.submission import PAYMENT_KINDS, SDL, MemberStatus, SubmissionMember
from gaji.documents.ezpay.supplements import MonthComparison, SubmittedAdvice

CREATED = datetime(2026, 2, 3, 14, 5, 9)  # noqa: DTZ001
CENTS = st.integers(0, 500_000)
MEMBERS = st.dictionaries(
    st.integers(1, 6), st.fixed_dictionaries({kind.attribute: CENTS for kind in PAYMENT_KINDS}), max_size=6
).map(
    lambda amounts: [
        SubmissionMember(employee_id, "Mei", "S1234567D", None, MemberStatus.EXISTING, **cents)
        for employee_id, cents in sorted(amounts.items())
    ]
)


@given(st.lists(MEMBERS, min_size=1, max_size=5))
def test_submissions_add_up_to_the_month_plus_what_is_to_be_refunded(months: list[list[SubmissionMember]]) -> None:
    submitted: list[SubmittedAdvice] = []
    for members in months:
        comparison = MonthComparison(members, submitted)
        if comparison.has_new:
            submitted.append(comparison.new_advice(len(submitted) + 1, CREATED))
        after = MonthComparison(members, submitted)
        assert not after.has_new
        for kind in PAYMENT_KINDS:
            refunds = sum(-item.difference_cents for item in after.differences if item.kind is kind)
            assert after.submitted_cents[kind] == after.current_cents[kind] + refunds


@given(MEMBERS)
def test_an_unchanged_month_has_no_differences(members: list[SubmissionMember]) -> None:
    first = MonthComparison(members, []).new_advice(1, CREATED)
    assert MonthComparison(members, [first]).differences == []
    assert first.sdl_total_cents == sum(member.sdl_cents for member in members) // 100 * 100


def test_the_levy_is_rounded_over_all_submissions() -> None:
    def members(*levies: int) -> list[SubmissionMember]:
        return [
            SubmissionMember(number, "Mei", None, None, MemberStatus.EXISTING, sdl_cents=cents)
            for number, cents in enumerate(levies)
        ]

    first = MonthComparison(members(250, 260), []).new_advice(1, CREATED)
    second = MonthComparison(members(250, 260, 295), [first])
    assert first.sdl_total_cents == 500
    assert [(item.kind, item.difference_cents) for item in second.differences] == [(SDL, 300)]
    assert second.new_advice(2, CREATED).sdl_total_cents == 300
