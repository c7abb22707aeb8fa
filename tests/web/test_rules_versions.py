"""X-Rules-Version: on every response with amounts that were computed by a rule, and declared by its operation."""

from datetime import date
from typing import Any
from urllib.parse import quote

import pytest

from gaji.app import OPERATIONS
from gaji.core import clock
from gaji.core.law_loader import current_law
from gaji.law.months import Month
from gaji.web.operations import Operation
from tests.documents.test_payslip_bundle import start, wait_until_done
from tests.documents.withholding_tax.test_withholding_tax import DIRECTOR, FEE
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, done, hired, opened, paid, payslips
from tests.payroll.payslips.slips import draft, enter
from tests.payroll.retro_proposals.proposals import path as retro_proposals
from tests.payroll.retro_proposals.proposals import propose
from tests.payroll.retro_proposals.test_decided_later import raised
from tests.payroll.snapshots.paid_company import CLIENT, GIRO
from tests.reports.report_client import start_report, wait_for_report
from tests.support.case_tables import for_every
from tests.support.company import Company, of_status
from tests.support.mirrors import BEGINNING
from tests.support.running import Member, Service, created
from tests.web.every_operation import BENEFIT, READS, SHARE_GAIN, TenantRecords, path, sent, title

HEADER = "X-Rules-Version"
DECLARED = [operation for operation in OPERATIONS if operation.has_rules_version]
UNDECLARED_READS = [operation for operation in READS if not operation.has_rules_version]
OF_PAYSLIPS = (
    "GET /clients/{client_id}/payment_runs",
    "GET /payment_runs/{payment_run_id}",
    "GET /employees/{employee_id}/calculations",
    "GET /payslips/{payslip_id}/calculations",
    "GET /calculations/{calculation_id}",
    "GET /clients/{client_id}/calculations/external/{external_id}",
    "GET /payment_runs/{payment_run_id}/accounting",
    "GET /payment_runs/{payment_run_id}/accounting/files",
    "GET /payment_runs/{payment_run_id}/accounting/files/{name}",
    "GET /employees/{employee_id}/withheld_payments",
    "GET /payment_runs/{payment_run_id}/files",
    "GET /payment_runs/{payment_run_id}/files/{name}",
    "GET /clients/{client_id}/deadlines",
    "GET /clients/{client_id}/tax_certificates/files/{name}",
    "GET /clients/{client_id}/withholding_tax",
)
"""Operations whose amounts are those of payslips."""
JANUARY_DAYS = {"start_date": "2026-01-01", "end_date": "2026-01-31"}
QUERIES = {
    "GET /clients/{client_id}/employees": "?include=recent_payslips",
    "GET /clients/{client_id}/deadlines": "?until=2099-12-31",
}
"""The query with which an operation returns computed amounts, if it is not the one of its row."""
OLD = "000000000000"
"""A rules version that no payslip is calculated with. It sorts before others."""


