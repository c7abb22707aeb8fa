"""Explanations of parental leave."""

from datetime import date

from gaji.law.columns import date_column, flags
from gaji.law.explanation import FactExplanation
from gaji.law.leave import parental
from gaji.law.leave.explanations.parental_leave_case import ParentalLeaveCase
from gaji.law.leave.parameters import LeaveParameters
from gaji.law.quantities import counts

MATERNITY_RULE = (
    "The mother's weeks depend on the child's date of birth and nationality, once the minimum service is complete."
)
PATERNITY_RULE = (
    "The father's weeks depend on the date of birth of a citizen child, once the minimum service is complete."
)
SHARED_RULE = "Both parents share weeks that depend on the date of birth of a citizen child."
ADOPTION_RULE = (
    "The adoptive mother's weeks depend on the date of the formal intent, once the minimum service is complete."
)


def explain_maternity(
    parameters: LeaveParameters, birthdate: date | None, citizen: bool, months: int
) -> tuple[FactExplanation, FactExplanation]:
    """Explain the mother's weeks and the paid weeks."""
    weeks, paid_weeks = parental.maternity_weeks(
        parameters, date_column([birthdate]), flags([citizen]), counts([months])
    )
    case = ParentalLeaveCase(parameters.maternity, "born", birthdate, citizen, months, MATERNITY_RULE)
    return (
        case.explain_weeks(
            "maternity_leave",
            lambda leave: leave.citizen_weeks,
            lambda leave: leave.other_weeks,
            lambda leave: leave.min_months,
            int(weeks[0]),
        ),
        case.explain_weeks(
            "maternity_leave_paid",
            lambda leave: leave.citizen_weeks,
            lambda leave: leave.other_paid_weeks,
            lambda leave: leave.min_months,
            int(paid_weeks[0]),
        ),
    )


def explain_paternity(
    parameters: LeaveParameters, birthdate: date | None, citizen: bool, months: int
) -> tuple[FactExplanation, FactExplanation]:
    """Explain the father's weeks, and those that do not depend on the employer's agreement."""
    weeks, required_weeks = parental.paternity_weeks(
        parameters, date_column([birthdate]), flags([citizen]), counts([months])
    )
    case = ParentalLeaveCase(parameters.paternity, "born", birthdate, citizen, months, PATERNITY_RULE)
    return (
        case.explain_weeks(
            "paternity_leave", lambda leave: leave.weeks, None, lambda leave: leave.min_months, int(weeks[0])
        ),
        case.explain_weeks(
            "paternity_leave_required",
            lambda leave: leave.required_weeks,
            None,
            lambda leave: leave.min_months,
            int(required_weeks[0]),
        ),
    )


def explain_shared_parental(
    parameters: LeaveParameters, birthdate: date | None, citizen: bool
) -> tuple[FactExplanation, FactExplanation, FactExplanation]:
    """Explain the weeks that both parents share, the share of each, and whether they are taken from the mother's."""
    weeks, weeks_each = parental.shared_parental_weeks(parameters, date_column([birthdate]), flags([citizen]))
    from_maternity = bool(parental.shared_from_maternity(parameters, date_column([birthdate]))[0])
    case = ParentalLeaveCase(parameters.shared_parental, "born", birthdate, citizen, None, SHARED_RULE)
    return (
        case.explain_weeks("shared_parental_leave", lambda leave: leave.weeks, None, None, int(weeks[0])),
        case.explain_weeks(
            "shared_parental_leave_each", lambda leave: leave.weeks_each, None, None, int(weeks_each[0])
        ),
        case.explain_flag("shared_from_maternity", lambda leave: leave.from_maternity, from_maternity),
    )


def explain_adoption(
    parameters: LeaveParameters, intent_date: date | None, citizen: bool, months: int
) -> FactExplanation:
    """Explain the adoptive mother's weeks."""
    weeks = parental.adoption_weeks(parameters, date_column([intent_date]), flags([citizen]), counts([months]))
    case = ParentalLeaveCase(parameters.adoption, "intended", intent_date, citizen, months, ADOPTION_RULE)
    return case.explain_weeks(
        "adoption_leave", lambda leave: leave.weeks, None, lambda leave: leave.min_months, int(weeks[0])
    )
