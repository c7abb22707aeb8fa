"""Sick leave, explained."""

from gaji.law.explanation import FactExplanation, UsedParameter, used_parameter
from gaji.law.leave import sick
from gaji.law.leave.parameters import LeaveParameters
from gaji.law.months import Month
from gaji.law.notation import choose, format_clauses, line, scale_clauses
from gaji.law.quantities import counts

ACT = "Employment Act 1968, s. 89"


def explain_outpatient(parameters: LeaveParameters, month: Month, months: int) -> FactExplanation:
    """The sick leave of a year without hospitalisation."""
    return FactExplanation(
        figure="sick_leave_outpatient",
        result=str(_own(parameters, month, months)),
        unit="days",
        inputs=_inputs(month, months),
        rule="Sick leave goes by a scale of the completed months of service.",
        source=ACT,
        branch="without hospitalisation",
        parameters=_parameters(parameters, month)[:1],
        arithmetic=(_own_line(parameters, month, months),),
    )


def explain_with_hospitalisation(parameters: LeaveParameters, month: Month, months: int) -> FactExplanation:
    """The sick leave of a year with hospitalisation."""
    return FactExplanation(
        figure="sick_leave_with_hospitalisation",
        result=str(_both(parameters, month, months)),
        unit="days",
        inputs=_inputs(month, months),
        rule="Sick leave goes by a scale of the completed months of service; this one includes the days without.",
        source=ACT,
        branch="with hospitalisation",
        parameters=_parameters(parameters, month)[1:],
        arithmetic=(_both_line(parameters, month, months),),
    )


def explain_outpatient_left(
    parameters: LeaveParameters, month: Month, months: int, outpatient_taken: int, hospitalisation_taken: int
) -> FactExplanation:
    """The days without hospitalisation that are left."""
    taken = counts([outpatient_taken]), counts([hospitalisation_taken])
    left = int(sick.outpatient_days_left(parameters, month, counts([months]), *taken)[0])
    of_both = explain_with_hospitalisation_left(parameters, month, months, outpatient_taken, hospitalisation_taken)
    own = _own(parameters, month, months)
    return FactExplanation(
        figure="sick_leave_outpatient_left",
        result=str(left),
        unit="days",
        inputs=of_both.inputs,
        rule="What is left of the days without hospitalisation, and no more than is left of both together.",
        source=ACT,
        branch="without hospitalisation",
        parameters=_parameters(parameters, month),
        arithmetic=(
            *of_both.arithmetic,
            _own_line(parameters, month, months),
            line(f"min(max({own} − {outpatient_taken}, 0), {of_both.result})", left),
        ),
    )


def explain_with_hospitalisation_left(
    parameters: LeaveParameters, month: Month, months: int, outpatient_taken: int, hospitalisation_taken: int
) -> FactExplanation:
    """The days with hospitalisation that are left."""
    taken = counts([outpatient_taken]), counts([hospitalisation_taken])
    left = int(sick.hospitalisation_days_left(parameters, month, counts([months]), *taken)[0])
    both = _both(parameters, month, months)
    return FactExplanation(
        figure="sick_leave_with_hospitalisation_left",
        result=str(left),
        unit="days",
        inputs=_inputs(month, months)
        | {"outpatient days taken": str(outpatient_taken), "hospitalisation days taken": str(hospitalisation_taken)},
        rule="What is left of the days with hospitalisation, both kinds counted against them.",
        source=ACT,
        branch="with hospitalisation",
        parameters=_parameters(parameters, month)[1:],
        arithmetic=(
            _both_line(parameters, month, months),
            line(f"max({both} − {outpatient_taken} − {hospitalisation_taken}, 0)", left),
        ),
    )


def _own(parameters: LeaveParameters, month: Month, months: int) -> int:
    return int(sick.outpatient_days(parameters, month, counts([months]))[0])


def _both(parameters: LeaveParameters, month: Month, months: int) -> int:
    return int(sick.with_hospitalisation_days(parameters, month, counts([months]))[0])


def _own_line(parameters: LeaveParameters, month: Month, months: int) -> str:
    scale = parameters.sick.at(month).value.outpatient
    return line(choose(months, *scale_clauses(scale)), _own(parameters, month, months))


def _both_line(parameters: LeaveParameters, month: Month, months: int) -> str:
    scale = parameters.sick.at(month).value.with_hospitalisation
    return line(choose(months, *scale_clauses(scale)), _both(parameters, month, months))


def _inputs(month: Month, months: int) -> dict[str, str]:
    return {"month": str(month), "completed months of service": str(months)}


def _parameters(parameters: LeaveParameters, month: Month) -> tuple[UsedParameter, ...]:
    in_force = parameters.sick.at(month)
    return (
        used_parameter(
            "days without hospitalisation by months", in_force, format_clauses(scale_clauses(in_force.value.outpatient))
        ),
        used_parameter(
            "days with hospitalisation by months",
            in_force,
            format_clauses(scale_clauses(in_force.value.with_hospitalisation)),
        ),
    )