@pytest.fixture(scope="module")
def records(service: Service) -> TenantRecords:
    """A company whose January is paid: records for which every declared operation returns computed amounts."""
    company = Company.of(service.new_account(), **CLIENT)
    member, client = company.member, f"/clients/{company.id}"
    mei = hired(company, **GIRO)
    director = hired(company, "3000.00", **DIRECTOR, tax_resident=False, days_in_singapore={"2026": 100})
    enter(company, f"payslips/{draft(company, director)}", "directors_fee", **FEE)
    leaver, underpaid = hired(company, "3100.00", payment_method="cash"), hired(company, "2000.00")
    leaving = {"termination_date": "2026-06-30", "termination_code": 1, "ir21": True, "notice_date": "2026-01-05"}
    member.post(f"/employees/{leaver}/service_periods/end_service", {"employee_action": leaving})
    enter(company, f"employees/{mei}", "loan", balance="900.00", instalment="100.00")
    allowance = {"calc_type": "transport_allowance", "calculation_details": {"amount": "99.00"}, "external_id": "HR-1"}
    calculation_id = created(member.post(f"/employees/{mei}/calculations", allowance))
    for collection, record in (("benefits_in_kind", BENEFIT), ("share_gains", SHARE_GAIN)):
        member.post(f"/employees/{mei}/{collection}", record)
    run_id = paid(company)
    payslip_ids = {payslip["employee_id"]: payslip["id"] for payslip in payslips(company, run_id)}
    member.post(f"/payslips/{payslip_ids[leaver]}/release_payment")
    raised(company, underpaid, "2500.00", JANUARY_DAYS["start_date"])
    uuid, bundle_uuid = start_report(company, "transaction_history", **JANUARY_DAYS), start(company, run_id)
    assert wait_for_report(company, uuid).status_code == 200
    assert wait_until_done(company, run_id, bundle_uuid)["state"] == "complete"
    ids = {
        "client_id": company.id,
        "client_with_tax_due_id": _client_with_tax_due(company.member),
        "wave_id": company.wave_id,
        "employee_id": mei,
        "left_employee_id": leaver,
        "underpaid_employee_id": underpaid,
        "payslip_id": payslip_ids[mei],
        "payment_run_id": run_id,
        "finalised_run_id": run_id,
        "calculation_id": calculation_id,
        "type_id": next(int(key) for key in member.get(f"{client}/leave_types").json()),
        "uuid": uuid,
        "bundle_uuid": bundle_uuid,
        "tax_certificate_id": _release_certificates(company)[mei],
    }
    return TenantRecords(member, ids)


def _client_with_tax_due(member: Member) -> int:
    """Create a client that withheld tax on a fee of this month, and return its ID."""
    company, month = Company.of(member), Month.from_date(clock.today())
    first_day = str(month.first_day)
    director = hired(company, **DIRECTOR | {"appointment_date": first_day, "tax_resident": False})
    enter(company, f"payslips/{draft(company, director)}", "directors_fee", amount="1000.00", approval_date=first_day)
    paid(company, str(month.last_day))
    return company.id


def _release_certificates(company: Company) -> dict[int, int]:
    """Release the certificates of the year. Returns them by employee."""
    where = f"/clients/{company.id}/tax_certificates"
    company.member.post(where, {"year": 2026})
    assert company.member.post(f"{where}/release", {"year": 2026}).status_code == 200
    return {row["employee_id"]: row["id"] for row in company.member.get(where).json()}


def _computed_path(operation: Operation, ids: dict[str, Any]) -> str:
    """Return the path with which an operation returns computed amounts."""
    if operation.path.endswith("/withheld_payments"):
        ids = ids | {"employee_id": ids["left_employee_id"]}
    if operation.path.endswith("/retro_proposals"):
        ids = ids | {"employee_id": ids["underpaid_employee_id"]}
    if operation.path.endswith("/deadlines"):
        ids = ids | {"client_id": ids["client_with_tax_due_id"]}
    return path(operation, ids).replace("/filings/2025-10", "/filings/2026-01") + QUERIES.get(title(operation), "")


def test_operations_with_amounts_of_payslips_declare_the_header() -> None:
    assert set(OF_PAYSLIPS) - {title(operation) for operation in DECLARED} == set()


def _is_explained(schema: object) -> bool:
    """Whether an object in a schema has the steps of a calculation."""
    if isinstance(schema, dict):
        return "arithmetic" in schema.get("properties", {}) or any(map(_is_explained, schema.values()))
    return isinstance(schema, list) and any(map(_is_explained, schema))


def test_operations_that_explain_amounts_declare_the_header() -> None:
    explaining = {title(operation) for operation in OPERATIONS if _is_explained(operation.response_schema)}
    assert explaining
    assert explaining - {title(operation) for operation in DECLARED} == set()


@for_every("operation", DECLARED, title)
def test_a_response_with_computed_amounts_names_the_version(records: TenantRecords, operation: Operation) -> None:
    response = records.member.call(
        operation.method, _computed_path(operation, records.ids), **sent(operation, records.ids)
    )
    assert response.status_code == 200, response.text
    assert response.headers.get(HEADER), f"{HEADER} is missing: {response.text[:200]}"


