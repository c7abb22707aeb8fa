"""The guarantees of correction runs in docs/rules/corrections.md, for random histories."""

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gaji.documents.ezpay.submission import PAYMENT_KINDS, MemberStatus, SubmissionMember
from gaji.documents.ezpay.supplements import MonthComparison, SubmittedAdvice
from gaji.documents.filings.service import without_claims
from gaji.engine import batch
from gaji.engine.payslip_input import ItemDifference, PastDifference
from gaji.law.months import Month
from gaji.payroll.corrections.differences import WAGES, EarlierCorrections, compute_differences
from gaji.payroll.payslips.statutory_totals import MonthTotals
from tests.payroll.corrections.corrected_months import CorrectedHistory, pay_and_correct, pay_in_time
from tests.payroll.corrections.late_truth import CATALOGUE, Story, random_story
from tests.support.law import LAW

EXAMPLES = int(os.environ.get("GAJI_TEST_HISTORIES", "5000")) // 250
PAYMENTS = (("cpf_employee", "cpf_employer"), ("cdac",), ("ecf",), ("mbmf",), ("sinda",), ("sdl",))
"""The payments of a CPF file, each with its figures. The employer may pay the employee's share."""
seeds = st.integers(0, 2**32)


def paid_in_the_same_months(story: Story) -> bool:
    """Whether the months of the known and of the true service are the same, so that each has a payslip to correct."""
    periods = [story.period(number) for number in range(story.told_after)]
    return [story.known.serves(period) for period in periods] == [story.truth.serves(period) for period in periods]


def not_filed(history: CorrectedHistory, month: Month, names: tuple[str, ...]) -> int:
    """What is claimed back for a month, less the fund contributions that stay open."""
    claimed = figures_of(history.corrections, month, names)
    still_open = figures_of(history.open_differences(), month, names)
    return sum(max(figure.paid + figure.accepted - figure.due, 0) for figure in claimed) - sum(
        figure.due - figure.paid for figure in still_open
    )


def figures_of(differences: Sequence[PastDifference], month: Month, names: tuple[str, ...]) -> list[ItemDifference]:
    """The figures of a month with these names."""
    months = [difference.months.get(str(month), {}) for difference in differences]
    return [figures[name] for figures in months for name in names if name in figures]


@settings(max_examples=EXAMPLES, deadline=None)
@given(seeds)
def test_the_submissions_of_a_month_add_up_to_that_of_the_corrected_month(seed: int) -> None:
    story = random_story(seed)
    assume(paid_in_the_same_months(story))
    history, in_time = pay_and_correct(story), pay_in_time(story)
    for month in [story.first + number for number in range(story.told_after)]:
        for name in WAGES:
            assert history.paid.months[month][name] == in_time.months[month][name], (month, name)
        for names in PAYMENTS:
            filed = sum(history.paid.months[month][name] for name in names)
            due = sum(in_time.months[month][name] for name in names)
            assert filed == due + not_filed(history, month, names), (month, names)


@settings(max_examples=EXAMPLES, deadline=None)
@given(seeds)
def test_the_submissions_of_a_month_less_its_refunds_are_the_submission_of_the_corrected_month(seed: int) -> None:
    story = random_story(seed)
    assume(paid_in_the_same_months(story))
    history, in_time = CorrectedHistory(story), pay_in_time(story)
    for number in range(story.told_after):
        history.pay(story.known, number)
    months = [story.first + number for number in range(story.told_after)]
    first_files = {month: submit([member(history.paid.months[month], {})], []) for month in months}
    for number in range(story.told_after):
        history.correct(number)
    for month in months:
        current = member(history.paid.months[month], claims_of(history, month))
        files = [first_files[month], submit([current], [first_files[month]])]
        after = MonthComparison([current], files)
        refunds = {change.kind: -change.difference_cents for change in after.differences}
        assert all(cents > 0 for cents in refunds.values()), (month, refunds)
        corrected = MonthComparison([member(in_time.months[month], open_figures(history, month))], [])
        for kind in PAYMENT_KINDS:
            filed = after.submitted_cents[kind] - refunds.get(kind, 0)
            assert filed == corrected.current_cents[kind], (month, kind.name)


