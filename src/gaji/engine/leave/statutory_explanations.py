"""Explanations of everything that the law grants an employee on a day."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from gaji.engine.leave.child_leave import clamp_month
from gaji.engine.leave.child_leave_explanations import StatutoryEntitlement
from gaji.engine.leave.children import A_DAY, anniversary
from gaji.law.columns import date_column
from gaji.law.leave import LeaveParameters
from gaji.law.leave.explanations import annual, sick
from gaji.law.leave.explanations.part_time import explain_part_time
from gaji.law.leave.part_time import PartTimeHours
from gaji.law.length_of_service import completed_months_before, year_of_service
from gaji.law.quantities import MILLI

ANNUAL, SICK, HOSPITALISATION = "annual_leave", "sick_leave", "hospitalisation_leave"


@dataclass(frozen=True)
class SickLeaveTaken:
    """The sick leave taken in a year of service, in whole days, rounded up."""

    outpatient: int
    hospitalisation: int


def service_year_start(first: date, day: date) -> date:
    """The first day of the year of service that contains a day."""
    years = int(year_of_service(date_column([first]), date_column([day]))[0])
    return anniversary(first, years - 1)


def explain_service_leave(
    law: LeaveParameters,
    first: date,
    day: date,
    taken: SickLeaveTaken,
    part_time: Mapping[str, PartTimeHours | None],
) -> Iterator[StatutoryEntitlement]:
    """Explain annual, sick and hospitalisation leave on a day of a service. Days that are not covered have none.

    For a part-time employee, `part_time` has the hours that count for each type.
    """
    month = clamp_month(law, day)
    if not month.first_day <= day <= month.last_day:
        return
    start = service_year_start(first, day)
    end = anniversary(start, 1) - A_DAY
    months = int(completed_months_before(date_column([first]), date_column([day]))[0])
    year = int(year_of_service(date_column([first]), date_column([day]))[0])
    used = taken.outpatient, taken.hospitalisation
    explanations = {
        ANNUAL: (annual.explain_earned(law, month, first, day), annual.explain_entitlement(law, month, year)),
        SICK: (
            sick.explain_outpatient(law, month, months),
            sick.explain_outpatient_left(law, month, months, *used),
        ),
        HOSPITALISATION: (
            sick.explain_with_hospitalisation(law, month, months),
            sick.explain_with_hospitalisation_left(law, month, months, *used),
        ),
    }
    for leave_type, facts in explanations.items():
        days, hours = int(facts[0].result), part_time.get(leave_type)
        if hours is None:
            yield StatutoryEntitlement(leave_type, start, end, days * MILLI, facts)
        else:
            share = explain_part_time(law, month, facts[0].figure, days, hours)
            millidays = hours.share_millidays(days * MILLI)
            yield StatutoryEntitlement(leave_type, start, end, millidays, (facts[0], share))
