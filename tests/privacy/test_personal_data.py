"""Everything that is held about an employee: nothing is missing, nothing of others is in it, and who may have it."""

import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

import gaji.wiring  # noqa: F401 - provides the labels
from gaji.privacy.personal_data.pdf_context import pdf_context
from gaji.privacy.tables import FURTHER_SECTIONS, NOT_EXPORTED, PERSONAL_TABLES
from tests.console.console_user import signed_in_user
from tests.support.problems import assert_problem
from tests.support.running import WAIT_S, Member, Service
from tests.web.every_operation import MARK, tenant_with_records

NAMES = ("employee_id", "employee_ids", "payslip_id", "payslip_ids")
TABLES_ABOUT_EMPLOYEES = """
    SELECT c.relname AS name FROM pg_class c
    WHERE c.relnamespace = 'gaji'::regnamespace AND c.relkind = 'r'
      AND (EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = ANY ($1::text[]))
           OR EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f'
                      AND k.confrelid IN ('gaji.employees'::regclass, 'gaji.payslips'::regclass)))"""
AMOUNT_COLUMNS = """
    SELECT c.relname AS name, a.attname AS column FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'gaji'::regnamespace AND c.relname = ANY ($1::text[]) AND a.atttypid = 'bigint'::regtype
      AND a.attname NOT IN ('id', 'corrects', 'released_by', 'invited_by', 'erased_by', 'requested_by', 'decided_by')
      AND a.attname NOT LIKE '%\\_id'"""


@pytest.fixture(scope="module")
def account(service: Service) -> Member:
    """An account whose records no test of this module changes."""
    return service.new_account()


@pytest.fixture(scope="module")
def ids(account: Member) -> dict[str, int]:
    """The records of the account."""
    return tenant_with_records(account)


def exported(member: Member, employee_id: int) -> dict[str, Any]:
    answer = member.get(f"/employees/{employee_id}/personal_data")
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["personal_data"]
    return data


def test_every_table_about_employees_is_exported_or_has_a_reason(service: Service) -> None:
    tables = {row["name"] for row in service.as_owner(TABLES_ABOUT_EMPLOYEES, NAMES)}
    decided = {table.name for table in PERSONAL_TABLES} | set(NOT_EXPORTED) | set(FURTHER_SECTIONS)
    assert tables - decided == set(), "decide in privacy/tables.py whether a data subject gets these rows"
    assert set(NOT_EXPORTED) <= tables


def test_all_cents_are_known(service: Service) -> None:
    rows = service.as_owner(AMOUNT_COLUMNS, [table.name for table in PERSONAL_TABLES])
    amounts = {(table.name, column) for table in PERSONAL_TABLES for column in table.amounts}
    assert {(row["name"], row["column"]) for row in rows} == amounts


def test_it_has_the_records_of_the_employee(account: Member, ids: dict[str, int]) -> None:
    data = exported(account, ids["employee_id"])
    records = data["records"]
    [employee] = records["employees"]
    assert (employee["first_name"], employee["nric"], employee["id"]) == (MARK, "S1234567D", ids["employee_id"])
    assert not [name for name in employee if name.endswith(("_sealed", "_masked", "_lookup")) or name == "searched"]
    for section in ("children", "service_periods", "leave_days", "leave_requests", "leave_adjustments", "calculations"):
        assert records[section], section
        assert all(row.get("employee_id") in (ids["employee_id"], None) for row in records[section])
    assert records["take_on_balances"][0]["ordinary_wages"] == "0.00"
    assert records["leave_adjustments"][0]["days"] == "20"
    assert [row["id"] for row in records["medical_certificates"]] == [ids["medical_certificate_id"]]
    changes = {entry["action"] for entry in records["audit_log"]}
    assert {"employees.insert", "employees.update", "children.insert", "leave_requests.update"} <= changes
    assert data["left_out"] == []


def test_it_has_payslips_snapshots_and_filings(account: Member, ids: dict[str, int]) -> None:
    records = exported(account, ids["corrected_employee_id"])["records"]
    finalised = next(row for row in records["payslips"] if row["id"] == ids["finalised_payslip_id"])
    assert finalised["gross"] == "800.00"
    assert ids["finalised_payslip_id"] in {row["payslip_id"] for row in records["payslip_snapshots"]}
    assert records["cpf_submissions"][0]["month"] == "2025-10-01"
    assert records["payment_releases"]
    assert records["retro_proposals"]


def test_a_key_that_hides_identifiers_gets_them_masked(account: Member, ids: dict[str, int]) -> None:
    answer = account.with_another_key(hide_identifiers=True).get(f"/employees/{ids['employee_id']}/personal_data")
    assert answer.json()["personal_data"]["records"]["employees"][0]["nric"] == "*****567D"
    assert answer.json()["personal_data"]["identifiers_masked"]
    assert "S1234567D" not in answer.text


