"""Leave for children who are born, explained."""

from gaji.law.columns import flags
from gaji.law.explanation import FactExplanation, used_parameter, yes_no
from gaji.law.leave import childcare
from gaji.law.leave.parameters import LeaveParameters
from gaji.law.months import Month
from gaji.law.notation import below, choose, equals, format_clauses, line, otherwise, scale_clauses
from gaji.law.quantities import counts

ACT = "Child Development Co-Savings Act 2001; Employment Act 1968, s. 87A"


def explain_days_per_year(
    parameters: LeaveParameters, month: Month, months: int, citizen_under_7: bool, other_under_7: bool
) -> FactExplanation:
    """The childcare leave of a year."""
    children = flags([citizen_under_7]), flags([other_under_7])
    found = int(childcare.days_per_year(parameters, month, counts([months]), *children)[0])
    scale, most = parameters.childcare.at(month), parameters.childcare_other_child.at(month)
    whole = int(scale.value.at(counts([months]))[0])
    other = choose(
        f"other_under_7 {yes_no(other_under_7)}", equals("yes", f"min({whole}, {most.value})"), equals("no", 0)
    )
    by_child = choose(f"citizen_under_7 {yes_no(citizen_under_7)}", equals("yes", whole), equals("no", other))
    return FactExplanation(
        figure="childcare_leave",
        result=str(found),
        unit="days",
        inputs=_inputs(month, months)
        | {"citizen_under_7": yes_no(citizen_under_7), "other_under_7": yes_no(other_under_7)},
        rule="Childcare leave goes by a scale of completed months of service; a child that is no citizen gives less.",
        source=ACT,
        branch=_which_child(citizen_under_7, other_under_7),
        parameters=(
            used_parameter("days by completed months", scale, format_clauses(scale_clauses(scale.value))),
            used_parameter("most days without a citizen child", most, str(most.value)),
        ),
        arithmetic=(line(choose(months, *scale_clauses(scale.value)), whole), line(by_child, found)),
    )


def explain_extended_days(
    parameters: LeaveParameters, month: Month, months: int, citizen_7_to_12: bool, childcare_days: int
) -> FactExplanation:
    """The leave for a child from 7 to 12."""
    columns = counts([months]), flags([citizen_7_to_12]), counts([childcare_days])
    found = int(childcare.extended_days(parameters, month, *columns)[0])
    in_force = parameters.extended_childcare.at(month)
    extended = in_force.value
    room = min(max(extended.with_childcare - childcare_days, 0), extended.days)
    served = choose(months, below(extended.least_months, 0), otherwise(room))
    return FactExplanation(
        figure="extended_childcare_leave",
        result=str(found),
        unit="days",
        inputs=_inputs(month, months)
        | {"citizen_7_to_12": yes_no(citizen_7_to_12), "childcare leave of the year": str(childcare_days)},
        rule="Leave for a citizen child from 7 to 12, beside the childcare leave of the year up to both together.",
        source=in_force.source,
        branch="with a citizen child from 7 to 12" if citizen_7_to_12 else "without a citizen child from 7 to 12",
        parameters=(
            used_parameter("days a year", in_force, str(extended.days)),
            used_parameter("together with childcare leave", in_force, str(extended.with_childcare)),
            used_parameter("least months of service", in_force, str(extended.least_months)),
        ),
        arithmetic=(
            line(f"min(max({extended.with_childcare} − {childcare_days}, 0), {extended.days})", room),
            line(choose(f"citizen_7_to_12 {yes_no(citizen_7_to_12)}", equals("yes", served), equals("no", 0)), found),
        ),
    )


def explain_days_left_for_child(parameters: LeaveParameters, month: Month, taken_for_child: int) -> FactExplanation:
    """The days that are left of those that one child gives in all years."""
    most = parameters.childcare_lifetime.at(month)
    left = int(childcare.days_left_for_child(parameters, month, counts([taken_for_child]))[0])
    return FactExplanation(
        figure="childcare_leave_left_for_child",
        result=str(left),
        unit="days",
        inputs={"month": str(month), "days taken for the child": str(taken_for_child)},
        rule="One child gives so many days of childcare leave in all years together.",
        source=most.source,
        branch="some are left" if left else "none is left",
        parameters=(used_parameter("days for one child", most, str(most.value)),),
        arithmetic=(line(f"max({most.value} − {taken_for_child}, 0)", left),),
    )


def explain_days_paid_by_government(parameters: LeaveParameters, month: Month, taken: int) -> FactExplanation:
    """Of the childcare leave taken in a year, the days that the employer does not bear."""
    own = parameters.childcare_paid_by_employer.at(month)
    found = int(childcare.days_paid_by_government(parameters, month, counts([taken]))[0])
    return FactExplanation(
        figure="childcare_leave_paid_by_government",
        result=str(found),
        unit="days",
        inputs={"month": str(month), "days taken in the year": str(taken)},
        rule="The employer bears the first days of a year, the government the others.",
        source=own.source,
        branch="beyond the employer's days" if found else "within the employer's days",
        parameters=(used_parameter("days that the employer bears", own, str(own.value)),),
        arithmetic=(line(f"max({taken} − {own.value}, 0)", found),),
    )


def explain_infant_care_days(
    parameters: LeaveParameters, month: Month, months: int, citizen_under_2: bool
) -> FactExplanation:
    """The unpaid infant care leave of a year."""
    in_force = parameters.infant_care.at(month)
    found = int(childcare.infant_care_days(parameters, month, counts([months]), flags([citizen_under_2]))[0])
    served = choose(months, below(in_force.value.least_months, 0), otherwise(in_force.value.days))
    return FactExplanation(
        figure="infant_care_leave",
        result=str(found),
        unit="days",
        inputs=_inputs(month, months) | {"citizen_under_2": yes_no(citizen_under_2)},
        rule="Unpaid leave with a citizen child under 2, whole once the least service is complete.",
        source=in_force.source,
        branch="with a citizen child under 2" if citizen_under_2 else "without a citizen child under 2",
        parameters=(
            used_parameter("days a year", in_force, str(in_force.value.days)),
            used_parameter("least months of service", in_force, str(in_force.value.least_months)),
        ),
        arithmetic=(
            line(choose(f"citizen_under_2 {yes_no(citizen_under_2)}", equals("yes", served), equals("no", 0)), found),
        ),
    )


def _inputs(month: Month, months: int) -> dict[str, str]:
    return {"month": str(month), "completed months of service": str(months)}


def _which_child(citizen_under_7: bool, other_under_7: bool) -> str:
    if citizen_under_7:
        return "with a citizen child under 7"
    return "with a child under 7 that is no citizen" if other_under_7 else "without a child under 7"
