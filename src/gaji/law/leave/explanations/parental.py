"""Leave around a birth or an adoption, explained."""

from datetime import date

from gaji.law.columns import days, flags
from gaji.law.explanation import Finding
from gaji.law.leave import parental
from gaji.law.leave.explanations.parental_leave_case import Child
from gaji.law.leave.parameters import LeaveParameters
from gaji.law.quantities import counts

MOTHER = "The mother's weeks go by the child's date of birth and nationality, once the least service is complete."
FATHER = "The father's weeks go by the date of birth of a citizen child, once the least service is complete."
BOTH = "Both parents share weeks by the date of birth of a citizen child."
ADOPTIVE = "The adoptive mother's weeks go by the date of the formal intent, once the least service is complete."


def maternity(parameters: LeaveParameters, born: date | None, citizen: bool, months: int) -> tuple[Finding, Finding]:
    """The mother's weeks, and how many of them are paid."""
    weeks, paid = parental.maternity_weeks(parameters, days([born]), flags([citizen]), counts([months]))
    child = Child(parameters.maternity, "born", born, citizen, months, MOTHER)
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


def paternity(parameters: LeaveParameters, born: date | None, citizen: bool, months: int) -> tuple[Finding, Finding]:
    """The father's weeks, and how many of them he has whether or not the employer agrees."""
    weeks, required = parental.paternity_weeks(parameters, days([born]), flags([citizen]), counts([months]))
    child = Child(parameters.paternity, "born", born, citizen, months, FATHER)
    return (
        child.weeks("paternity_leave", lambda it: it.weeks, None, lambda it: it.least_months, int(weeks[0])),
        child.weeks(
            "paternity_leave_required", lambda it: it.required, None, lambda it: it.least_months, int(required[0])
        ),
    )


def shared_parental(parameters: LeaveParameters, born: date | None, citizen: bool) -> tuple[Finding, Finding, Finding]:
    """The weeks that both parents share, the share of each, and whether they are taken out of the mother's."""
    weeks, each = parental.shared_parental_weeks(parameters, days([born]), flags([citizen]))
    from_maternity = bool(parental.shared_from_maternity(parameters, days([born]))[0])
    child = Child(parameters.shared_parental, "born", born, citizen, None, BOTH)
    return (
        child.weeks("shared_parental_leave", lambda it: it.weeks, None, None, int(weeks[0])),
        child.weeks("shared_parental_leave_each", lambda it: it.each, None, None, int(each[0])),
        child.answer("shared_from_maternity", lambda it: it.from_maternity, from_maternity),
    )


def adoption(parameters: LeaveParameters, intended: date | None, citizen: bool, months: int) -> Finding:
    """The adoptive mother's weeks."""
    weeks = parental.adoption_weeks(parameters, days([intended]), flags([citizen]), counts([months]))
    child = Child(parameters.adoption, "intended", intended, citizen, months, ADOPTIVE)
    return child.weeks("adoption_leave", lambda it: it.weeks, None, lambda it: it.least_months, int(weeks[0]))