@for_every("operation", UNDECLARED_READS, title)
def test_an_operation_that_names_the_version_declares_it(tenant: TenantRecords, operation: Operation) -> None:
    assert HEADER not in tenant.member.get(path(operation, tenant.ids)).headers


def _versions(company: Company, where: str) -> str:
    response = company.member.get(where)
    assert response.status_code == 200, response.text
    return str(response.headers.get(HEADER, ""))


def _stored_versions(company: Company, run_id: int) -> list[str] | None:
    [row] = company.member.service.as_owner("SELECT rules_versions FROM payment_runs WHERE id = $1", run_id)
    versions: list[str] | None = row["rules_versions"]
    return versions


def _set_versions(company: Company, run_id: int, *versions: str) -> None:
    run = "UPDATE payment_runs SET rules_versions = $2 WHERE id = $1"
    company.member.service.as_owner(run, run_id, list(versions))


def test_a_list_of_runs_names_the_versions_of_its_elements(company: Company) -> None:
    hired(company)
    january, february = paid(company), opened(company, FEBRUARY)
    [current] = _stored_versions(company, january) or []
    _set_versions(company, january, OLD, "ffffffffffff")
    runs = f"/clients/{company.id}/payment_runs"
    assert _versions(company, runs) == ", ".join(sorted([OLD, current, "ffffffffffff"]))
    assert _versions(company, f"{runs}?finalised=true") == f"{OLD}, ffffffffffff"
    assert _versions(company, f"{runs}?per_page=1") == current
    assert _versions(company, f"/payment_runs/{january}") == f"{OLD}, ffffffffffff"
    assert _versions(company, f"/payment_runs/{february}") == current


def test_a_list_of_changed_runs_names_the_versions_of_its_elements(company: Company) -> None:
    hired(company)
    january = paid(company)
    [current] = _stored_versions(company, january) or []
    runs = f"/clients/{company.id}/payment_runs?updated_since="
    cursor = company.member.get(runs + quote(BEGINNING)).headers["X-Next-Cursor"]
    assert _versions(company, runs + cursor) == ""
    _set_versions(company, january, OLD)
    assert _versions(company, runs + cursor) == OLD
    opened(company, FEBRUARY)
    assert _versions(company, runs + cursor) == f"{OLD}, {current}"


def test_a_run_without_calculated_payslips_names_no_version(company: Company) -> None:
    employee_id = hired(company)
    run_id = opened(company)
    assert _versions(company, f"/payment_runs/{run_id}")
    company.member.service.as_owner("UPDATE payslips SET dirty = true WHERE employee_id = $1", employee_id)
    for where in (f"/payment_runs/{run_id}", f"/clients/{company.id}/payment_runs"):
        assert _versions(company, where) == ""


def test_a_finalised_run_stores_the_versions_of_its_payslips(company: Company) -> None:
    old, _ = hired(company), hired(company)
    run_id = opened(company)
    current = _versions(company, f"/payment_runs/{run_id}")
    assert _stored_versions(company, run_id) is None
    company.member.service.as_owner("UPDATE payslips SET rules_version = $2 WHERE employee_id = $1", old, OLD)
    assert _versions(company, f"/payment_runs/{run_id}") == f"{OLD}, {current}"
    done(company, run_id, "finalise")
    assert _stored_versions(company, run_id) == [OLD, current]
    for where in ("", "/files", "/files/payment_list.csv", "/accounting/files"):
        assert _versions(company, f"/payment_runs/{run_id}{where}") == f"{OLD}, {current}"
    done(company, run_id, "unfinalise")
    assert _stored_versions(company, run_id) is None


