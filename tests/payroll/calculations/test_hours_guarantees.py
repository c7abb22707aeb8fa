"""Guarantees of regular hours and of calculation IDs, for random sequences of changes."""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gaji.core import clock
from tests.payroll.calculations.requests import assign_profile, create_profile, draft_id, find_calculation
from tests.support.company import Company
from tests.support.running import Service

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DATES = ("2024-01-10", "2024-02-20", "2024-03-05", "2025-06-01", "2199-01-01")
"""Before, in and after the period of the draft, which is February 2024, and after today."""
DRAFT_DAY = "2024-02-29"
DEFAULT = {
    "full_day_hours_input": "8",
    "schedule": "fixed",
    **{f"works_{day}": "true" if day not in ("sat", "sun") else "false" for day in WEEKDAYS},
}

Inputs = dict[str, str | None]

booleans = st.sampled_from(["true", "false"])
values: dict[str, st.SearchStrategy[str]] = {
    "full_day_hours_input": st.sampled_from(["6", "7.5", "9"]),
    "schedule": st.sampled_from(["fixed", "casual"]),
    "full_days_per_week": st.sampled_from(["3", "5"]),
    **{f"works_{day}": booleans for day in ("mon", "fri", "sat")},
    **{f"day_type_{day}": st.sampled_from(["full", "partial"]) for day in ("fri", "sat")},
    "partial_hours_sat": st.sampled_from(["2", "4.5"]),
}
details = st.fixed_dictionaries({}, optional={name: st.none() | strategy for name, strategy in values.items()})
entered = st.fixed_dictionaries({}, optional=dict(values))
steps: st.SearchStrategy[tuple[str, str | None, Inputs]] = st.one_of(
    st.tuples(st.just("employee"), st.none() | st.sampled_from(DATES), details),
    st.tuples(st.just("client"), st.none(), details),
    st.tuples(st.just("profile"), st.none(), entered),
    st.tuples(st.just("assign"), st.none(), st.just({})),
)


@dataclass
class HoursModel:
    """What was entered: by input, its values by date. Written independently of the service."""

    employee: dict[str, dict[str, str | None]] = field(default_factory=lambda: defaultdict(dict))
    client: Inputs = field(default_factory=dict)
    profile: Inputs = field(default_factory=dict)
    assigned: bool = False

    def change(self, effective_date: str | None, inputs: Inputs) -> None:
        today = clock.today().isoformat()
        for name, value in inputs.items():
            dates = self.employee[name]
            dates[effective_date or max((day for day in dates if day <= today), default="")] = value

    def own_inputs(self, day: str) -> dict[str, str]:
        inputs = {}
        for name, dates in self.employee.items():
            value = dates[max(date for date in dates if date <= day)] if any(date <= day for date in dates) else None
            if value is not None:
                inputs[name] = value
        return inputs

    def inputs(self, day: str) -> dict[str, str]:
        levels: tuple[Inputs, ...] = (self.client, self.profile if self.assigned else {}, {**self.own_inputs(day)})
        merged = dict(DEFAULT)
        for level in levels:
            merged |= {name: value for name, value in level.items() if value is not None}
        return applicable(merged)


def applicable(inputs: dict[str, str]) -> dict[str, str]:
    """Leave out what depends on another input."""

    def applies(name: str) -> bool:
        prefix, _, day = name.rpartition("_")
        if prefix == "works":
            return inputs["schedule"] == "fixed"
        if prefix == "day_type":
            return applies(f"works_{day}") and inputs[f"works_{day}"] == "true"
        if prefix == "partial_hours":
            return applies(f"day_type_{day}") and inputs.get(f"day_type_{day}") == "partial"
        return True

    return {name: value for name, value in inputs.items() if applies(name)}


@given(st.lists(steps, min_size=1, max_size=8))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_the_inherited_calculation_shows_what_payslips_use(
    service: Service, changes: list[tuple[str, str | None, Inputs]]
) -> None:
    company = Company.of(service.new_account())
    employee_id = company.hire(appointment_date="2024-02-01")
    profile_id = create_profile(company)
    model = HoursModel()
    mapping_id = 0
    for kind, effective_date, inputs in changes:
        body: dict[str, Any] = {"calc_type": "week_hours", "calculation_details": inputs}
        if kind == "employee":
            path = f"/employees/{employee_id}/inherited_calculations"
            dated = body if effective_date is None else {**body, "effective_date": effective_date}
            if company.member.patch(path, dated).status_code == 200:
                model.change(effective_date, inputs)
        elif kind == "client":
            if company.member.post(f"/clients/{company.id}/calculations", body).status_code == 200:
                model.client |= inputs
        elif kind == "profile":
            cleared = dict.fromkeys(model.profile)
            profile = {"calculations": {"week_hours": {**cleared, **inputs}}}
            if company.member.patch(f"/profiles/{profile_id}", profile).status_code == 200:
                model.profile = inputs
        elif mapping_id:
            company.member.delete(f"/profile_mappings/{mapping_id}")
            mapping_id, model.assigned = 0, False
        else:
            mapping_id, model.assigned = assign_profile(company, employee_id, profile_id), True
        check(company, employee_id, profile_id if model.assigned else None, model)


