"""The pay of an employee: recurring pay items, working hours, changes by date, and once-off pay items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from gaji.console.calculation_form import (
    calculation_name,
    find_calculation,
    hours_are_dated,
    pay_item_values,
)
from gaji.console.paid_holidays import with_paid_holidays
from gaji.console.request import PageRequest
from gaji.console.settings.profile_mappings import list_employee_profiles
from gaji.console.week_form import summarise_week
from gaji.console.work_items import BASIC_SALARY, EnteredItem, entered_items, recurring_amounts
from gaji.core import clock
from gaji.core.errors import Errors, NotFound
from gaji.core.field_types import DateType
from gaji.engine.catalogue import FOREIGN_WORKER_LEVY
from gaji.payroll.calculations import service as calculations
from gaji.payroll.calculations.effective_dates import first_open_day
from gaji.payroll.calculations.regular_hours import service as regular_hours
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.payslips import service as payslips
from gaji.payroll.payslips.queries import load_payslip_periods
from gaji.payroll.payslips.summaries import PayslipSummary, load_summary
from gaji.payroll.retro_proposals import service as retro_proposals
from gaji.payroll.retro_proposals.models import OPEN
from gaji.people.employees.notes import LEVY_PASSES
from gaji.periods.queries import load_open_periods

MAX_DIFFERING = 3
"""How many payslips that differ from what is recorded now are named. Earlier ones are counted."""

Employee = Mapping[str, Any]
Calculations = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class DifferingPayslips:
    """The finalised payslips of an employee that differ from what is recorded now."""

    latest: Sequence[PayslipSummary]
    earlier: int
    """How many there are before the latest ones."""


@dataclass(frozen=True)
class DatedInputs:
    """The inputs of a recurring pay item in a period."""

    calculation_id: int
    is_own: bool
    """Whether it is the employee's value. Otherwise it is that of a profile."""
    inputs: Mapping[str, Any] | None
    """None if the item is not paid in the period."""
    valid_from: str | None
    valid_to: str | None
    state: str
    """`past`, `today` or `future`."""

    def is_paid_on(self, day: str) -> bool:
        """Return whether the item is paid and a day, which is an ISO date, is in the period."""
        if self.inputs is None:
            return False
        return (self.valid_from or "") <= day and (self.valid_to is None or day <= self.valid_to)


@dataclass(frozen=True)
class RecurringItem:
    """A recurring pay item, with all the values that it has from date to date."""

    name: str
    calculation: Mapping[str, Any] | None
    """The item as it is now. None if it has ended or has not begun."""
    current: DatedInputs | None
    """The dated value that the item has now. None if its values do not change by date."""
    others: Sequence[DatedInputs]

    @property
    def amounts(self) -> list[str]:
        """The amounts on the current draft."""
        return recurring_amounts(self.calculation) if self.calculation else []

    @property
    def is_dated(self) -> bool:
        """Whether its values change by date."""
        return self.current is not None or bool(self.others)

    def value_on(self, day: str) -> DatedInputs | None:
        """Return the dated value that is paid on a day: the employee's, if the employee has one."""
        values = [value for value in (self.current, *self.others) if value and value.is_paid_on(day)]
        return min(values, key=lambda value: not value.is_own, default=None)


async def pay_tab_values(request: PageRequest, employee: Employee) -> dict[str, Any]:
    """Return what the tab shows."""
    entered = (await calculations.list_for_employee(request.tenant, employee["id"])).elements
    history = await calculations.list_employee_history(request.tenant, employee["id"])
    hours = find_calculation(entered, WEEK_HOURS)
    week = summarise_week(hours["inputs"] if hours else {})
    once_off_values = await _once_off_values(request, employee)
    recurring_values = await _recurring_values(request, employee, entered)
    recurring = _recurring_items([item for item in entered if item is not hours], history)
    levy = find_calculation(entered, FOREIGN_WORKER_LEVY)
    is_dated_item = recurring_values["chosen"] is not None and recurring_values["chosen"]["calc_type"] != WEEK_HOURS
    return {
        **recurring_values,
        "first_open_day": await load_first_open_day(request, employee) if is_dated_item else None,
        "recurring": recurring,
        "edited_change": _edited_change(request),
        "earlier_change": _find_change(recurring, request.query.get("item", ""), request.query.get("earlier", "")),
        "week": week,
        "week_changes": await _week_changes(request, employee["id"]) if hours_are_dated(entered) else [],
        **once_off_values,
        "pays_regular_hours": not week.is_casual and _lacks_hours(entered, once_off_values["once_off"]),
        "differing": await _load_differing_payslips(request, employee["id"]) if "differs" in request.query else None,
        "applies_from": DateType().parse(request.query.get("applies_from") or None, "applies_from", Errors()),
        "lacks_levy": employee["work_pass"] in LEVY_PASSES and levy is None,
        "levy_counts_whole_months": levy is not None
        and levy["inputs"].get("amount") is None
        and _lacks_pass_date(employee, once_off_values["regular_draft"]),
        "profiles": await list_employee_profiles(request, employee["client_id"], employee["id"]),
    }


