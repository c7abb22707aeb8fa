"""A company with a record for every page."""

import json
import time
from dataclasses import dataclass

from gaji.tabular import XLSX
from tests.payroll.payment_runs.runs import JANUARY, hired, opened, paid, payslips
from tests.support.company import Company
from tests.support.images import png
from tests.support.running import created

FEBRUARY = "2026-02-28"
IMPORT_TIMEOUT_S = 60
CHILD = {"name": "Wei Ming", "birthdate": "2024-05-15", "citizenship": "CITIZEN"}
HOLIDAY = {"category": "holiday", "provided_from": "2026-02-01", "provided_to": "2026-02-08", "amount": "900.00"}
SHARES = {
    "plan": "award",
    "company_name": "Merlion Holdings",
    "grant_date": "2026-02-02",
    "market_value": "10",
    "price": "5",
    "shares": "100",
}
NIGHT_SHIFT = {"name": "Night shift", "kind": "allowance", "input": "per_employee"}


PDF = {"Content-Type": "application/pdf"}
CERTIFICATE = b"%PDF-1.4\n% a certificate\n%%EOF\n"


@dataclass(frozen=True)
class SampleCompany:
    """A company and the IDs of its records, by path parameter."""

    company: Company
    ids: dict[str, int]
    uuid: str = ""
    """The UUID of a finished import."""
    batch: str = ""
    """The UUID of a finished step for several companies."""

    def path(self, pattern: str, **names: str) -> str:
        """Return a path with the IDs of these records."""
        values: dict[str, object] = {"step": "finalise", "decision": "approve", "report": "variance", "name": "x"}
        values |= {"uuid": self.uuid, "batch": self.batch, "valid_from": "2026-01-01"}
        return pattern.format(**{**values, **self.ids, **names})


def create_sample_company(company: Company) -> SampleCompany:
    """Create an employee with a finalised and an open payslip and a leave request, and a record of every other kind."""
    member = company.member
    employee_id = hired(company)
    paid(company, JANUARY)
    run_id = opened(company, FEBRUARY)
    type_id = int(next(iter(member.get(f"/clients/{company.id}/leave_types").json())))
    requested = {"dates": [{"date": "2026-02-10", "type_id": type_id}], "reason": "A wedding"}
    profile_id = created(member.post(f"/clients/{company.id}/profiles", {"name": "Drivers"}))
    ids = {
        "client_id": company.id,
        "employee_id": employee_id,
        "payment_run_id": run_id,
        "payslip_id": payslips(company, run_id)[0]["id"],
        "calculation_id": member.get(f"/employees/{employee_id}/calculations").json()[0]["id"],
        "wave_id": company.wave_id,
        "proposal_id": _propose_increment(company, employee_id),
        "pay_point_id": member.new_pay_point(company.id),
        "type_id": type_id,
        "benefit_id": created(member.post(f"/employees/{employee_id}/benefits_in_kind", HOLIDAY)),
        "share_gain_id": created(member.post(f"/employees/{employee_id}/share_gains", SHARES)),
        "adjustment_id": created(member.post(f"/employees/{employee_id}/leave_adjustments", _adjustment(type_id))),
        "leave_day_id": created(member.post(f"/employees/{employee_id}/leave_days", _leave_day(type_id))),
        "request_id": created(member.post(f"/employees/{employee_id}/leave_requests", requested)),
        "child_id": created(member.post(f"/employees/{employee_id}/children", CHILD)),
        "field_id": company.field(name="Locker", type="text"),
        "definition_id": created(member.post(f"/clients/{company.id}/calculation_definitions", NIGHT_SHIFT)),
        "profile_id": profile_id,
        "mapping_id": created(member.post(f"/employees/{employee_id}/profile_mappings", {"profile_id": profile_id})),
        "user_id": member.colleague(company.id, "payroll").user_id,
        "invitation_id": member.invitation(company.id),
        "selection_id": save_selection(company, "variance", "Monthly check", wave_id=[str(company.wave_id)]),
    }
    logo = member.call("PUT", f"/clients/{company.id}/logo", content=png(), headers={"Content-Type": "image/png"})
    assert logo.status_code == 200, logo.text
    ids["approval_id"] = _request_approval(company, employee_id)
    certificates = f"/leave_requests/{ids['request_id']}/medical_certificates"
    ids["medical_certificate_id"] = created(member.call("POST", certificates, content=CERTIFICATE, headers=PDF))
    return SampleCompany(company, ids | _add_webhook(company), _finish_import(company), _add_batch(company, run_id))


