"""GET /clients/:id/audit_log: who changed what."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from gaji.company.audit_log.schemas import RECORD_TYPES
from gaji.core.clock import SINGAPORE
from gaji.core.system_operator import operator_name
from gaji.identity import service as accounts
from tests.support.company import BANK_ACCOUNT, Company
from tests.support.problems import assert_problem
from tests.support.running import Service


def entries(company: Company, query: str = "") -> list[dict[str, Any]]:
    response = company.member.get(f"/clients/{company.id}/audit_log{query}")
    assert response.status_code == 200, response.text
    return [element["audit_entry"] for element in response.json()]


def changes(entry: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {change["attribute"]: (change["before"], change["after"]) for change in entry["changes"]}


def test_an_update_has_the_user_the_request_and_the_values(company: Company) -> None:
    employee_id = company.hire(job_title="Packer")
    headers = {"X-Request-Id": "promotion-2026"}
    body = {"employee": {"job_title": "Supervisor"}}
    company.member.patch(f"/employees/{employee_id}", body, headers=headers)
    entry = entries(company)[0]
    me = company.member.get("/me").json()
    assert (entry["action"], entry["record_type"], entry["record_id"]) == ("update", "employees", employee_id)
    assert (entry["user_id"], entry["user_name"]) == (me["user"]["id"], company.member.email)
    assert (entry["api_key_id"], entry["source"]) == (me["api_key"]["id"], "api")
    assert (entry["employee_id"], entry["request_id"]) == (employee_id, "promotion-2026")
    assert changes(entry) == {"job_title": ("Packer", "Supervisor")}
    assert entry["created_at"].endswith("+08:00")


def test_identifiers_are_masked(company: Company) -> None:
    employee_id = company.hire(nric="S1234567D", payment_method="eft_manual", bank_account=BANK_ACCOUNT)
    company.patch(employee_id, nric="T5717279C")
    response = company.member.get(f"/clients/{company.id}/audit_log?record_type=employees")
    assert "S1234567D" not in response.text
    assert "T5717279C" not in response.text
    assert "0052312891" not in response.text
    update, create = entries(company, "?record_type=employees")
    masked = company.member.with_another_key(hide_identifiers=True).get(f"/employees/{employee_id}").json()["employee"]
    assert changes(update)["nric"][1] == masked["nric"]
    assert changes(create)["account_number"] == (None, masked["bank_account"]["account_number"])
    assert not any(name.endswith(("_lookup", "_masked", "_sealed")) for name in changes(create))


def test_amounts_and_days_are_those_of_the_api(company: Company) -> None:
    employee_id = company.hire()
    balances = {"year": 2026, "ordinary_wages": "31000.50", "ir8a": {"a": "12.30"}}
    company.member.call("PUT", f"/employees/{employee_id}/take_on_balances", json=balances)
    [entry] = entries(company, "?record_type=take_on_balances")
    assert entry["employee_id"] == employee_id
    assert changes(entry)["ordinary_wages"] == (None, "31000.50")
    assert changes(entry)["ir8a"][1]["a"] == "12.30"
    leave_types = company.member.get(f"/clients/{company.id}/leave_types").json()
    [type_id] = [key for key, name in leave_types.items() if name == "annual_leave"]
    adjustment = {"type_id": int(type_id), "date": "2026-01-05", "days": 1.5, "reason": "Carried over"}
    company.member.post(f"/employees/{employee_id}/leave_adjustments", adjustment)
    assert changes(entries(company, "?record_type=leave_adjustments")[0])["days"] == (None, 1.5)


def test_filters_select_entries_and_combine(company: Company) -> None:
    first, second = company.hire(), company.hire()
    company.patch(first, job_title="Packer")
    company.member.delete(f"/employees/{second}")
    colleague = company.member.colleague(company.id, "payroll")
    colleague.patch(f"/employees/{first}", {"employee": {"job_title": "Driver"}})
    colleague_id = colleague.get("/me").json()["user"]["id"]
    assert {entry["record_id"] for entry in entries(company, "?record_type=employees&action=delete")} == {second}
    [update] = entries(company, f"?user_id={colleague_id}")
    assert changes(update) == {"job_title": ("Packer", "Driver")}
    assert {entry["employee_id"] for entry in entries(company, f"?employee_id={first}&record_type=employees")} == {
        first
    }
    assert len(entries(company, f"?record_type=employees&record_id={first}&action=update")) == 2
    today = datetime.now(SINGAPORE).date()
    assert entries(company, f"?from={today - timedelta(days=1)}&to={today + timedelta(days=1)}") == entries(company)
    assert entries(company, f"?to={today - timedelta(days=2)}") == []
    assert entries(company, f"?from={today + timedelta(days=2)}") == []


def test_it_is_in_pages_newest_first(company: Company) -> None:
    for title in ("Packer", "Driver", "Supervisor"):
        company.member.new_pay_point(company.id, name=title)
    path = f"/clients/{company.id}/audit_log"
    response = company.member.get(f"{path}?record_type=pay_points&per_page=2")
    assert response.headers["X-Total-Count"] == "3"
    assert f"{path}?record_type=pay_points&per_page=2&page=2" in response.headers["Link"]
    names = [changes(element["audit_entry"])["name"][1] for element in response.json()]
    assert names == ["Supervisor", "Driver"]
    assert int(company.member.get(path).headers["X-Total-Count"]) == len(entries(company))


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("record_type=payslips", "record_type"),
        ("action=read", "action"),
        ("from=yesterday", "from"),
        ("user_id=0", "user_id"),
        ("user=3", "user"),
    ],
)
def test_an_invalid_filter_is_named(company: Company, query: str, parameter: str) -> None:
    problem = assert_problem(company.member.get(f"/clients/{company.id}/audit_log?{query}"), 422)
    assert list(problem["errors"]) == [parameter]


def test_webhook_endpoints_of_the_client_are_logged(company: Company) -> None:
    body = {"url": "https://receiver.invalid/", "types": ["law.updated"]}
    response = company.member.post(f"/clients/{company.id}/webhook_endpoints", body)
    assert company.member.post("/webhook_endpoints", body).status_code == 200
    endpoint_id = response.json()["id"]
    company.member.patch(f"/webhook_endpoints/{endpoint_id}", {"enabled": False})
    update, create = entries(company, "?record_type=webhook_endpoints")
    assert (create["record_id"], update["record_id"]) == (endpoint_id, endpoint_id)
    assert changes(create)["url"] == (None, body["url"])
    assert changes(update) == {"enabled": (True, False)}
    assert response.json()["secret"] not in company.member.get(f"/clients/{company.id}/audit_log").text


def test_the_record_types_are_those_that_are_logged(service: Service) -> None:
    rows = service.as_owner(
        "SELECT DISTINCT c.relname FROM pg_class c JOIN pg_trigger t ON t.tgrelid = c.oid "
        "JOIN pg_proc p ON p.oid = t.tgfoid AND p.proname IN ('record_change', 'record_inserts') "
        "WHERE c.relname = 'clients' OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid "
        "AND a.attname IN ('client_id', 'for_client_id'))"
    )
    assert sorted(row["relname"] for row in rows) == list(RECORD_TYPES)


def test_changes_on_the_command_line_name_the_operator(company: Company) -> None:
    colleague = company.member.colleague(company.id, "viewer")
    asyncio.run(accounts.set_role(company.member.service.database, colleague.email, company.id, "payroll", None))
    [entry] = entries(company, "?record_type=memberships&action=update")
    assert (entry["source"], entry["user_name"], entry["user_id"]) == ("command line", operator_name(), None)
