"""Explanation of coverage by Part 4 of the Employment Act."""

from gaji.law.columns import single_person
from gaji.law.explanation import FactExplanation, money, step, yes_no
from gaji.law.months import Month
from gaji.law.notation import choose, equals, line
from gaji.law.pay import part_four
from gaji.law.pay.parameters import PayParameters
from gaji.law.pay.part_four import EmploymentActGroup, PartFourStatus

ACT = "Employment Act 1968, s. 35"


def explain_coverage(
    parameters: PayParameters, month: Month, status: PartFourStatus, index: int = 0
) -> FactExplanation:
    """Explain whether Part 4 covers the person at this index."""
    person = single_person(status, index)
    group, basic = EmploymentActGroup(int(person.groups[0])), int(person.basic_cents[0])
    answer = yes_no(bool(part_four.is_covered(parameters, month, person)[0]))
    return FactExplanation(
        figure="part_four_covers",
        result=answer,
        unit="yes or no",
        inputs={"month": str(month), "employment_act_group": group.name.lower(), "basic salary": money(basic)},
        rule="Part 4 covers workmen and other employees up to a basic salary limit for each group, and never managers "
        "and executives.",
        source=ACT,
        branch=part_four.coverage_sentence(parameters, month, person),
        parameters=(part_four.limits_parameter(parameters, month),),
        arithmetic=_lines(parameters, month, group, basic, answer),
    )


def _lines(
    parameters: PayParameters, month: Month, group: EmploymentActGroup, basic_cents: int, answer: str
) -> tuple[str, ...]:
    subject = f"employment_act_group {group.name.lower()}"
    if group == EmploymentActGroup.MANAGER:
        return (line(choose(subject, equals("manager", "no")), answer),)
    limits = parameters.part_four.at(month).value
    limit = part_four.group_limit_cents(limits, group)
    clauses = (
        equals("workman", money(limits.workman_cents)),
        equals("non_workman", money(limits.non_workman_cents)),
    )
    return step(choose(subject, *clauses), limit), line(f"{money(basic_cents)} ≤ {money(limit)}", answer)
