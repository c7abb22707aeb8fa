"""What tests enter, and the payslips they enter it for."""

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
    "created_at",
    "updated_at",
]


def enter(company: Company, where: str, calc_type: str | int, /, **details: Any) -> httpx.Response:
    """Ask for a calculation of an owner, such as employees/4."""
    body = {"calc_type": calc_type, "calculation_details": details}
    return company.member.post(f"/{where}/calculations", body)


def entered(company: Company, where: str, calc_type: str | int, /, **details: Any) -> int:
    """The id of a calculation that was entered."""
    return created(enter(company, where, calc_type, **details))


def listed(company: Company, where: str) -> list[dict[str, Any]]:
    """The calculations of an owner."""
    answer = company.member.get(f"/{where}/calculations")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found


def one(company: Company, where: str, calc_type: str | int) -> dict[str, Any]:
    """The one calculation of an owner that is of this type."""
    [found] = [
        row for row in listed(company, where) if calc_type in (row.get("system_type"), row["calculation_def_id"])
    ]
    return found


def item(company: Company, **given: Any) -> int:
    """A custom item."""
    return created(company.member.post(f"/clients/{company.id}/calculation_definitions", given))


def profile(company: Company, name: str = "Drivers", /, **calculations: Any) -> int:
    """A profile."""
    body = {"name": name, "calculations": calculations}
    return created(company.member.post(f"/clients/{company.id}/profiles", body))


def mapped(company: Company, employee_id: int, profile_id: int, **calculations: bool) -> int:
    """Give an employee a profile."""
    body = {"profile_id": profile_id, "calculations": calculations}
    return created(company.member.post(f"/employees/{employee_id}/profile_mappings", body))


def draft(company: Company, employee_id: int) -> int:
    """The draft payslip of an employee."""
    rows = company.member.service.as_owner(
        "SELECT id FROM payslips WHERE employee_id = $1 AND NOT special AND NOT finalised AND NOT withdrawn",
        employee_id,
    )
    payslip_id: int = rows[0]["id"]
    return payslip_id


def special(company: Company, employee_id: int) -> int:
    """A once-off payslip of an employee, in the period of the draft."""
    rows = company.member.service.as_owner(
        "INSERT INTO payslips (client_id, employee_id, wave_id, period_offset, start_date, date, pay_date, special) "
        "SELECT client_id, employee_id, wave_id, period_offset, start_date, date, pay_date, true FROM payslips "
        "WHERE id = $1 RETURNING id",
        draft(company, employee_id),
    )
    payslip_id: int = rows[0]["id"]
    return payslip_id


def finalise(company: Company, payslip_id: int) -> date:
    """Finalise a payslip behind the back of the service, and give its date."""
    [row] = company.member.service.as_owner(
        "UPDATE payslips SET finalised = true, dirty = false WHERE id = $1 RETURNING date", payslip_id
    )
    day: date = row["date"]
    return day