def test_employees_get_what_is_released_to_them(account: Member, ids: dict[str, int]) -> None:
    employee_id = ids["corrected_employee_id"]
    employee = account.colleague(ids["client_id"], "employee", employee_id)
    data = exported(employee, employee_id)
    assert data["records"]["payslips"] == []
    assert "calculations" not in data["records"]
    assert {"calculations", "retro_proposals"} <= {entry["records"] for entry in data["left_out"]}
    assert not [entry for entry in data["records"]["audit_log"] if entry["action"].startswith("calculations.")]
    assert [user["email"] for user in data["records"]["users"]] == [employee.email]
    assert_problem(employee.get(f"/employees/{ids['employee_id']}/personal_data"), 404)


def test_viewers_may_not(account: Member, ids: dict[str, int]) -> None:
    viewer = account.colleague(ids["client_id"], "viewer")
    assert_problem(viewer.get(f"/employees/{ids['employee_id']}/personal_data"), 403)


def test_it_is_a_pdf_and_an_access_event(account: Member, ids: dict[str, int]) -> None:
    path = f"/employees/{ids['employee_id']}/personal_data.pdf"
    answer = account.get(path)
    assert answer.content.startswith(b"%PDF-")
    assert answer.headers["content-disposition"] == f'attachment; filename="personal-data-{ids["employee_id"]}.pdf"'
    colleague = account.colleague(ids["client_id"], "payroll")
    colleague.get(path)
    deadline = time.monotonic() + WAIT_S
    while colleague.user_id not in {event["user_id"] for event in reads_of(account, ids["employee_id"])}:
        assert time.monotonic() < deadline  # Events are recorded after the response was sent.
        time.sleep(0.02)


def reads_of(member: Member, employee_id: int) -> list[dict[str, Any]]:
    """Return the access events of an employee, which do not say where those who read the record were."""
    events: list[dict[str, Any]] = exported(member, employee_id)["records"]["access_events"]
    assert all("address" not in event for event in events)
    return events


def test_the_console_offers_it_to_officers_and_employees(account: Member, ids: dict[str, int]) -> None:
    officer = signed_in_user(account.colleague(ids["client_id"], "payroll"))
    path = f"/employees/{ids['employee_id']}"
    assert f'href="{path}/personal_data.pdf"' in officer.get(path).text
    assert officer.get(f"{path}/personal_data.json").json()["personal_data"]["employee_id"] == ids["employee_id"]
    assert officer.get(f"{path}/personal_data.pdf").content.startswith(b"%PDF-")
    viewer = signed_in_user(account.colleague(ids["client_id"], "viewer"))
    assert "personal_data" not in viewer.get(path).text
    employee = signed_in_user(account.colleague(ids["client_id"], "employee", ids["employee_id"]))
    own = f"/own/{ids['employee_id']}"
    assert f'href="{own}/personal_data.json"' in employee.get(f"{own}/details").text
    assert employee.get(f"{own}/personal_data.json").json()["personal_data"]["employee_id"] == ids["employee_id"]
    assert employee.get(f"/own/{ids['left_employee_id']}/personal_data.json").status_code == 404


def read_pdf(member: Member, employee_id: int, file: Path) -> str:
    """Return the text of the PDF."""
    file.write_bytes(member.get(f"/employees/{employee_id}/personal_data.pdf").content)
    printed = subprocess.run(["pdftotext", "-layout", file, "-"], check=True, capture_output=True, text=True).stdout
    return " ".join(printed.replace("\u200b", "").split())


def test_the_pdf_says_who_read_the_record(account: Member, ids: dict[str, int], tmp_path: Path) -> None:
    employee_id = ids["employee_id"]
    colleague = account.colleague(ids["client_id"], "payroll")
    account.service.as_owner("UPDATE users SET name = 'Rahim Reader' WHERE id = $1", colleague.user_id)
    colleague.get(f"/employees/{employee_id}/personal_data")
    deadline = time.monotonic() + WAIT_S
    while colleague.user_id not in {event["user_id"] for event in reads_of(account, employee_id)}:
        assert time.monotonic() < deadline  # Events are recorded after the response was sent.
        time.sleep(0.02)
    assert "Rahim Reader" in read_pdf(account, employee_id, tmp_path / "officer.pdf")
    employee = account.colleague(ids["client_id"], "employee", employee_id)
    own_text = read_pdf(employee, employee_id, tmp_path / "employee.pdf")
    assert f", user {colleague.user_id}" in own_text
    assert "Rahim Reader" not in own_text
    assert f"14 May 2026 {MARK} 1" in own_text  # the name of the leave type


