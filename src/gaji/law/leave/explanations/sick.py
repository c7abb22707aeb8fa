"""Explanations of sick leave."""

from gaji.law.explanation import FactExplanation, UsedParameter, used_parameter
from gaji.law.leave import sick
from gaji.law.leave.parameters import LeaveParameters
from gaji.law.months import Month
from gaji.law.notation import choose, format_clauses, line, scale_clauses
from gaji.law.quantities import counts

ACT = "Employment Act 1968, s. 89"


def explain_outpatient(parameters: LeaveParameters, month: Month, months: int) -> FactExplanation:
    """Explain the outpatient sick leave of a year."""
    return FactExplanation(
        figure="sick_leave_outpatient",
        result=str(_outpatient_days(parameters, month, months)),
        unit="days",
        inputs=_inputs(month, months),
        rule="Sick leave depends on the completed months of service.",
        source=ACT,
        branch="without hospitalisation",
        parameters=(_outpatient_parameter(parameters, month),),
        arithmetic=(_outpatient_line(parameters, month, months),),
    )


def explain_with_hospitalisation(parameters: LeaveParameters, month: Month, months: int) -> FactExplanation:
    """Explain the sick leave of a year with hospitalisation."""
    return FactExplanation(
        figure="sick_leave_with_hospitalisation",
        result=str(_total_days(parameters, month, months)),
        unit="days",
        inputs=_inputs(month, months),
        rule="Sick leave depends on the completed months of service. The days with hospitalisation include the "
        "outpatient days.",
        source=ACT,
        branch="with hospitalisation",
        parameters=(_total_parameter(parameters, month),),
        arithmetic=(_total_line(parameters, month, months),),
    )


def explain_outpatient_left(
    parameters: LeaveParameters, month: Month, months: int, outpatient_taken: int, hospitalisation_taken: int
) -> FactExplanation:
    """Explain the outpatient days left."""
    taken = counts([outpatient_taken]), counts([hospitalisation_taken])
    left = int(sick.outpatient_days_left(parameters, month, counts([months]), *taken)[0])
    total_left = explain_with_hospitalisation_left(parameters, month, months, outpatient_taken, hospitalisation_taken)
    outpatient = _outpatient_days(parameters, month, months)
    return FactExplanation(
        figure="sick_leave_outpatient_left",
        result=str(left),
        unit="days",
        inputs=total_left.inputs,
        rule="The outpatient days left, but no more than the days left with hospitalisation.",
        source=ACT,
        branch="without hospitalisation",
        parameters=(_outpatient_parameter(parameters, month), _total_parameter(parameters, month)),
        arithmetic=(
            *total_left.arithmetic,
            _outpatient_line(parameters, month, months),
            line(f"min(max({outpatient} − {outpatient_taken}, 0), {total_left.result})", left),
        ),
    )


def explain_with_hospitalisation_left(
    parameters: LeaveParameters, month: Month, months: int, outpatient_taken: int, hospitalisation_taken: int
) -> FactExplanation:
    """Explain the days left with hospitalisation."""
    taken = counts([outpatient_taken]), counts([hospitalisation_taken])
    left = int(sick.hospitalisation_days_left(parameters, month, counts([months]), *taken)[0])
    total = _total_days(parameters, month, months)
    return FactExplanation(
        figure="sick_leave_with_hospitalisation_left",
        result=str(left),
        unit="days",
        inputs=_inputs(month, months)
        | {"outpatient days taken": str(outpatient_taken), "hospitalisation days taken": str(hospitalisation_taken)},
        rule="The days with hospitalisation less both kinds of sick leave taken.",
        source=ACT,
        branch="with hospitalisation",
        parameters=(_total_parameter(parameters, month),),
        arithmetic=(
            _total_line(parameters, month, months),
            line(f"max({total} − {outpatient_taken} − {hospitalisation_taken}, 0)", left),
        ),
    )


def _outpatient_days(parameters: LeaveParameters, month: Month, months: int) -> int:
    return int(sick.outpatient_days(parameters, month, counts([months]))[0])


def _total_days(parameters: LeaveParameters, month: Month, months: int) -> int:
    return int(sick.with_hospitalisation_days(parameters, month, counts([months]))[0])


def _outpatient_line(parameters: LeaveParameters, month: Month, months: int) -> str:
    scale = parameters.sick.at(month).value.outpatient
    return line(choose(months, *scale_clauses(scale)), _outpatient_days(parameters, month, months))


def _total_line(parameters: LeaveParameters, month: Month, months: int) -> str:
    scale = parameters.sick.at(month).value.with_hospitalisation
    return line(choose(months, *scale_clauses(scale)), _total_days(parameters, month, months))


def _inputs(month: Month, months: int) -> dict[str, str]:
    return {"month": str(month), "completed months of service": str(months)}


def _outpatient_parameter(parameters: LeaveParameters, month: Month) -> UsedParameter:
    in_force = parameters.sick.at(month)
    clauses = format_clauses(scale_clauses(in_force.value.outpatient))
    return used_parameter("outpatient days by completed months", in_force, clauses)


def _total_parameter(parameters: LeaveParameters, month: Month) -> UsedParameter:
    in_force = parameters.sick.at(month)
    clauses = format_clauses(scale_clauses(in_force.value.with_hospitalisation))
    return used_parameter("days with hospitalisation by completed months", in_force, clauses)