def test_versions_are_also_stored_when_an_older_server_finalises_a_run(company: Company) -> None:
    hired(company)
    run_id, as_owner = opened(company), company.member.service.as_owner
    current = _versions(company, f"/payment_runs/{run_id}")
    for _ in range(2):
        as_owner("UPDATE payslips SET finalised = true, finalised_at = now() WHERE payment_run_id = $1", run_id)
        as_owner(
            "UPDATE payment_runs SET finalised = true, finalised_at = now(), payslip_count = 1, total = 0 "
            "WHERE id = $1",
            run_id,
        )
        assert _stored_versions(company, run_id) == [current]
        as_owner(
            "UPDATE payment_runs SET finalised = false, finalised_at = NULL, payslip_count = NULL, total = NULL "
            "WHERE id = $1",
            run_id,
        )
        assert _stored_versions(company, run_id) is None


def test_calculations_name_the_version_of_the_payslip_whose_outputs_they_show(company: Company) -> None:
    employee_id = hired(company)
    january = draft(company, employee_id)
    paid(company)
    company.member.service.as_owner("UPDATE payslips SET rules_version = $2 WHERE id = $1", january, OLD)
    current = _versions(company, f"/payslips/{draft(company, employee_id)}")
    assert _versions(company, f"/payslips/{january}/calculations") == OLD
    assert _versions(company, f"/employees/{employee_id}/calculations") == current != OLD
    [salary] = [row for row in company.member.get(f"/employees/{employee_id}/calculations").json() if row["id"]]
    assert _versions(company, f"/calculations/{salary['id']}") == current


def test_calculations_without_outputs_name_no_version(company: Company) -> None:
    employee_id = hired(company)
    bonus = {"calc_type": "bonus", "calculation_details": {"amount": "5.00"}}
    calculation_id = created(company.member.post(f"/clients/{company.id}/calculations", bonus))
    assert _versions(company, f"/calculations/{calculation_id}") == ""
    company.member.service.as_owner("UPDATE payslips SET lines = '{}' WHERE employee_id = $1", employee_id)
    assert _versions(company, f"/employees/{employee_id}/calculations") == ""


def test_deadlines_name_the_versions_of_the_runs_with_a_levy(company: Company) -> None:
    month = Month.from_date(clock.today())
    last_day = str(month.last_day)
    other = company.wave(frequency="monthly", last_day_of_month=31, first_end_date=last_day)
    hired(company, appointment_date=str(month.first_day), wave_id=other)
    since = {"appointment_date": str(month.first_day), "pass_from": str(month.first_day)}
    worker = hired(company, **of_status("FOREIGNER_WP", **since))
    enter(company, f"employees/{worker}", "foreign_worker_levy", amount="450.00")
    _set_versions(company, paid(company, last_day), OLD)
    _set_versions(company, paid(company, last_day, wave_id=other), "ffffffffffff")
    assert _versions(company, f"/clients/{company.id}/deadlines?until=2099-12-31") == OLD


def test_saved_retro_proposals_name_no_version(company: Company) -> None:
    employee_id = hired(company)
    paid(company)
    assert _versions(company, retro_proposals(employee_id)) == ""
    raised(company, employee_id, "5000.00", JANUARY_DAYS["start_date"])
    assert _versions(company, retro_proposals(employee_id)) == current_law().rules_version
    propose(company, employee_id, treatment="decided_later")
    assert _versions(company, retro_proposals(employee_id)) == ""


def test_tracked_balances_name_the_versions_of_their_instalments(company: Company) -> None:
    employee_id = hired(company)
    enter(company, f"employees/{employee_id}", "loan", balance="900.00", instalment="100.00")
    report = f"/clients/{company.id}/reports/tracked_balances?date=2026-02-28"
    assert _versions(company, report) == ""
    for end, version in ((JANUARY, OLD), (FEBRUARY, "ffffffffffff")):
        paid(company, end)
        set_version = "UPDATE payslips SET rules_version = $2 WHERE employee_id = $1 AND date = $3"
        company.member.service.as_owner(set_version, employee_id, version, date.fromisoformat(end))
    assert _versions(company, report) == f"{OLD}, ffffffffffff"
    assert company.member.get(report).json()[0]["Loans"] == 700
