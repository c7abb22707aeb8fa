"""Explains the cases of statutory leave."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from gaji.law import registry
from gaji.law.leave.explanations import annual, childcare, parental, sick
from gaji.law.leave.explanations.part_time import explain_part_time
from gaji.law.leave.part_time import FullTimeHours, PartTimeHours
from gaji.law.months import Month
from tests.law.cases import Case
from tests.law.explanations.kinds import MONTH, CaseKind, Explanations, case_kind


def _annual_scale(law: registry.Law, case: Case) -> Explanations:
    return {"days": annual.explain_entitlement(law.leave, MONTH, case["year"])}


def _annual_earned(law: registry.Law, case: Case) -> Explanations:
    return {"days": annual.explain_earned(law.leave, MONTH, case["first"], case["last"])}


def _sick(law: registry.Law, case: Case) -> Explanations:
    arguments = law.leave, MONTH, case["months"]
    return {
        "outpatient": sick.explain_outpatient(*arguments),
        "with_hospitalisation": sick.explain_with_hospitalisation(*arguments),
    }


def _sick_left(law: registry.Law, case: Case) -> Explanations:
    arguments: Any = law.leave, MONTH, case["months"], case["outpatient_taken"], case["hospitalisation_taken"]
    return {
        "outpatient": sick.explain_outpatient_left(*arguments),
        "with_hospitalisation": sick.explain_with_hospitalisation_left(*arguments),
    }


def _part_time(law: registry.Law, case: Case) -> Explanations:
    return {"own_days": explain_part_time(law.leave, MONTH, "annual_leave", case["days"], _part_time_hours(case))}


def _part_time_childcare(law: registry.Law, case: Case) -> Explanations:
    hours, has_minimum = _part_time_hours(case), case.get("minimum", True)
    arguments: Any = law.leave, MONTH, "childcare_leave", case["days"], hours
    return {"own_days": childcare.explain_part_time_days(*arguments, has_minimum=has_minimum)}


def _part_time_hours(case: Case) -> PartTimeHours:
    full_time = FullTimeHours(case.get("full_week", 44) * 1000, case.get("full_day", 8) * 1000)
    week, day = (Fraction(case[name]) * 1000 for name in ("week_hours", "day_hours"))
    return PartTimeHours(week / case.get("weeks", 1), day, full_time)


def _childcare(law: registry.Law, case: Case) -> Explanations:
    citizen, other, older = (case.get(name, False) for name in ("citizen_under_7", "other_under_7", "citizen_7_to_12"))
    month = Month.parse(case.get("month", str(MONTH)))
    days = childcare.explain_days_per_year(law.leave, month, case["months"], citizen, other)
    extended = childcare.explain_extended_days(law.leave, month, case["months"], older, int(days.result))
    return {"days": days, "extended": extended}


def _infant_care(law: registry.Law, case: Case) -> Explanations:
    month = Month.parse(case["month"])
    return {"days": childcare.explain_infant_care_days(law.leave, month, case["months"], citizen_under_2=True)}


def _maternity(law: registry.Law, case: Case) -> Explanations:
    weeks, paid = parental.explain_maternity(law.leave, case["born"], case["citizen"], case["months"])
    return {"weeks": weeks, "paid": paid}


def _paternity(law: registry.Law, case: Case) -> Explanations:
    arguments: Any = law.leave, case["born"], case.get("citizen", True), case.get("months", 12)
    weeks, required = parental.explain_paternity(*arguments)
    return {"weeks": weeks, "required": required}


def _shared_parental(law: registry.Law, case: Case) -> Explanations:
    weeks, each, from_maternity = parental.explain_shared_parental(law.leave, case["born"], citizen=True)
    return {"weeks": weeks, "each": each, "from_maternity": from_maternity}


def _adoption(law: registry.Law, case: Case) -> Explanations:
    return {"weeks": parental.explain_adoption(law.leave, case["intended"], case.get("citizen", True), case["months"])}


KINDS: Mapping[tuple[str, str], CaseKind] = {
    ("leave", "part_time"): case_kind("days week_hours weeks day_hours full_week full_day", "own_days", _part_time),
    ("leave", "part_time_childcare"): case_kind("days minimum week_hours day_hours", "own_days", _part_time_childcare),
    ("leave", "annual_scale"): case_kind("year", "days", _annual_scale),
    ("leave", "annual_earned"): case_kind("first last", "days", _annual_earned),
    ("leave", "sick"): case_kind("months", "outpatient with_hospitalisation", _sick),
    ("leave", "sick_left"): case_kind(
        "months outpatient_taken hospitalisation_taken", "outpatient with_hospitalisation", _sick_left
    ),
    ("leave", "childcare"): case_kind(
        "month months citizen_under_7 other_under_7 citizen_7_to_12",
        "days extended",
        _childcare,
        defaults={"extended": 0},
    ),
    ("leave", "infant_care"): case_kind("month months", "days", _infant_care),
    ("leave", "maternity"): case_kind("born citizen months", "weeks paid", _maternity),
    ("leave", "paternity"): case_kind("born citizen months", "weeks required", _paternity),
    ("leave", "shared_parental"): case_kind("born", "weeks each from_maternity", _shared_parental),
    ("leave", "adoption"): case_kind("intended citizen months", "weeks", _adoption),
}
