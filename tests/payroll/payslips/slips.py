"""Helpers for tests of payslips."""

from typing import Any

from tests.support.company import Company


def slips(company: Company, employee_id: int) -> list[dict[str, Any]]:
    """The payslips of an employee as the list shows them."""
    answer = company.member.get(f"/employees/{employee_id}/payslips")
    assert answer.status_code == 200, answer.text
    return [element["payslip"] for element in answer.json()]


def dates(company: Company, employee_id: int) -> list[str]:
    """The dates of an employee's payslips, finalised ones with a star."""
    return [one["date"] + ("*" if one["finalised"] else "") for one in slips(company, employee_id)]


def draft(company: Company, employee_id: int) -> int:
    """The one draft of an employee."""
    [found] = [one for one in slips(company, employee_id) if not one["finalised"]]
    payslip_id: int = found["id"]
    return payslip_id


def detail(company: Company, payslip_id: int) -> dict[str, Any]:
    """A payslip in its detail form."""
    answer = company.member.get(f"/payslips/{payslip_id}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["payslip"]
    return found


def enter(company: Company, where: str, calc_type: str, **details: Any) -> None:
    """Enter a calculation of an employee (`employees/1`) or of a payslip (`payslips/1`)."""
    body = {"calc_type": calc_type, "calculation_details": details}
    answer = company.member.post(f"/{where}/calculations", body)
    assert answer.status_code == 200, answer.text


def finalise(company: Company, employee_id: int) -> int:
    """Finalise the draft of an employee behind the API, and have the next one made; gives the finalised one."""
    payslip_id = draft(company, employee_id)
    company.member.service.as_owner(
        "UPDATE payslips SET finalised = true, finalised_at = now() WHERE id = $1", payslip_id
    )
    touch(company, employee_id)
    return payslip_id


def touch(company: Company, employee_id: int) -> None:
    """Change something of an employee that changes nothing of their pay."""
    for group in ("workman", "non_workman"):
        assert company.patch(employee_id, employment_act_group=group).status_code == 200
