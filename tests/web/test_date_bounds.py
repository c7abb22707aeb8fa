"""Every date that a caller sends lies between 1900-01-01 and 2199-12-31."""

from collections.abc import Iterator
from typing import Any

import pytest

from gaji.app import OPERATIONS
from gaji.core.field_types import DATE_SCHEMA
from tests.support.company import Company, attributes
from tests.support.problems import field_errors
from tests.support.running import created

OUT_OF_RANGE = "must be from 1900-01-01 to 2199-12-31"
TOO_FAR = ("1899-12-31", "2200-01-01", "9999-12-31", "0001-01-01")


def test_the_document_gives_the_bounds_of_every_date_in_a_request() -> None:
    dates = [
        (operation.name, path, schema)
        for operation in OPERATIONS
        for path, schema in _date_schemas(
            {"body": operation.body_schema, "query": [parameter.type.json_schema() for parameter in operation.query]}
        )
    ]
    assert len(dates) > 25
    assert [(name, path) for name, path, schema in dates if schema.get("pattern") != DATE_SCHEMA["pattern"]] == []


@pytest.mark.parametrize("day", TOO_FAR)
def test_dates_of_employees(company: Company, day: str) -> None:
    names = ("birthdate", "appointment_date", "pr_date", "citizenship_date")
    body = attributes(wave_id=company.wave_id, **dict.fromkeys(names, day))
    assert field_errors(company.post(body)) == dict.fromkeys(names, OUT_OF_RANGE)
    passes = {"pass_from": day, "pass_to": day}
    body = attributes(wave_id=company.wave_id, legal_status="FOREIGNER_WP", nric=None, fin="F1234567N", **passes)
    errors = field_errors(company.post({**body, "nationality": "MY"}))
    assert {name: errors[name] for name in passes} == dict.fromkeys(passes, OUT_OF_RANGE)


@pytest.mark.parametrize("day", TOO_FAR)
def test_dates_in_bodies(company: Company, day: str) -> None:
    employee_id, client = company.hire(), f"/clients/{company.id}"
    employee = f"/employees/{employee_id}"
    leave = {"type_id": 1, "date": day, "days": 1, "reason": "x"}
    action = {"termination_date": day, "termination_code": 1}
    service = {"start_date": day, "end_date": day}
    hours = {"calc_type": "week_hours", "effective_date": day, "calculation_details": {"works_sat": True}}
    bonus = {"calc_type": "annual_bonus", "calculation_details": {"amount": "1.00", "declaration_date": day}}
    period = {"wave_id": company.wave_id, "period_end_date": day}
    cases: list[tuple[str, str, dict[str, Any], list[str]]] = [
        ("POST", f"{client}/waves", {"frequency": "weekly", "first_end_date": day}, ["first_end_date"]),
        ("POST", f"{client}/payment_runs", period, ["period_end_date"]),
        (
            "POST",
            f"{client}/payslip_preview",
            {"period_end_date": day, "employee_id": employee_id},
            ["period_end_date"],
        ),
        (
            "POST",
            f"{client}/payslip_preview",
            {"period_end_date": "2026-01-31", "employee_id": employee_id, "service": service},
            ["service.start_date", "service.end_date"],
        ),
        ("POST", f"{employee}/service_periods/end_service", {"employee_action": action}, ["termination_date"]),
        ("PATCH", f"{employee}/inherited_calculations", hours, ["effective_date"]),
        ("POST", f"{employee}/calculations", bonus, ["calculation_details.declaration_date"]),
        ("POST", f"{employee}/leave_adjustments", leave, ["date"]),
        ("POST", f"{employee}/leave_days", {"type_id": 1, "date": day}, ["date"]),
        (
            "POST",
            f"{employee}/leave_days/create_multiple",
            {"dates": [{"type_id": 1, "date": day}]},
            ["dates.0.date"],
        ),
        ("POST", f"{employee}/leave_requests", {"dates": [{"type_id": 1, "date": day}]}, ["dates.0.date"]),
        ("POST", f"{client}/reports/leave_liability_v2", {"date": day}, ["date"]),
        (
            "POST",
            f"{client}/reports/transaction_history",
            {"start_date": day, "end_date": day},
            ["start_date", "end_date"],
        ),
    ]
    for method, path, body, names in cases:
        errors = field_errors(company.member.call(method, path, json=body))
        assert {name: errors.get(name) for name in names} == dict.fromkeys(names, OUT_OF_RANGE), path


@pytest.mark.parametrize("day", TOO_FAR)
def test_dates_in_queries(company: Company, day: str) -> None:
    employee, client = f"/employees/{company.hire()}", f"/clients/{company.id}"
    for path, names in (
        (f"{employee}/leave_balances", ["date"]),
        (f"{employee}/leave_movements", ["from", "to"]),
        (f"{employee}/leave_days", ["from", "to"]),
        (f"{client}/reports/tracked_balances", ["date"]),
    ):
        answer = company.member.get(path, params=dict.fromkeys(names, day))
        assert field_errors(answer) == dict.fromkeys(names, OUT_OF_RANGE), path


@pytest.mark.parametrize("day", TOO_FAR)
def test_dates_in_custom_fields_and_bulk_input(company: Company, day: str) -> None:
    field_id = company.field(name="Review", type="date")
    employee_id, other_id = company.hire(), company.hire()
    answer = company.patch(employee_id, custom_fields={str(field_id): day})
    assert field_errors(answer) == {f"custom_fields.{field_id}": OUT_OF_RANGE}
    entities = [
        {"id": str(employee_id), "attributes": {"birthdate": day}},
        {"id": str(other_id), "payslip_date": day, "attributes": {"calc.bonus.amount": "1.00"}},
    ]
    results = company.member.post(f"/clients/{company.id}/bulk_input", {"entities": entities}).json()
    assert [result["success"] for result in results] == ["false", "false"]
    assert results[0]["errors"] == {"birthdate": OUT_OF_RANGE}
    assert results[1]["errors"]["payslip_date"] == OUT_OF_RANGE


def test_stored_dates_outside_the_bounds_block_no_other_change(company: Company) -> None:
    """Version 0.1.0 accepted them in custom fields and passes."""
    field_id = company.field(name="Review", type="date")
    employee_id = company.hire(custom_fields={str(field_id): "2026-01-01"})
    company.member.service.as_owner(
        "UPDATE employees SET custom_fields = jsonb_build_object($2::text, '9999-12-31') WHERE id = $1",
        employee_id,
        str(field_id),
    )
    assert company.patch(employee_id, job_title="Manager").status_code == 200
    assert company.employee(employee_id)["custom_fields"] == {str(field_id): "9999-12-31"}
    entity = {"id": str(employee_id), "attributes": {"job_title": "Director"}}
    [result] = company.member.post(f"/clients/{company.id}/bulk_input", {"entities": [entity]}).json()
    assert result["success"] == "true", result


@pytest.mark.parametrize("day", ["1900-01-01", "2199-12-31"])
def test_the_bounds_themselves_are_accepted(company: Company, day: str) -> None:
    wave = {"frequency": "weekly", "first_end_date": day}
    assert created(company.member.post(f"/clients/{company.id}/waves", wave))
    answer = company.member.get(f"/employees/{company.hire()}/leave_balances", params={"date": day})
    assert answer.status_code == 200


def _date_schemas(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        if value.get("format") == "date":
            yield path, value
        for name, child in value.items():
            yield from _date_schemas(child, f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for index, child in enumerate(value):
            yield from _date_schemas(child, f"{path}[{index}]")