def save_selection(company: Company, report: str, name: str, **parameters: list[str]) -> int:
    """Save a selection of a report and return its ID."""
    [row] = company.member.service.as_owner(
        "INSERT INTO report_selections (client_id, report, name, parameters) VALUES ($1, $2, $3, $4) RETURNING id",
        company.id,
        report,
        name,
        json.dumps(parameters),
    )
    return int(row["id"])


def _request_approval(company: Company, employee_id: int) -> int:
    """Request a new bank account as a colleague. Nothing else needs approval."""
    colleague, run = company.member.colleague(company.id, "payroll"), company.member.service.as_owner
    run("UPDATE clients SET requires_approval = true WHERE id = $1", company.id)
    account = {"bank_id": 7171, "account_number": "0012345678", "branch_code": "001"}
    requested = colleague.patch(f"/employees/{employee_id}", {"employee": {"bank_account": account}})
    run("UPDATE clients SET requires_approval = false WHERE id = $1", company.id)
    return int(requested.json()["approval"]["id"])


def _add_webhook(company: Company) -> dict[str, int]:
    """Add a webhook with a test message. Its receiver has no address, and its events do not occur in tests."""
    body = {"url": "https://receiver.invalid/", "types": ["law.updated"]}
    endpoint_id = created(company.member.post(f"/clients/{company.id}/webhook_endpoints", body))
    delivery_id = created(company.member.post(f"/webhook_endpoints/{endpoint_id}/test"))
    return {"endpoint_id": endpoint_id, "delivery_id": delivery_id}


def _propose_increment(company: Company, employee_id: int) -> int:
    """Propose back pay for an increment that is then removed again, and return the ID of the proposal."""
    member, path = company.member, f"/employees/{employee_id}"
    body = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "4300.00"}, "valid_from": "2026-01-01"}
    assert member.post(f"{path}/calculations", body).status_code == 200
    proposal_id = created(member.post(f"{path}/retro_proposals", {"treatment": "decided_later"}))
    calculation_id = member.get(f"{path}/calculations").json()[0]["id"]
    assert member.delete(f"/calculations/{calculation_id}/changes/2026-01-01").status_code == 200
    return proposal_id


def _add_batch(company: Company, run_id: int) -> str:
    """Add a finished step for several companies, of which one is left, and return its UUID."""
    item, result = {"wave_id": company.wave_id, "period_end_date": FEBRUARY}, {"run_id": run_id, "payslips": 1}
    [row] = company.member.service.as_owner(
        "INSERT INTO run_steps (client_id, batch, step, items, state, results, user_id, finished_at) "
        "VALUES ($1, gen_random_uuid(), 'open', $2::text::jsonb, 'complete', $3::text::jsonb, $4, now()) "
        "RETURNING batch::text",
        company.id,
        json.dumps([item]),
        json.dumps([result]),
        company.member.user_id,
    )
    return str(row["batch"])


def _finish_import(company: Company) -> str:
    """Import a workbook, wait until it is finished and return its UUID."""
    member, path = company.member, f"/clients/{company.id}/employees"
    content, kind = member.get(f"{path}/export").content, {"Content-Type": XLSX}
    uuid: str = member.call("POST", f"{path}/import/async?dry_run=true", content=content, headers=kind).json()["uuid"]
    deadline = time.monotonic() + IMPORT_TIMEOUT_S
    while member.get(f"{path}/import/{uuid}").json()["state"] not in ("complete", "failed"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return uuid


def _adjustment(type_id: int) -> dict[str, object]:
    return {"type_id": type_id, "date": "2026-02-01", "days": 10, "reason": "Agreed"}


def _leave_day(type_id: int) -> dict[str, object]:
    return {"type_id": type_id, "date": "2026-02-13"}
