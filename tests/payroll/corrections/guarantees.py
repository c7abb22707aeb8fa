"""Check that the truth which comes late pays what it would have paid in time, and that every exception is named."""

from collections import Counter
from collections.abc import Sequence

from gaji.engine.explanations import explain
from gaji.engine.explanations.arrears import DECIDED_LATER_RULE
from gaji.engine.payslip_input import PastDifference
from tests.payroll.corrections.late_truth import CATALOGUE, Paid, Story, pay_in_time, pay_late, random_stories
from tests.support.law import LAW

CHUNK_SIZE = 1000
EMPLOYEE_FIGURES = ("cpf_employee", "cdac", "ecf", "mbmf", "sinda")
CPF = ("cpf_employee", "cpf_employer")
FUNDS_AND_LEVY = ("cdac", "ecf", "mbmf", "sinda", "sdl")
WAGES = ("ordinary", "additional", "ordinary_subject", "additional_subject", "remuneration", "fund_wages")

CLAIMED_BACK, CARRIED_FORWARD = "claimed_back", "carried_forward"
NOT_COVERED, ADDITIONAL_WAGES = "not_covered", "additional_wages"
EXCEPTIONS = {
    CLAIMED_BACK: "too much was contributed for",
    CARRIED_FORWARD: "is carried forward to the next payslip",
    NOT_COVERED: "could not be deducted",
    ADDITIONAL_WAGES: DECIDED_LATER_RULE,
}
"""Where the law treats late pay differently, and what the payslip says about it: in a remark, or in the explanation."""
EXPLAINED_SEEDS = 25
"""Of so many histories with back pay, one is explained."""


def check_histories(seeds: Sequence[int], exceptions: Counter[str]) -> None:
    """Check the guarantee for each seed, and count the exceptions. Raises AssertionError."""
    stories = random_stories(seeds)
    in_time = pay_in_time(stories)
    for truth, late in zip(in_time, pay_late(stories, pay_is_missed=True), strict=True):
        _check_missed(truth.story, truth, late, exceptions)
    decided = [truth for truth in in_time if truth.story.has_pay_change]
    for truth, late in zip(decided, pay_late([t.story for t in decided], pay_is_missed=False), strict=True):
        _check_decided_later(truth.story, truth, late, exceptions)


def _check_missed(story: Story, truth: Paid, late: Paid, exceptions: Counter[str]) -> None:
    """Pay that was missed has the wages of each month, the contributions and the nett pay that it had in time."""
    for month in {*truth.months, *late.months}:
        for name in WAGES:
            _equal(story, f"{name} of {month}", late.months[month][name], truth.months[month][name])
    claimed = claimed_back(late.differences, EMPLOYEE_FIGURES)
    _name(story, late, CLAIMED_BACK, claimed + claimed_back(late.differences, ("cpf_employer", "sdl")), exceptions)
    _name(story, late, CARRIED_FORWARD, late.carried - truth.carried, exceptions)
    contributed = [sum(paid.figure(name) for name in CPF) for paid in (late, truth)]
    _equal(story, "CPF", contributed[0], contributed[1] + claimed_back(late.differences, CPF))
    not_covered = _uncovered(story, truth, late)
    _name(story, late, NOT_COVERED, not_covered, exceptions)
    _equal(story, "nett", late.nett, truth.nett - claimed + late.carried - truth.carried + not_covered)


def _uncovered(story: Story, truth: Paid, late: Paid) -> int:
    """What was not deducted from the employee because the pay did not cover it: the employer pays the CPF of it."""
    share = truth.figure("cpf_employee") + claimed_back(late.differences, ("cpf_employee",))
    total = share - late.figure("cpf_employee")
    for name in FUNDS_AND_LEVY:
        due = truth.figure(name) + claimed_back(late.differences, (name,))
        if name == "sdl":
            _equal(story, name, late.figure(name), due)
        else:
            total += due - late.figure(name)
    return total


def _check_decided_later(story: Story, truth: Paid, late: Paid, exceptions: Counter[str]) -> None:
    """Arrears that were decided later pay the same gross amount, as additional wages of the month that pays them."""
    _equal(story, "income", late.income() - late.carried, truth.income() - truth.carried)
    for payslip in late.payslips:
        if ("income", "back_pay") in payslip.lines:
            exceptions[ADDITIONAL_WAGES] += 1
            if story.seed % EXPLAINED_SEEDS == 0:
                explained = explain(LAW, CATALOGUE, payslip.input)
                rules = [line.explanation.rule for line in explained if line.name == "back_pay"]
                assert rules == [EXCEPTIONS[ADDITIONAL_WAGES]], story.seed


def _name(story: Story, paid: Paid, exception: str, cents: int, exceptions: Counter[str]) -> None:
    """An exception to the guarantee must be among the remarks of a payslip."""
    if cents:
        assert any(EXCEPTIONS[exception] in remark for remark in paid.remarks), (story.seed, exception, cents)
        exceptions[exception] += 1


def _equal(story: Story, name: str, late: int, in_time: int) -> None:
    assert late == in_time, f"seed {story.seed}: {name} is {late} instead of {in_time}"


def claimed_back(differences: Sequence[PastDifference], names: Sequence[str]) -> int:
    """The contributions that were paid too much, in cents."""
    return sum(
        max(figures[name].paid - figures[name].due, 0)
        for difference in differences
        for figures in difference.months.values()
        for name in names
        if name in figures
    )