def submit(members: Sequence[SubmissionMember], earlier: Sequence[SubmittedAdvice]) -> SubmittedAdvice:
    """The next file of a month."""
    return MonthComparison(members, earlier).new_advice(len(earlier) + 1, datetime(2026, 1, 1, tzinfo=UTC))


def member(figures: Mapping[str, int], claims: Mapping[str, int]) -> SubmissionMember:
    """The contributions of a month as the file has them, less claims."""
    names = ("mbmf", "sinda", "cdac", "ecf", "levy", "sdl")
    total = MonthTotals(
        employee_id=1,
        ordinary=figures.get("ordinary", 0),
        additional=figures.get("additional", 0),
        cpf=sum(figures.get(share, 0) for share in ("cpf_employee", "cpf_employer")),
        **{name: figures.get(name, 0) for name in names},
        finalised_at=datetime(2026, 1, 1, tzinfo=UTC),
        rules_versions=(),
    )
    payable = without_claims(total, claims)
    return SubmissionMember(
        employee_id=1,
        name="Mei",
        nric=None,
        fin=None,
        status=MemberStatus.EXISTING,
        ordinary_cents=payable.ordinary,
        additional_cents=payable.additional,
        cpf_cents=payable.cpf,
        mbmf_cents=payable.mbmf,
        sinda_cents=payable.sinda,
        cdac_cents=payable.cdac,
        ecf_cents=payable.ecf,
        sdl_cents=payable.sdl,
    )


def claims_of(history: CorrectedHistory, month: Month) -> dict[str, int]:
    """What the corrections found to be too much."""
    claims: dict[str, int] = defaultdict(int)
    for difference in history.corrections:
        for name, figure in difference.months.get(str(month), {}).items():
            claims[name] += figure.claim_cents
    return claims


def open_figures(history: CorrectedHistory, month: Month) -> dict[str, int]:
    """The fund contributions that stay open, because the differences alone do not pay enough."""
    figures: dict[str, int] = defaultdict(int)
    for difference in history.open_differences():
        for name, figure in difference.months.get(str(month), {}).items():
            figures[name] += figure.due - figure.paid
    return figures


@settings(max_examples=EXAMPLES, deadline=None)
@given(seeds)
def test_a_correction_pays_a_month_once_and_never_a_negative_amount(seed: int) -> None:
    history = pay_and_correct(random_story(seed))
    for number in range(history.story.told_after):
        assert all(not difference.items for difference in history.open_corrections(number))
    for payslip in history.paid.payslips:
        if payslip.input.corrects is not None:
            assert payslip.nett >= 0
            for figures in payslip.past.values():
                assert all(figures.get(name, 0) >= 0 for names in PAYMENTS for name in names)


@settings(max_examples=EXAMPLES, deadline=None)
@given(seeds)
def test_a_batch_of_corrections_equals_its_members_alone(seed: int) -> None:
    histories = [pay_and_correct(random_story(seed + offset)) for offset in range(4)]
    comparisons = [history.comparisons(index) for index, history in enumerate(histories)]
    together = compute_differences(LAW, [past for group in comparisons for past in group], EarlierCorrections())
    for index, group in enumerate(comparisons):
        alone = compute_differences(LAW, group, EarlierCorrections())
        assert alone.get(index) == together.get(index)
    payslips = [payslip.input for history in histories for payslip in history.paid.payslips if payslip.input.corrects]
    same_period = [replace(payslip, period=histories[0].story.period(0)) for payslip in payslips]
    if same_period:
        batch_result = batch.calculate(LAW, CATALOGUE, same_period)
        for index, payslip in enumerate(same_period):
            single = batch.calculate(LAW, CATALOGUE, [payslip])
            assert batch_result.lines_json[index] == single.lines_json[0]
            assert batch_result.past_totals.get(index) == single.past_totals.get(0)
            assert batch_result.carried_forward_cents.get(index) == single.carried_forward_cents.get(0)