def _edited_change(request: PageRequest) -> date | None:
    """Return the date of the change whose form is shown, or None for a new change."""
    text = request.query.get("valid_from") or request.form.get("edited_change")
    return DateType().parse(text or None, "valid_from", Errors())


def _find_change(recurring: Sequence[RecurringItem], name: str, valid_from: str) -> DatedInputs | None:
    """Return the employee's change of a recurring pay item on a date, if it is still recorded."""
    values = (value for item in recurring if item.name == name for value in (item.current, *item.others) if value)
    return next((value for value in values if value.is_own and value.valid_from == valid_from), None)


def _lacks_pass_date(employee: Employee, draft: Mapping[str, Any] | None) -> bool:
    """Return whether an employee with a levy joins during the month of a payslip, and the pass has no first day.

    >>> employee = {"work_pass": "WP", "pass_from": None, "appointment_date": "2026-11-09"}
    >>> [_lacks_pass_date(employee, {"date": day}) for day in ("2026-11-30", "2026-12-31")]
    [True, False]
    """
    if draft is None or employee["pass_from"] or employee["work_pass"] not in LEVY_PASSES:
        return False
    joined = str(employee["appointment_date"])
    return joined[:7] == str(draft["date"])[:7] and joined[8:] != "01"


async def _load_differing_payslips(request: PageRequest, employee_id: int) -> DifferingPayslips:
    """Return the finalised payslips that differ from what is recorded, unless a decision on them is recorded."""
    proposals = await retro_proposals.list_proposals(request.tenant, employee_id)
    differences = (
        difference for proposal in proposals if proposal.status == OPEN for difference in proposal.differences
    )
    starts = {difference.payslip_id: difference.start for difference in differences}
    payslip_ids = sorted(starts, key=lambda payslip_id: starts[payslip_id])
    latest_ids = payslip_ids[-MAX_DIFFERING:]
    async with request.tenant.read_only() as tx:
        latest = [await load_summary(tx, payslip_id) for payslip_id in latest_ids]
    return DifferingPayslips(latest, len(payslip_ids) - len(latest_ids))


async def load_first_open_day(request: PageRequest, employee: Employee) -> date | None:
    """Return the day from which a change without a date applies, or None if nothing is finalised yet."""
    async with request.tenant.read_only() as tx:
        periods = await load_open_periods(tx, employee["client_id"], [employee["id"]])
    return first_open_day(periods[employee["id"]])


def _lacks_hours(entered: Calculations, once_off: Sequence[tuple[Mapping[str, Any], EnteredItem]]) -> bool:
    """Whether the basic salary is paid by the hour, and no hours were entered."""
    basic_salary = find_calculation(entered, BASIC_SALARY)
    inputs = basic_salary["inputs"] if basic_salary else {}
    has_hours = inputs.get("hours_input") is not None or any("hours_input" in item.inputs for _, item in once_off)
    return inputs.get("pay_type") == "hourly" and not has_hours


def _recurring_items(entered: Calculations, history: Calculations) -> list[RecurringItem]:
    """Return the recurring pay items of now, then those that have ended or have not begun."""
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for element in history:
        if any(dated["valid_from"] for dated in element["values"]):
            by_name.setdefault(calculation_name(element), []).append(element)
    items = [_recurring_item(calculation, by_name.pop(calculation_name(calculation), [])) for calculation in entered]
    return items + [
        RecurringItem(
            name, None, None, [_dated_value(element, dated) for element in rest for dated in element["values"]]
        )
        for name, rest in by_name.items()
    ]


def _recurring_item(calculation: Mapping[str, Any], history: Calculations) -> RecurringItem:
    """Return an item with its dated values. Its current value is the employee's, if the employee has one."""
    current: DatedInputs | None = None
    others: list[DatedInputs] = []
    for element in sorted(history, key=lambda element: element["employee_id"] is None):
        for dated in element["values"]:
            value = _dated_value(element, dated)
            if current is None and dated["state"] == "current" and dated["exists"]:
                current = value
            else:
                others.append(value)
    return RecurringItem(calculation_name(calculation), calculation, current, others)


