"""The guarantees of docs/rules/corrections.md, for random histories."""

import os
from collections import Counter

import pytest
from msgspec.structs import replace

from gaji.engine import batch
from gaji.payroll.corrections.differences import EarlierCorrections
from tests.payroll.corrections import guarantees, late_truth
from tests.payroll.corrections.guarantees import CHUNK_SIZE
from tests.payroll.corrections.late_truth import CATALOGUE, open_differences, pay_late, random_stories
from tests.support.law import LAW

HISTORIES = int(os.environ.get("GAJI_TEST_HISTORIES", "5000"))
SEED = int(os.environ.get("GAJI_TEST_SEED", "0"))


@pytest.mark.parametrize("first", range(SEED, SEED + HISTORIES, CHUNK_SIZE))
def test_the_truth_that_comes_late_pays_what_it_would_have_paid_in_time(first: int) -> None:
    exceptions: Counter[str] = Counter()
    guarantees.check_histories(range(first, min(first + CHUNK_SIZE, SEED + HISTORIES)), exceptions)
    assert exceptions.keys() <= guarantees.EXCEPTIONS.keys()


@pytest.mark.parametrize("pay_is_missed", [True, False])
def test_nothing_is_open_after_the_differences_were_accepted(pay_is_missed: bool) -> None:
    late = pay_late(random_stories(range(200)), pay_is_missed=pay_is_missed)
    earlier = EarlierCorrections()
    for employee_id, paid in enumerate(late):
        for difference in paid.differences:
            payslip_id = employee_id * late_truth.MAX_ID + difference.payslip_id % late_truth.MAX_ID
            earlier.add(replace(difference, payslip_id=payslip_id), includes_pay=pay_is_missed)
    assert [differences for differences in open_differences(late, earlier, pay_is_missed=False) if differences] == []


def test_a_batch_with_corrections_equals_its_members_alone() -> None:
    late = pay_late(random_stories(range(100)), pay_is_missed=True)
    payslips = [payslip.input for paid in late for payslip in paid.payslips if payslip.input.past_differences]
    payslips = [replace(payslip, period=payslips[0].period) for payslip in payslips]
    together = batch.calculate(LAW, CATALOGUE, payslips)
    for index, payslip in enumerate(payslips):
        alone = batch.calculate(LAW, CATALOGUE, [payslip])
        assert together.lines_json[index] == alone.lines_json[0]
        assert together.past_totals.get(index) == alone.past_totals.get(0)
        assert together.remarks.get(index) == alone.remarks.get(0)


def test_employees_compared_together_equal_each_alone() -> None:
    stories = random_stories(range(20))
    together = [paid.differences for paid in pay_late(stories, pay_is_missed=False)]
    alone = [pay_late([story], pay_is_missed=False)[0].differences for story in stories]
    for one, other in zip(together, alone, strict=True):
        assert [replace(difference, payslip_id=0) for difference in one] == [
            replace(difference, payslip_id=0) for difference in other
        ]


def test_every_exception_occurs() -> None:
    exceptions: Counter[str] = Counter()
    guarantees.check_histories(range(10**6, 10**6 + 300), exceptions)
    assert exceptions.keys() == guarantees.EXCEPTIONS.keys()