def test_the_pdf_has_the_wages_and_contributions_of_cpf_submissions(
    account: Member, ids: dict[str, int], tmp_path: Path
) -> None:
    employee_id = ids["corrected_employee_id"]
    [_, _, ordinary, _, amounts] = exported(account, employee_id)["records"]["cpf_submissions"][0]["member"]
    text = read_pdf(account, employee_id, tmp_path / "personal_data.pdf")
    assert re.search(rf"(?<!\d )Oct 2025 \${ordinary / 100:,.2f}", text), text
    assert f"CPF: ${amounts['01'] / 100:,.2f}" in text


def sections_of(employee: dict[str, Any] | None = None, **records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the data of the PDF for these attributes of the employee and these records."""
    data = {
        "client": {"name": "Kopi"},
        "exported_at": "2026-11-18T05:58:55+00:00",
        "identifiers_masked": False,
        "records": {"employees": [{"id": 1, "external_id": "HR-4711", "wave_id": 2} | (employee or {})], **records},
        "left_out": [],
    }
    return pdf_context(data, "Mei Ling", {})


def test_the_pdf_has_the_external_id() -> None:
    assert [fact["value"] for fact in sections_of()["facts"]] == ["HR-4711"]


def test_the_pdf_has_cpf_rates_as_pr_of_permanent_residents_only() -> None:
    names = {
        (status, pr_date): [
            fact["name"]
            for fact in sections_of({"legal_status": status, "pr_date": pr_date, "pr_cpf_rates": "GG"})["facts"]
        ]
        for status, pr_date in (("CITIZEN", None), ("CITIZEN", "2019-04-01"), ("PR", "2026-01-01"))
    }
    caption = "CPF rates as PR"
    assert caption not in names["CITIZEN", None]
    assert caption in names["CITIZEN", "2019-04-01"]
    assert caption in names["PR", "2026-01-01"]


def test_the_pdf_has_no_table_of_working_hours_that_were_never_changed() -> None:
    hours = {"short_name": "week_hours", "inputs_history": {}}
    assert sections_of(inherited_calculations=[hours])["sections"] == []
    changed = hours | {"inputs_history": {"": {"works_sat": "true"}}}
    [section] = sections_of(inherited_calculations=[changed])["sections"]
    assert section["title"] == "Working hours"


def test_the_pdf_has_the_amounts_of_tax_certificates() -> None:
    content = {"figures": {"amounts": {"a": 6000050, "cpf": 1200000}}}
    [section] = sections_of(tax_certificates=[{"year": 2026, "content": content}])["sections"]
    [[year, income]] = section["rows"]
    assert year == "2026"
    assert income.startswith("a Gross salary, fees, leave pay, wages and overtime pay: $60,000.50; ")
    assert income.endswith(": $12,000.00")


def test_changes_have_no_cents_and_no_internal_columns() -> None:
    difference = {"items": {"basic_salary": {"paid": 12345, "due": 23456, "accepted": 11111, "claimed": 0}}}
    after = {"reason": "Late", "differences": [difference], "version": 7, "fingerprint": "abc", "day_millihours": 88}
    entry = {"action": "retro_proposals.insert", "before": None, "after": after}
    [section] = sections_of(audit_log=[entry])["sections"]
    assert section["rows"] == [["Proposed corrections: added", "Reason: Late"]]


def test_the_pdf_is_readable_without_codes_or_json(service: Service, tmp_path: Path) -> None:
    account = service.new_account()
    ids = tenant_with_records(account)
    employee_id = ids["employee_id"]
    kinds = account.get(f"/clients/{ids['client_id']}/leave_types").json()
    [annual] = [int(type_id) for type_id, name in kinds.items() if name == "annual_leave"]
    dates = [{"date": "2027-05-03", "type_id": annual}, {"date": "2027-05-04", "type_id": annual, "hours": 4}]
    answer = account.post(f"/employees/{employee_id}/leave_requests", {"dates": dates, "reason": "A wedding"})
    assert answer.status_code == 200, answer.text
    email = f"{'a' * 60}@{'b' * 50}.example"
    assert account.patch(f"/employees/{employee_id}", {"email": email}).status_code == 200
    file = tmp_path / "personal_data.pdf"
    text = read_pdf(account, employee_id, file)
    assert "3 May 2027, Annual leave; 4 May 2027, Annual leave, 4 hours" in text
    assert "Pending" in text
    assert "Leave requests: added" in text
    assert not re.search(r'[{}\[\]"]|\d{4}-\d\d-\d\d|_id\b|_date\b|\bnull\b|employees\.update', text), text
    boxes = subprocess.run(["pdftotext", "-bbox", file, "-"], check=True, capture_output=True, text=True).stdout
    [width] = set(re.findall(r'<page width="([\d.]+)"', boxes))
    assert all(float(right) <= float(width) for right in re.findall(r'xMax="([\d.]+)"', boxes))
