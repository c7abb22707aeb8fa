"""Retention periods: never shorter than the law, off by default, a dry run, and a task that enforces them."""

import asyncio

import pytest

from gaji.db.installation import Installation
from gaji.db.tenancy import open_pool
from gaji.privacy.retention.tasks import ClientRetention, enforce_retention, find_due
from tests.db.databases import gaji
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Service

DEFAULTS = {"enabled": False, "years_after_leaving": 1, "tax_years": 5, "certificate_years": 2}
WAVE = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": "2018-12-31"}


@pytest.fixture
def leaver_id(company: Company) -> int:
    """Someone who left in 2018 and was never paid here."""
    wave_id = company.wave(**WAVE)
    employee_id = company.hire(wave_id=wave_id, appointment_date="2018-12-01", first_name="Zephyrine")
    company.leave(employee_id, "2018-12-31")
    company.hire()
    return employee_id


def enforce(service: Service) -> None:
    async def run() -> None:
        pool = await open_pool(service.database.as_application("test"), 1)
        try:
            await enforce_retention(pool, service.vault)
        finally:
            await pool.close()

    asyncio.run(run())


def due(company: Company) -> ClientRetention:
    service = company.member.service
    clients = asyncio.run(find_due(Installation(service.settings, service.database, service.vault, None)))
    return next(client for client in clients if client.client_id == company.id)


def test_the_defaults_are_the_statutory_periods_and_off(company: Company) -> None:
    retention = company.member.get(f"/clients/{company.id}/retention").json()["retention"]
    assert {name: retention[name] for name in DEFAULTS} == DEFAULTS
    assert [(row["kind"], row["records"], row["oldest"]) for row in retention["due"]] == [
        ("former_employees", 0, None),
        ("medical_certificates", 0, None),
    ]


def test_the_task_records_when_it_has_run_and_the_audit_log_does_not(company: Company, service: Service) -> None:
    path = f"/clients/{company.id}/retention"
    assert company.member.get(path).json()["retention"]["enforced_at"] is None
    company.member.patch(path, {"enabled": True})
    enforce(service)
    assert company.member.get(path).json()["retention"]["enforced_at"] is not None
    entries = company.member.get(f"/clients/{company.id}/audit_log").json()
    records = [element["audit_entry"]["record_type"] for element in entries]
    assert records.count("retention_settings") == 1


def test_no_period_can_be_shorter_than_the_law(company: Company) -> None:
    path = f"/clients/{company.id}/retention"
    shorter = {"years_after_leaving": 0, "tax_years": 4, "certificate_years": 1}
    assert field_errors(company.member.patch(path, shorter)).keys() == shorter.keys()
    longer = {"years_after_leaving": 3, "tax_years": 10, "certificate_years": 7}
    assert company.member.patch(path, longer).status_code == 200
    retention = company.member.get(path).json()["retention"]
    assert {name: retention[name] for name in DEFAULTS} == {**DEFAULTS, **longer}


def test_only_owners_change_them(company: Company) -> None:
    officer = company.member.colleague(company.id, "payroll")
    assert officer.get(f"/clients/{company.id}/retention").status_code == 200
    assert_problem(officer.patch(f"/clients/{company.id}/retention", {"enabled": True}), 403)


def test_nothing_happens_until_an_owner_turns_it_on(company: Company, leaver_id: int, service: Service) -> None:
    enforce(service)
    assert company.employee(leaver_id)["first_name"] == "Zephyrine"
    client = due(company)
    assert not client.is_enforced
    assert [(records.kind, records.records, str(records.oldest)) for records in client.due] == [
        ("former_employees", 1, "2018-12-31"),
        ("medical_certificates", 0, "None"),
    ]
    assert company.employee(leaver_id)["first_name"] == "Zephyrine"


def test_a_task_enforces_them(company: Company, leaver_id: int, service: Service) -> None:
    company.member.patch(f"/clients/{company.id}/retention", {"enabled": True})
    enforce(service)
    assert company.employee(leaver_id)["first_name"] == "Erased employee"
    assert due(company).due[0].records == 0
    names = {employee["first_name"] for employee in company.listed()}
    assert names == {"Erased employee", "Mei Ling"}
    [entry] = company.member.get(f"/clients/{company.id}/audit_log?action=erase").json()
    assert (entry["audit_entry"]["record_id"], entry["audit_entry"]["source"]) == (leaver_id, "worker")


def test_a_longer_period_is_respected(company: Company, leaver_id: int, service: Service) -> None:
    company.member.patch(f"/clients/{company.id}/retention", {"enabled": True, "years_after_leaving": 50})
    enforce(service)
    assert company.employee(leaver_id)["first_name"] == "Zephyrine"
    problem = assert_problem(company.member.post(f"/employees/{leaver_id}/erasure"), 409)
    assert "from 2069-01-01" in problem["message"]


def test_old_medical_certificates_are_deleted(company: Company, service: Service) -> None:
    employee_id = company.hire()
    types = {name: int(key) for key, name in company.member.get(f"/clients/{company.id}/leave_types").json().items()}
    day = {"date": "2024-05-14", "type_id": types["sick_leave"]}
    day_id = company.member.post(f"/employees/{employee_id}/leave_days", day).json()["id"]
    path, headers = f"/leave_days/{day_id}/medical_certificates", {"Content-Type": "application/pdf"}
    for _ in range(2):
        company.member.call("POST", path, content=b"%PDF-1.7\n%%EOF\n", headers=headers)
    listed = f"/employees/{employee_id}/medical_certificates"
    old = company.member.get(listed).json()[0]["medical_certificate"]["id"]
    service.as_owner("UPDATE medical_certificates SET created_at = '2020-01-01' WHERE id = $1", old)
    assert due(company).due[1].records == 1
    company.member.patch(f"/clients/{company.id}/retention", {"enabled": True})
    enforce(service)
    assert old not in {row["medical_certificate"]["id"] for row in company.member.get(listed).json()}
    assert len(company.member.get(listed).json()) == 1


def test_the_command_prints_what_is_due(company: Company, leaver_id: int, service: Service) -> None:
    result = gaji(service.settings, "retention", "--dry-run")
    assert result.returncode == 0, result.stderr
    line = next(line for line in result.stdout.splitlines() if f" {company.id} " in line and "former" in line)
    assert "2018-12-31" in line
    assert company.employee(leaver_id)["first_name"] == "Zephyrine"
