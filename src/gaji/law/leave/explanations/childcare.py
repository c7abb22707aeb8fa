"""Explanations of childcare, extended childcare and infant care leave."""

from gaji.law.columns import flags
from gaji.law.explanation import FactExplanation, used_parameter, yes_no
from gaji.law.leave import childcare
from gaji.law.leave.explanations.part_time import hours_inputs
from gaji.law.leave.parameters import LeaveParameters
from gaji.law.leave.part_time import PartTimeHours
from gaji.law.months import Month
from gaji.law.notation import below, choose, equals, format_clauses, line, otherwise, scale_clauses
from gaji.law.quantities import MILLI, counts, format_millis

ACT = "Child Development Co-Savings Act 2001; Employment Act 1968, s. 87A"


def explain_days_per_year(
    parameters: LeaveParameters, month: Month, months: int, citizen_under_7: bool, other_under_7: bool
) -> FactExplanation:
    """Explain the childcare leave of a year."""
    children = flags([citizen_under_7]), flags([other_under_7])
    days = int(childcare.days_per_year(parameters, month, counts([months]), *children)[0])
    scale, maximum = parameters.childcare.at(month), parameters.childcare_other_child.at(month)
    scale_days = int(scale.value.at(counts([months]))[0])
    limited = equals("yes", f"min({scale_days}, {maximum.value})")
    other_child = choose(f"other_under_7 {yes_no(other_under_7)}", limited, equals("no", 0))
    by_child = choose(
        f"citizen_under_7 {yes_no(citizen_under_7)}", equals("yes", scale_days), equals("no", other_child)
    )
    return FactExplanation(
        figure="childcare_leave",
        result=str(days),
        unit="days",
        inputs=_inputs(month, months)
        | {"citizen_under_7": yes_no(citizen_under_7), "other_under_7": yes_no(other_under_7)},
        rule="Childcare leave depends on the completed months of service, and is shorter if no child under 7 is a "
        "citizen.",
        source=ACT,
        branch=_child_label(citizen_under_7, other_under_7),
        parameters=(
            used_parameter("days by completed months", scale, format_clauses(scale_clauses(scale.value))),
            used_parameter("maximum days without a citizen child", maximum, str(maximum.value)),
        ),
        arithmetic=(line(choose(months, *scale_clauses(scale.value)), scale_days), line(by_child, days)),
    )


def explain_extended_days(
    parameters: LeaveParameters, month: Month, months: int, citizen_7_to_12: bool, childcare_days: int
) -> FactExplanation:
    """Explain the leave for a child aged 7 to 12."""
    columns = counts([months]), flags([citizen_7_to_12]), counts([childcare_days])
    days = int(childcare.extended_days(parameters, month, *columns)[0])
    in_force = parameters.extended_childcare.at(month)
    extended = in_force.value
    available = min(max(extended.max_with_childcare - childcare_days, 0), extended.days)
    by_service = choose(months, below(extended.min_months, 0), otherwise(available))
    by_child = choose(f"citizen_7_to_12 {yes_no(citizen_7_to_12)}", equals("yes", by_service), equals("no", 0))
    return FactExplanation(
        figure="extended_childcare_leave",
        result=str(days),
        unit="days",
        inputs=_inputs(month, months)
        | {"citizen_7_to_12": yes_no(citizen_7_to_12), "childcare leave of the year": str(childcare_days)},
        rule="Leave for a citizen child aged 7 to 12, up to a maximum together with the childcare leave of the year.",
        source=in_force.source,
        branch=f"{'with' if citizen_7_to_12 else 'without'} a citizen child aged 7 to 12",
        parameters=(
            used_parameter("days per year", in_force, str(extended.days)),
            used_parameter("maximum with childcare leave", in_force, str(extended.max_with_childcare)),
            used_parameter("minimum months of service", in_force, str(extended.min_months)),
        ),
        arithmetic=(
            line(f"min(max({extended.max_with_childcare} − {childcare_days}, 0), {extended.days})", available),
            line(by_child, days),
        ),
    )