def check(company: Company, employee_id: int, profile_id: int | None, model: HoursModel) -> None:
    """Compare all places that show or use the hours with the model."""
    [hours] = company.member.get(f"/employees/{employee_id}/inherited_calculations").json()
    today = model.inputs(clock.today().isoformat())
    assert hours["inputs"] == today
    assert hours["profile_id"] in (None, profile_id)
    assert find_calculation(company, f"employees/{employee_id}", "week_hours")["inputs"] == today
    payslip_id = draft_id(company, employee_id)
    on_draft = model.inputs(DRAFT_DAY)
    assert find_calculation(company, f"payslips/{payslip_id}", "week_hours")["inputs"] == on_draft
    assert used_by_payslip(company, payslip_id) == on_draft
    history = hours["inputs_history"]
    assert next(iter(history)) == "", "the initial inputs come first"
    for day in ("", *DATES):
        assert fold(history, day) == DEFAULT | model.own_inputs(day)


def used_by_payslip(company: Company, payslip_id: int) -> dict[str, str]:
    """Return the regular hours that the payslip was calculated from. None were stored if they are the default."""
    [row] = company.member.service.as_owner(
        "SELECT inputs #>> '{calculations,week_hours,inputs}' AS inputs FROM payslips WHERE id = $1", payslip_id
    )
    inputs = json.loads(row["inputs"] or "{}")
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in inputs.items()} or DEFAULT


def fold(history: dict[str, Inputs], day: str) -> dict[str, str]:
    """Return the inputs on a day as a reader of the history would work them out: null falls back to the default."""
    inputs: dict[str, str] = {}
    for effective_date in sorted(date for date in history if date <= day):
        for name, value in history[effective_date].items():
            inputs.pop(name, None)
            fallback = DEFAULT.get(name) if value is None else value
            if fallback is not None:
                inputs[name] = fallback
    return inputs


owners = st.sampled_from(["clients", "employees", "payslips", "profiles", "hire"])
types = st.sampled_from(["week_hours", "basic_salary", "meal_allowance", "bonus"])


@given(st.lists(st.tuples(owners, types, st.integers(0, 1)), min_size=3, max_size=15))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_no_id_is_both_a_calculation_and_an_inherited_calculation(
    service: Service, requests: list[tuple[str, str, int]]
) -> None:
    member = service.new_account()
    companies = [Company.of(member), Company.of(member)]
    employees = [[company.hire()] for company in companies]
    calculation_ids: set[int] = set()
    inherited_ids: set[int] = set()
    for number, (owner, calc_type, index) in enumerate(requests):
        company, employee_id = companies[index], employees[index][-1]
        body: dict[str, Any] = {"calc_type": calc_type, "calculation_details": {"works_sat": "true"}}
        if calc_type != "week_hours":
            name = "fixed_amount" if calc_type == "basic_salary" else "amount"
            body["calculation_details"] = {name: "10"}
        if owner == "hire":
            employees[index].append(company.hire())
        elif owner == "profiles":
            create_profile(company, f"Profile {number}", **{calc_type: body["calculation_details"]})
        else:
            owner_ids = {"clients": company.id, "employees": employee_id, "payslips": draft_id(company, employee_id)}
            answer = member.post(f"/{owner}/{owner_ids[owner]}/calculations", body)
            if answer.status_code == 200:
                is_inherited = (owner, calc_type) == ("employees", "week_hours")
                (inherited_ids if is_inherited else calculation_ids).add(answer.json()["id"])
    for company_employees in employees:
        for employee_id in company_employees:
            [hours] = member.get(f"/employees/{employee_id}/inherited_calculations").json()
            inherited_ids.add(hours["id"])
    assert not calculation_ids & inherited_ids
    before = service.as_owner("SELECT id FROM calculations ORDER BY id")
    for inherited_id in inherited_ids:
        assert member.get(f"/inherited_calculations/{inherited_id}").json()["id"] == inherited_id
        path = f"/calculations/{inherited_id}"
        statuses = [member.get(path).status_code, member.delete(path).status_code]
        assert [*statuses, member.patch(path, {"skip": False}).status_code] == [404] * 3
    assert service.as_owner("SELECT id FROM calculations ORDER BY id") == before
    for calculation_id in calculation_ids:
        assert member.get(f"/calculations/{calculation_id}").json()["id"] == calculation_id
        assert member.get(f"/inherited_calculations/{calculation_id}").status_code == 404
        assert member.delete(f"/calculations/{calculation_id}").status_code == 200
