"""Whether Part 4 of the Employment Act covers someone, explained."""

from gaji.law.columns import single_person
from gaji.law.explanation import FactExplanation, money, step, yes_no
from gaji.law.months import Month
from gaji.law.notation import choose, equals, line
from gaji.law.pay import part_four
from gaji.law.pay.parameters import PayParameters
from gaji.law.pay.part_four import EmploymentActGroup, PartFourStatus

ACT = "Employment Act 1968, s. 35"


def explain_coverage(
    parameters: PayParameters, month: Month, standing: PartFourStatus, index: int = 0
) -> FactExplanation:
    """Whether the person at this place is covered, and why."""
    one = single_person(standing, index)
    group, basic = EmploymentActGroup(int(one.groups[0])), int(one.basic_cents[0])
    answer = yes_no(bool(part_four.is_covered(parameters, month, one)[0]))
    return FactExplanation(
        figure="part_four_covers",
        result=answer,
        unit="yes or no",
        inputs={"month": str(month), "employment_act_group": group.name.lower(), "basic salary": money(basic)},
        rule="Part 4 covers workmen and others up to their own limit of basic salary; managers and executives never.",
        source=ACT,
        branch=part_four.coverage_sentence(parameters, month, one),
        parameters=(part_four.limits_parameter(parameters, month),),
        arithmetic=_lines(parameters, month, group, basic, answer),
    )


def _lines(
    parameters: PayParameters, month: Month, group: EmploymentActGroup, basic_cents: int, answer: str
) -> tuple[str, ...]:
    by = f"employment_act_group {group.name.lower()}"
    if group == EmploymentActGroup.MANAGER:
        return (line(choose(by, equals("manager", "no")), answer),)
    limits = parameters.part_four.at(month).value
    most = limits.workman_cents if group == EmploymentActGroup.WORKMAN else limits.non_workman_cents
    by_group = equals("workman", money(limits.workman_cents)), equals("non_workman", money(limits.non_workman_cents))
    return step(choose(by, *by_group), most), line(f"{money(basic_cents)} ≤ {money(most)}", answer)