def explain_days_left_for_child(parameters: LeaveParameters, month: Month, taken_for_child: int) -> FactExplanation:
    """Explain the days left of the lifetime maximum for one child."""
    maximum = parameters.childcare_lifetime.at(month)
    left = int(childcare.days_left_for_child(parameters, month, counts([taken_for_child]))[0])
    return FactExplanation(
        figure="childcare_leave_left_for_child",
        result=str(left),
        unit="days",
        inputs={"month": str(month), "days taken for the child": str(taken_for_child)},
        rule="Childcare leave for one child is limited over all years together.",
        source=maximum.source,
        branch="days are left" if left else "no days are left",
        parameters=(used_parameter("maximum days for one child", maximum, str(maximum.value)),),
        arithmetic=(line(f"max({maximum.value} − {taken_for_child}, 0)", left),),
    )


def explain_infant_care_days(
    parameters: LeaveParameters, month: Month, months: int, citizen_under_2: bool
) -> FactExplanation:
    """Explain the unpaid infant care leave of a year."""
    in_force = parameters.infant_care.at(month)
    days = int(childcare.infant_care_days(parameters, month, counts([months]), flags([citizen_under_2]))[0])
    by_service = choose(months, below(in_force.value.min_months, 0), otherwise(in_force.value.days))
    by_child = choose(f"citizen_under_2 {yes_no(citizen_under_2)}", equals("yes", by_service), equals("no", 0))
    return FactExplanation(
        figure="infant_care_leave",
        result=str(days),
        unit="days",
        inputs=_inputs(month, months) | {"citizen_under_2": yes_no(citizen_under_2)},
        rule="Unpaid leave for a citizen child under 2, in full once the minimum service is complete.",
        source=in_force.source,
        branch=f"{'with' if citizen_under_2 else 'without'} a citizen child under 2",
        parameters=(
            used_parameter("days per year", in_force, str(in_force.value.days)),
            used_parameter("minimum months of service", in_force, str(in_force.value.min_months)),
        ),
        arithmetic=(line(by_child, days),),
    )


def explain_part_time_days(
    parameters: LeaveParameters, month: Month, figure: str, days: int, hours: PartTimeHours, *, has_minimum: bool
) -> FactExplanation:
    """Explain the own days of a part-time employee for the days of a full-time employee."""
    in_force = parameters.part_time_childcare.at(month)
    part_time = in_force.value
    result = format_millis(
        childcare.part_time_millidays(parameters, month, days, hours, has_minimum=has_minimum),
    )
    share = f"round({MILLI} × {days} × {hours.expression}) ÷ {MILLI}"
    by_hours = f"max({share}, min({days}, {part_time.min_days}))" if has_minimum else share
    minimum = used_parameter("minimum days per year", in_force, str(part_time.min_days))
    return FactExplanation(
        figure=f"{figure}_part_time",
        result=result,
        unit="days",
        inputs={"month": str(month), **hours_inputs(days, hours)},
        rule="A part-time employee has leave for children in proportion to the hours, and at least a minimum of "
        "childcare leave. Days are the hours of leave divided by the hours of the employee's own days.",
        source=in_force.source,
        branch=f"{'by hours' if part_time.by_hours else 'in full'}; certainty {part_time.certainty}",
        parameters=(minimum,) if has_minimum and part_time.by_hours else (),
        arithmetic=(line(by_hours if part_time.by_hours else str(days), result),),
    )


def _inputs(month: Month, months: int) -> dict[str, str]:
    return {"month": str(month), "completed months of service": str(months)}


def _child_label(citizen_under_7: bool, other_under_7: bool) -> str:
    if citizen_under_7:
        return "with a citizen child under 7"
    return "with a child under 7 who is not a citizen" if other_under_7 else "without a child under 7"
