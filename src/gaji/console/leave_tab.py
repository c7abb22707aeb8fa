"""The leave tab of an employee: balances, recorded days, adjustments and movements."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import msgspec

from gaji.console.leave_balances import balance_views
from gaji.console.leave_form import COUNTED_WORKING_DAYS, RANGE_FORM, CountedDays, find_counted_days, with_leave_types
from gaji.console.medical_certificate_files import certificate_values
from gaji.console.request import PageRequest
from gaji.console.tables import SortKeys, build_table
from gaji.console.unconfirmed_leave import FIRST_MONTHS
from gaji.core import clock
from gaji.core.constants import CONSTANT_LISTS
from gaji.leave.adjustments import service as adjustments
from gaji.leave.balances import service as balances
from gaji.leave.days import service as days
from gaji.leave.days.duration import load_day_lengths
from gaji.leave.statutory_leave import service as statutory_leave
from gaji.leave.types import service as leave_types
from gaji.leave.unpaid_holidays import load_recorded_holidays
from gaji.payroll.payslips import service as payslips
from gaji.people.children import service as children
from gaji.people.take_on import service as take_on

COUNTED_DAYS_NOTES = {
    CountedDays.WORKING: COUNTED_WORKING_DAYS,
    CountedDays.EXCEPT_HOLIDAYS: "The employee has no fixed working days, so every day from the first to the last is "
    "counted, except public holidays. Record only the days of planned work.",
    CountedDays.ALL: "Every day from the first to the last is counted, including days off and public holidays. "
    "Record only the days that are needed.",
}
MAX_MOVEMENTS = 100
LONGEST_PERIOD_DAYS = 31
HALF_DAY = 0.5
DAY_SORT_KEYS: SortKeys[Mapping[str, Any]] = {
    "date": lambda day: (day["date"], day["id"]),
    "leave": lambda day: day["type"],
    "days": lambda day: day["days"],
}


async def leave_tab_values(request: PageRequest, employee: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the leave tab shows."""
    employee_id = employee["id"]
    names = await leave_types.list_types(request.tenant, employee["client_id"])
    types = await leave_types.load_types(request.tenant, employee["client_id"])
    days_by_type = await balances.read_balances(request.tenant, employee_id, None)
    movements = await balances.list_movements(request.tenant, employee_id, None, None, None)
    async with request.tenant.read_only() as tx:
        day_lengths = await load_day_lengths(tx, employee["client_id"], [employee_id])
    adjusted, _ = await adjustments.list_adjustments(request.tenant, employee_id, None)
    return {
        "balances": balance_views(types, days_by_type, clock.today()),
        "movements": movements[::-1][:MAX_MOVEMENTS],
        "adjustments": sorted(map(msgspec.json.decode, adjusted), key=_date_and_id, reverse=True),
        "record_form": with_leave_types(RANGE_FORM, names),
        "counted_days": COUNTED_DAYS_NOTES[find_counted_days(day_lengths, employee_id)],
        "error": None,
        "children": [msgspec.json.decode(child) for child in await _list_children(request, employee_id)],
        "statutory_leave": await statutory_leave.list_statutory_leave(request.tenant, employee_id, None),
        "citizenships": {entry.value: entry.name for entry in CONSTANT_LISTS["child_citizenship"]},
        "relationships": {entry.value: entry.name for entry in CONSTANT_LISTS["child_relationship"]},
        **await certificate_values(request, employee_id),
        **await _day_values(request, employee, has_adjustments=bool(adjusted)),
    }


async def _day_values(request: PageRequest, employee: Mapping[str, Any], *, has_adjustments: bool) -> dict[str, Any]:
    """Return a page of the leave days, latest first, each with its time and whether its period is closed."""
    elements, _ = await days.list_days(request.tenant, employee["id"], None)
    latest_first = sorted(map(msgspec.json.decode, elements), key=_date_and_id, reverse=True)
    table = build_table(request, latest_first, DAY_SORT_KEYS, largest_first=("date", "days"), anchor="#leave-days")
    (slip_elements, _), _ = await payslips.list_payslips(request.tenant, employee["id"], None)
    slips = [msgspec.json.decode(element) for element in slip_elements]
    closed = {payslip["id"] for payslip in slips if payslip["finalised"]}
    leave_days = [{**day, "time": _time_text(day), "closed": day["payslip_id"] in closed} for day in table.rows]
    is_open = not elements or _is_first_quarter(slips)
    async with request.tenant.read_only() as tx:
        dates = [date.fromisoformat(day["date"]) for day in table.rows]
        unpaid_holidays = await load_recorded_holidays(tx, employee["client_id"], employee["id"], dates)
    lacks_records = is_open and not has_adjustments and _served_before(employee, slips)
    return {
        "leave_days": leave_days,
        "days_table": table,
        "unpaid_holidays": unpaid_holidays,
        "counts_earlier_leave": lacks_records
        and not (await take_on.read_take_on(request.tenant, employee["id"]))["leave"],
    }


def _served_before(employee: Mapping[str, Any], slips: Sequence[Mapping[str, Any]]) -> bool:
    """Whether service began more than a month before the end of the first pay period.

    >>> _served_before({"appointment_date": "2023-05-02"}, [{"date": "2026-10-31"}])
    True
    >>> _served_before({"appointment_date": "2026-10-01"}, [{"date": "2026-11-30"}, {"date": "2026-10-31"}])
    False
    """
    if not slips:
        return False
    first_end = date.fromisoformat(min(payslip["date"] for payslip in slips))
    return (first_end - date.fromisoformat(employee["appointment_date"])).days > LONGEST_PERIOD_DAYS


def _is_first_quarter(slips: Sequence[Mapping[str, Any]]) -> bool:
    """Whether all payslips are of the first months, in which leave days do not yet confirm the balance.

    >>> _is_first_quarter([{"date": "2026-10-31"}, {"date": "2026-12-31"}])
    True
    >>> _is_first_quarter([{"date": "2026-06-30"}, {"date": "2026-12-31"}])
    False
    """
    dates = [date.fromisoformat(payslip["date"]) for payslip in slips]
    return not dates or max(dates) - min(dates) <= FIRST_MONTHS


async def _list_children(request: PageRequest, employee_id: int) -> list[str]:
    elements, _ = await children.list_children(request.tenant, employee_id, None)
    return elements


def _time_text(leave_day: Mapping[str, Any]) -> str:
    """Return how much of the day is leave.

    >>> _time_text({"hours": None, "days": 1}), _time_text({"hours": 4, "days": 0.5})
    ('Whole day', 'Half day')
    >>> _time_text({"hours": 2, "days": 0.25})
    '2 hours'
    """
    hours = leave_day["hours"]
    if hours is None:
        return "Whole day"
    return "Half day" if leave_day["days"] == HALF_DAY else f"{hours} {'hour' if hours == 1 else 'hours'}"


def _date_and_id(record: Mapping[str, Any]) -> tuple[str, int]:
    return record["date"], record["id"]
