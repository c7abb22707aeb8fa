"""The guarantees of docs/rules/corrections.md, for random histories."""

import os

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gaji.engine import batch
from gaji.payroll.corrections.differences import EarlierCorrections
from tests.payroll.corrections import late_truth
from tests.payroll.corrections.late_truth import (
    CATALOGUE,
    CONTRIBUTIONS,
    EMPLOYEE_FIGURES,
    LAW,
    WAGES,
    claimed_back,
    months_of,
    pay_in_time,
    pay_late,
    random_story,
)

EXAMPLES = int(os.environ.get("GAJI_TEST_HISTORIES", "60"))
seeds = st.integers(0, 2**32)


@settings(max_examples=EXAMPLES, deadline=None)
@given(seeds)
def test_the_truth_that_comes_late_pays_what_it_would_have_paid_in_time(seed: int) -> None:
    story = random_story(seed)
    in_time = pay_in_time(story)
    late, differences = pay_late(story, pay_is_missed=True)
    shortfalls = [text for result in late.results for text in result.remarks.get(0, []) if "could not be" in text]
    assume(not shortfalls)
    assume(not any("could not be" in text for result in in_time.results for text in result.remarks.get(0, [])))
    for month in months_of(story):
        for name in WAGES:
            assert late.history.month_total(name, *month) == in_time.history.month_total(name, *month), (month, name)
    for name in CONTRIBUTIONS:
        sums = [sum(paid.history.month_total(name, *month) for month in months_of(story)) for paid in (late, in_time)]
        assert sums[0] == sums[1] + claimed_back(differences, [name]), name
    assert late.nett_cents == in_time.nett_cents - claimed_back(differences, EMPLOYEE_FIGURES)


@settings(max_examples=EXAMPLES, deadline=None)
@given(seeds)
def test_arrears_that_were_decided_later_pay_the_same_gross(seed: int) -> None:
    story = random_story(seed)
    late, _ = pay_late(story, pay_is_missed=False)
    carried = sum(late.history.finished[-1].carried_forward.values())
    assert late.income_cents() == pay_in_time(story).income_cents() + carried


@settings(max_examples=EXAMPLES // 3, deadline=None)
@given(seeds, st.booleans())
def test_nothing_is_open_after_the_differences_were_accepted(seed: int, pay_is_missed: bool) -> None:
    story = random_story(seed)
    late, differences = pay_late(story, pay_is_missed=pay_is_missed)
    earlier = EarlierCorrections()
    for difference in differences:
        earlier.add(difference, includes_pay=pay_is_missed)
    assert late_truth.open_differences(story, late, earlier, pay_is_missed=False) == []


@settings(max_examples=EXAMPLES // 3, deadline=None)
@given(seeds)
def test_a_batch_with_corrections_equals_its_members_alone(seed: int) -> None:
    payslips = []
    for offset in range(4):
        story = replace_first(random_story(seed + offset))
        late, _ = pay_late(story, pay_is_missed=bool(offset % 2))
        payslips.append(replace(late.payslips[story.told_after], period=late_truth.period(story, 0)))
    together = batch.calculate(LAW, CATALOGUE, payslips)
    for index, payslip in enumerate(payslips):
        alone = batch.calculate(LAW, CATALOGUE, [payslip])
        assert together.lines_json[index] == alone.lines_json[0]
        assert together.past_totals.get(index) == alone.past_totals.get(0)
        assert together.remarks.get(index) == alone.remarks.get(0)


def replace_first(story: late_truth.Story) -> late_truth.Story:
    """The story in the year 2025 from July on, so that payslips of several can be one batch."""
    return late_truth.Story(**{**vars(story), "first": (2025, 7)})