def _dated_values(history: Calculations) -> list[DatedInputs]:
    return [_dated_value(element, dated) for element in history for dated in element["values"]]


def _dated_value(element: Mapping[str, Any], dated: Mapping[str, Any]) -> DatedInputs:
    first, last = dated["valid_from"], dated["valid_to"]
    return DatedInputs(
        element["calculation_id"],
        element["employee_id"] is not None,
        dated["inputs"] if dated["exists"] else None,
        first,
        last,
        _state_on(clock.today(), first, last),
    )


def _state_on(day: date, first: str | None, last: str | None) -> str:
    if last is not None and last < day.isoformat():
        return "past"
    return "future" if first is not None and first > day.isoformat() else "today"


async def _recurring_values(request: PageRequest, employee: Employee, entered: Calculations) -> dict[str, Any]:
    """Return the form for a recurring pay item, with the values of the day in the query, if it has one."""
    enter = request.query.get("enter", "") or ("" if is_once_off(request) else request.form.get("calc_type", ""))
    day = DateType().parse(request.query.get("valid_from") or None, "valid_from", Errors())
    if day is None:
        return await pay_item_values(request, employee["client_id"], "employee", entered, enter)
    on_day = (await calculations.list_for_employee(request.tenant, employee["id"], day)).elements
    return await pay_item_values(request, employee["client_id"], "employee", on_day, enter, day.isoformat())


def is_once_off(request: PageRequest) -> bool:
    """Return whether the submitted form is that of a once-off pay item."""
    return "payslip_id" in request.ids


async def _once_off_values(request: PageRequest, employee: Employee) -> dict[str, Any]:
    """Return the once-off pay items of open payslips, and the form for one of them."""
    drafts = await _load_open_payslips(request, employee["id"])
    entered = {
        draft["id"]: (await calculations.list_for_payslip(request.tenant, draft["id"])).elements for draft in drafts
    }
    chosen_id = request.ids.get("payslip_id") or request.query.get("payslip", "")
    payslip = next((draft for draft in drafts if str(draft["id"]) == str(chosen_id)), drafts[0] if drafts else None)
    enter = request.query.get("once_off", "") or (request.form.get("calc_type", "") if is_once_off(request) else "")
    own_calculations = entered[payslip["id"]] if payslip else []
    is_special = payslip is not None and payslip["special"]
    values = await pay_item_values(
        request, employee["client_id"], "payslip", own_calculations, enter, special=is_special
    )
    form = values["form"] if payslip else None
    if payslip and form:
        async with request.tenant.read_only() as tx:
            periods = await load_payslip_periods(tx, employee["client_id"], [payslip["id"]])
        form = await with_paid_holidays(
            request.tenant, employee["client_id"], employee["id"], periods[payslip["id"]], form
        )
    return {
        "drafts": drafts,
        "regular_draft": next((draft for draft in drafts if not draft["special"]), None),
        "once_off": [(draft, item) for draft in drafts for item in entered_items(entered[draft["id"]])],
        "once_off_payslip": payslip,
        "once_off_types": values["types"],
        "once_off_chosen": values["chosen"] if payslip else None,
        "once_off_form": form,
        "once_off_replaces": values["replaces_recurring"],
        "once_off_captions": values["captions"],
    }


async def _load_open_payslips(request: PageRequest, employee_id: int) -> list[dict[str, Any]]:
    """Return the open payslips of an employee that correct no other one, in the order of their dates."""
    (elements, _), _ = await payslips.list_payslips(request.tenant, employee_id, None)
    drafts = [payslip for payslip in map(msgspec.json.decode, elements) if not payslip["finalised"]]
    return sorted((draft for draft in drafts if not draft.get("corrects")), key=lambda draft: str(draft["date"]))


async def require_open_payslip(request: PageRequest, employee_id: int, payslip_id: int) -> None:
    """Raise NotFound unless a payslip is an open one of this employee."""
    if payslip_id not in {draft["id"] for draft in await _load_open_payslips(request, employee_id)}:
        raise NotFound(f"Payslip {payslip_id} does not exist or is finalised")


async def _week_changes(request: PageRequest, employee_id: int) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the changes of the working hours by effective date, without those that have no date."""
    elements = await regular_hours.list_inherited(request.tenant, employee_id)
    return [item for element in elements for item in sorted(element["inputs_history"].items()) if item[0]]
