"""Requests that create calculations, profiles and custom items for tests."""

from datetime import date
from typing import Any

import httpx

from tests.support.company import Company
from tests.support.running import created

FIELDS = [
    "id",
    "employee_id",
    "payslip_id",
    "client_id",
    "inputs",
    "calculation_id",
    "calculation_def_id",
    "profile_id",
    "account_components",
    "account_outputs",
    "input_formulas",
    "overrides",
    "outputs",
    "deleted",
    "skip",
    "skip_rule",
    "multiplier",
    "valid_from",
    "external_id",
    "metadata",
    "created_at",
    "updated_at",
]


def post_calculation(company: Company, owner: str, calc_type: str | int, /, **details: Any) -> httpx.Response:
    """Post a calculation of an owner, such as `employees/4`."""
    body = {"calc_type": calc_type, "calculation_details": details}
    return company.member.post(f"/{owner}/calculations", body)


def create_calculation(company: Company, owner: str, calc_type: str | int, /, **details: Any) -> int:
    """Create or update a calculation, and return its ID."""
    return created(post_calculation(company, owner, calc_type, **details))


def list_calculations(company: Company, owner: str, *, regular_hours: bool = False) -> list[dict[str, Any]]:
    """Return the calculations of an owner, with or without the regular hours that every employee has."""
    answer = company.member.get(f"/{owner}/calculations")
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()
    return [row for row in rows if regular_hours or row["id"] or row.get("system_type") != "week_hours"]


def find_calculation(company: Company, owner: str, calc_type: str | int) -> dict[str, Any]:
    """Return the calculation of an owner that has this type."""
    [calculation] = [
        row
        for row in list_calculations(company, owner, regular_hours=True)
        if calc_type in (row.get("system_type"), row["calculation_def_id"])
    ]
    return calculation


def create_item(company: Company, **attributes: Any) -> int:
    """Create a custom item, and return its ID."""
    return created(company.member.post(f"/clients/{company.id}/calculation_definitions", attributes))


def create_profile(company: Company, name: str = "Drivers", /, **calculations: Any) -> int:
    """Create a profile, and return its ID."""
    body = {"name": name, "calculations": calculations}
    return created(company.member.post(f"/clients/{company.id}/profiles", body))


def assign_profile(company: Company, employee_id: int, profile_id: int, **calculations: bool) -> int:
    """Assign a profile to an employee, and return the ID of the mapping."""
    body = {"profile_id": profile_id, "calculations": calculations}
    return created(company.member.post(f"/employees/{employee_id}/profile_mappings", body))


def draft_id(company: Company, employee_id: int) -> int:
    """Return the ID of the draft payslip of an employee."""
    rows = company.member.service.as_owner(
        "SELECT id FROM payslips WHERE employee_id = $1 AND NOT special AND NOT finalised AND NOT withdrawn",
        employee_id,
    )
    payslip_id: int = rows[0]["id"]
    return payslip_id


def insert_special_payslip(company: Company, employee_id: int) -> int:
    """Insert a special payslip in the period of the draft, and return its ID."""
    rows = company.member.service.as_owner(
        "INSERT INTO payslips (client_id, employee_id, wave_id, period_offset, start_date, date, pay_date, special) "
        "SELECT client_id, employee_id, wave_id, period_offset, start_date, date, pay_date, true FROM payslips "
        "WHERE id = $1 RETURNING id",
        draft_id(company, employee_id),
    )
    payslip_id: int = rows[0]["id"]
    return payslip_id


def finalise(company: Company, payslip_id: int) -> date:
    """Finalise a payslip in the database, bypassing the service, and return its date."""
    [row] = company.member.service.as_owner(
        "UPDATE payslips SET finalised = true, dirty = false WHERE id = $1 RETURNING date", payslip_id
    )
    day: date = row["date"]
    return day
