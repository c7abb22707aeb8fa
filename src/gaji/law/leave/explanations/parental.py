"""Leave around a birth or an adoption, explained."""

from datetime import date

from gaji.law.columns import date_column, flags
from gaji.law.explanation import FactExplanation
from gaji.law.leave import parental
from gaji.law.leave.explanations.parental_leave_case import ParentalLeaveCase
from gaji.law.leave.parameters import LeaveParameters
from gaji.law.quantities import counts

MOTHER = "The mother's weeks go by the child's date of birth and nationality, once the least service is complete."
FATHER = "The father's weeks go by the date of birth of a citizen child, once the least service is complete."
BOTH = "Both parents share weeks by the date of birth of a citizen child."
ADOPTIVE = "The adoptive mother's weeks go by the date of the formal intent, once the least service is complete."


def explain_maternity(
    parameters: LeaveParameters, born: date | None, citizen: bool, months: int
) -> tuple[FactExplanation, FactExplanation]:
    """The mother's weeks, and how many of them are paid."""
    weeks, paid = parental.maternity_weeks(parameters, date_column([born]), flags([citizen]), counts([months]))
    child = ParentalLeaveCase(parameters.maternity, "born", born, citizen, months, MOTHER)
    return (
        child.weeks(
            "maternity_leave", lambda it: it.citizen, lambda it: it.other, lambda it: it.least_months, int(weeks[0])
        ),
        child.weeks(
            "maternity_leave_paid",
            lambda it: it.citizen,
            lambda it: it.other_paid,
            lambda it: it.least_months,
            int(paid[0]),
        ),
    )


def explain_paternity(
    parameters: LeaveParameters, born: date | None, citizen: bool, months: int
) -> tuple[FactExplanation, FactExplanation]:
    """The father's weeks, and how many of them he has whether or not the employer agrees."""
    weeks, required = parental.paternity_weeks(parameters, date_column([born]), flags([citizen]), counts([months]))
    child = ParentalLeaveCase(parameters.paternity, "born", born, citizen, months, FATHER)
    return (
        child.weeks("paternity_leave", lambda it: it.weeks, None, lambda it: it.least_months, int(weeks[0])),
        child.weeks(
            "paternity_leave_required", lambda it: it.required, None, lambda it: it.least_months, int(required[0])
        ),
    )


def explain_shared_parental(
    parameters: LeaveParameters, born: date | None, citizen: bool
) -> tuple[FactExplanation, FactExplanation, FactExplanation]:
    """The weeks that both parents share, the share of each, and whether they are taken out of the mother's."""
    weeks, each = parental.shared_parental_weeks(parameters, date_column([born]), flags([citizen]))
    from_maternity = bool(parental.shared_from_maternity(parameters, date_column([born]))[0])
    child = ParentalLeaveCase(parameters.shared_parental, "born", born, citizen, None, BOTH)
    return (
        child.weeks("shared_parental_leave", lambda it: it.weeks, None, None, int(weeks[0])),
        child.weeks("shared_parental_leave_each", lambda it: it.each, None, None, int(each[0])),
        child.answer("shared_from_maternity", lambda it: it.from_maternity, from_maternity),
    )


def explain_adoption(parameters: LeaveParameters, intended: date | None, citizen: bool, months: int) -> FactExplanation:
    """The adoptive mother's weeks."""
    weeks = parental.adoption_weeks(parameters, date_column([intended]), flags([citizen]), counts([months]))
    child = ParentalLeaveCase(parameters.adoption, "intended", intended, citizen, months, ADOPTIVE)
    return child.weeks("adoption_leave", lambda it: it.weeks, None, lambda it: it.least_months, int(weeks[0]))
