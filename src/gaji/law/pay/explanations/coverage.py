"""Whether Part 4 of the Employment Act covers someone, explained."""

from gaji.law.columns import only
from gaji.law.explanation import Finding, money, step, yes_no
from gaji.law.months import Month
from gaji.law.notation import choose, line, same
from gaji.law.pay import part_four
from gaji.law.pay.parameters import PayParameters
from gaji.law.pay.part_four import EmploymentActGroup, Standing

ACT = "Employment Act 1968, s. 35"


def covers(parameters: PayParameters, month: Month, standing: Standing, place: int = 0) -> Finding:
    """Whether the person at this place is covered, and why."""
    one = only(standing, place)
    group, basic = EmploymentActGroup(int(one.groups[0])), int(one.basic_cents[0])
    answer = yes_no(bool(part_four.covers(parameters, month, one)[0]))
    return Finding(
        figure="part_four_covers",
        result=answer,
        unit="yes or no",
        inputs={"month": str(month), "employment_act_group": group.name.lower(), "basic salary": money(basic)},
        rule="Part 4 covers workmen and others up to their own limit of basic salary; managers and executives never.",
        source=ACT,
        branch=part_four.sentence(parameters, month, one),
        parameters=(part_four.shown(parameters, month),),
        arithmetic=_lines(parameters, month, group, basic, answer),
    )


def _lines(
    parameters: PayParameters, month: Month, group: EmploymentActGroup, basic_cents: int, answer: str
) -> tuple[str, ...]:
    by = f"employment_act_group {group.name.lower()}"
    if group == EmploymentActGroup.MANAGER:
        return (line(choose(by, same("manager", "no")), answer),)
    limits = parameters.part_four.at(month).value
    most = limits.workman_cents if group == EmploymentActGroup.WORKMAN else limits.non_workman_cents
    by_group = same("workman", money(limits.workman_cents)), same("non_workman", money(limits.non_workman_cents))
    return step(choose(by, *by_group), most), line(f"{money(basic_cents)} ≤ {money(most)}", answer)
