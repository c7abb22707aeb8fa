"""A table of all operations: how each is called, and what another tenant gets.

tests/web/test_tenancy.py fails if an operation is missing here.
"""

import io
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import httpx
from xlsxwriter import Workbook

from gaji.app import OPERATIONS
from gaji.core.vault import SealedCell
from gaji.web.operations import Operation
from tests.approvals.second_person import require_approval
from tests.payroll.payment_runs.runs import hired, paid
from tests.support.company import Company
from tests.support.images import png
from tests.support.running import Member, Service, created


class Foreign(Enum):
    """The response to a caller of another account."""

    NOT_FOUND = "the record does not exist for this caller"
    OWN = "the same operation on the caller's own records"
    SHARED = "the same response for everybody"


@dataclass(frozen=True)
class Row:
    """How an operation is called."""

    foreign: Foreign = Foreign.NOT_FOUND
    body: Any = None
    """Identifiers are placeholders as in a path: "{wave_id}"."""
    words: Mapping[str, str] = field(default_factory=dict)
    query: str = ""
    instead: Mapping[str, str] = field(default_factory=dict)
    """For an identifier in the path, the key in `tenant_with_records` to use instead."""
    file: Callable[[Any], bytes] | None = None
    """Builds the file to send from the body."""


def workbook(rows: list[dict[str, Any]]) -> bytes:
    """Return a workbook with these employees."""
    file = io.BytesIO()
    with Workbook(file) as book:
        sheet = book.add_worksheet("Employees")
        for number, row in enumerate([list(rows[0]), *(list(employee.values()) for employee in rows)]):
            sheet.write_row(number, 0, row)
    return file.getvalue()


MARK = "Belongs to the first tenant"
"""A text in every record of `tenant_with_records`."""
CERTIFICATE = f"%PDF-1.4\n% {MARK}\n%%EOF\n".encode()
PDF = {"Content-Type": "application/pdf"}
BENEFIT = {"category": "holiday", "provided_from": "2026-05-12", "provided_to": "2026-05-14", "amount": "100.00"}
SHARE_GAIN = {
    "plan": "award",
    "company_name": "Added",
    "grant_date": "2026-05-12",
    "market_value": "10",
    "price": "5",
    "shares": "100",
}
EMPLOYEE = {
    "wave_id": "{wave_id}",
    "first_name": "Mei Ling",
    "last_name": "Tan",
    "payment_method": "cash",
    "birthdate": "1990-04-12",
    "appointment_date": "2024-02-01",
    "legal_status": "CITIZEN",
    "nric": "S9012345I",
    "gender": "F",
    "race": "CHINESE",
    "religion": "NONE",
    "sdl_exempt": False,
    "cpf_exempt": False,
}
END_OF_SERVICE = {"employee_action": {"termination_date": "2026-03-31", "termination_code": 1, "ir21": True}}
BONUS = {"calc_type": "bonus", "calculation_details": {"amount": "500.00"}}
CASUAL = {"calc_type": "week_hours", "calculation_details": {"schedule": "casual"}}
OF_A_YEAR = {"start_date": "2026-01-01", "end_date": "2026-12-31"}
UNUSED_WAVE = {"wave_id": "unused_wave_id"}
WHO_LEFT = {"employee_id": "left_employee_id"}
RETRO = "/employees/{employee_id}/retro_proposals"
CORRECTED = {"employee_id": "corrected_employee_id"}
FINALISED = {"payment_run_id": "finalised_run_id"}
PAID = {"payment_run_id": "paid_run_id"}
BUNDLE = {**FINALISED, "uuid": "bundle_uuid"}
SERVICE = "/employees/{employee_id}/service_periods"
WEBHOOK = {"url": "https://receiver.invalid/", "types": ["law.updated"]}
"""A receiver without an address, for events that do not occur in tests."""
EXTERNAL = "/clients/{client_id}/employees/external/{external_id}"
EXTERNAL_CALCULATION = "/clients/{client_id}/calculations/external/{external_id}"
WITH_EXTERNAL_ID = {"external_id": "HR-1"}


TABLE: Mapping[str, Row] = {
    "GET /me": Row(Foreign.OWN),
    "GET /clients": Row(Foreign.OWN),
    "POST /clients": Row(Foreign.OWN, {"name": "Another company"}),
    "GET /clients/{client_id}": Row(),
    "PATCH /clients/{client_id}": Row(body={"name": "Changed"}),
    "GET /clients/{client_id}/logo": Row(),
    "PUT /clients/{client_id}/logo": Row(file=lambda _: png()),
    "DELETE /clients/{client_id}/logo": Row(),
    "GET /clients/{client_id}/approvals": Row(),
    "GET /approvals/{approval_id}": Row(),
    "POST /approvals/{approval_id}/approve": Row(body={"reason": "Checked"}),
    "POST /approvals/{approval_id}/reject": Row(body={"reason": "Unknown"}),
    "POST /approvals/{approval_id}/cancel": Row(instead={"approval_id": "own_approval_id"}),
    "GET /clients/{client_id}/approval_settings": Row(),
    "PATCH /clients/{client_id}/approval_settings": Row(body={"required": False}),
    "GET /clients/{client_id}/audit_log": Row(),
    "GET /audit_log": Row(Foreign.OWN),
    "GET /access_events": Row(Foreign.OWN),
    "GET /clients/{client_id}/pay_points": Row(),
    "POST /clients/{client_id}/pay_points": Row(body={"name": "Added"}),
    "GET /pay_points/{pay_point_id}": Row(),
    "PATCH /pay_points/{pay_point_id}": Row(body={"name": "Changed"}),
    "DELETE /pay_points/{pay_point_id}": Row(),
    "GET /clients/{client_id}/waves": Row(),
    "POST /clients/{client_id}/waves": Row(body={"frequency": "weekly", "first_end_date": "2026-01-02"}),
    "GET /waves/{wave_id}": Row(),
    "PATCH /waves/{wave_id}": Row(body={"first_end_date": "2026-01-03"}, instead=UNUSED_WAVE),
    "DELETE /waves/{wave_id}": Row(instead=UNUSED_WAVE),
    "GET /clients/{client_id}/employees": Row(),
    "GET /employees/{employee_id}": Row(),
    "POST /clients/{client_id}/employees": Row(body={"employee": EMPLOYEE}),
    "PATCH /employees/{employee_id}": Row(body={"employee": {"first_name": "Changed"}}),
    "DELETE /employees/{employee_id}": Row(),
    f"GET {EXTERNAL}": Row(words=WITH_EXTERNAL_ID),
    f"PATCH {EXTERNAL}": Row(body={"employee": {"first_name": "Changed"}}, words=WITH_EXTERNAL_ID),
    f"DELETE {EXTERNAL}": Row(words=WITH_EXTERNAL_ID),
    "GET /employees/{employee_id}/personal_data": Row(),
    "GET /employees/{employee_id}/personal_data.pdf": Row(),
    "GET /employees/{employee_id}/erasure": Row(),
    "POST /employees/{employee_id}/erasure": Row(instead={"employee_id": "erasable_employee_id"}),
    "GET /clients/{client_id}/retention": Row(),
    "PATCH /clients/{client_id}/retention": Row(body={"tax_years": 7}),
    "GET /clients/{client_id}/employees/export": Row(),
    "GET /clients/{client_id}/take_on_balances/export": Row(),
    "POST /clients/{client_id}/employees/import": Row(body=[EMPLOYEE], file=workbook),
    "POST /clients/{client_id}/employees/import/async": Row(body=[EMPLOYEE], file=workbook),
    "GET /clients/{client_id}/employees/import/{uuid}": Row(instead={"uuid": "import_uuid"}),
    f"GET {SERVICE}": Row(),
    f"POST {SERVICE}/end_service": Row(body=END_OF_SERVICE),
    f"POST {SERVICE}/reinstate": Row(body={"employee_action": {"appointment_date": "2026-05-01"}}, instead=WHO_LEFT),
    f"DELETE {SERVICE}/undo_end_service": Row(instead=WHO_LEFT),
    "GET /clients/{client_id}/custom_employee_fields": Row(),
    "POST /clients/{client_id}/custom_employee_fields": Row(body={"name": "Shirt size", "type": "text"}),
    "PATCH /custom_employee_fields/{field_id}": Row(body={"name": "Changed"}),
    "DELETE /custom_employee_fields/{field_id}": Row(instead={"field_id": "unused_field_id"}),
    "GET /employees/{employee_id}/take_on_balances": Row(),
    "PUT /employees/{employee_id}/take_on_balances": Row(body={"year": 2026}),
    "GET /employees/{employee_id}/children": Row(),
    "POST /employees/{employee_id}/children": Row(
        body={"name": "Added", "birthdate": "2025-06-01", "citizenship": "CITIZEN"}
    ),
    "PATCH /children/{child_id}": Row(body={"name": "Changed"}),
    "DELETE /children/{child_id}": Row(),
    "GET /employees/{employee_id}/benefits_in_kind": Row(),
    "POST /employees/{employee_id}/benefits_in_kind": Row(body=BENEFIT),
    "PATCH /benefits_in_kind/{benefit_id}": Row(body={"amount": "90.00"}),
    "DELETE /benefits_in_kind/{benefit_id}": Row(),
    "GET /employees/{employee_id}/share_gains": Row(),
    "POST /employees/{employee_id}/share_gains": Row(body=SHARE_GAIN),
    "PATCH /share_gains/{share_gain_id}": Row(body={"shares": "90"}),
    "DELETE /share_gains/{share_gain_id}": Row(),
    "GET /clients/{client_id}/calculation_types": Row(),
    "GET /clients/{client_id}/items_and_outputs": Row(),
    "GET /clients/{client_id}/calculation_definitions": Row(),
    "POST /clients/{client_id}/calculation_definitions": Row(
        body={"name": "Added", "kind": "income", "input": "per_employee"}
    ),
    "PATCH /calculation_definitions/{definition_id}": Row(body={"name": "Changed"}),
    "DELETE /calculation_definitions/{definition_id}": Row(instead={"definition_id": "unused_definition_id"}),
    "GET /clients/{client_id}/calculations": Row(),
    "GET /employees/{employee_id}/calculations": Row(),
    "GET /employees/{employee_id}/calculation_history": Row(),
    "GET /profiles/{profile_id}/calculation_history": Row(),
    "GET /payslips/{payslip_id}/calculations": Row(),
    "GET /calculations/{calculation_id}": Row(),
    "POST /clients/{client_id}/calculations": Row(body=BONUS),
    "POST /employees/{employee_id}/calculations": Row(body=BONUS),
    "POST /payslips/{payslip_id}/calculations": Row(body=BONUS),
    "PATCH /calculations/{calculation_id}": Row(body={"calculation_details": {"amount": "7.00"}}),
    "DELETE /calculations/{calculation_id}": Row(),
    f"GET {EXTERNAL_CALCULATION}": Row(words=WITH_EXTERNAL_ID),
    f"PATCH {EXTERNAL_CALCULATION}": Row(body={"calculation_details": {"amount": "7.00"}}, words=WITH_EXTERNAL_ID),
    f"DELETE {EXTERNAL_CALCULATION}": Row(words=WITH_EXTERNAL_ID),
    "DELETE /calculations/{calculation_id}/changes/{valid_from}": Row(
        words={"valid_from": "2031-01-01"}, instead={"calculation_id": "dated_calculation_id"}
    ),
    "GET /employees/{employee_id}/inherited_calculations": Row(),
    "GET /inherited_calculations/{inherited_id}": Row(),
    "PATCH /employees/{employee_id}/inherited_calculations": Row(body=CASUAL),
    "GET /clients/{client_id}/profiles": Row(),
    "POST /clients/{client_id}/profiles": Row(body={"name": "Added"}),
    "PATCH /profiles/{profile_id}": Row(body={"name": "Changed"}),
    "DELETE /profiles/{profile_id}": Row(instead={"profile_id": "unused_profile_id"}),
    "GET /employees/{employee_id}/profile_mappings": Row(),
    "POST /employees/{employee_id}/profile_mappings": Row(body={"profile_id": "{unused_profile_id}"}),
    "PUT /profile_mappings/{mapping_id}": Row(body={"profile_id": "{profile_id}"}),
    "PATCH /profile_mappings/{mapping_id}": Row(body={"calculations": {"other_deduction": False}}),
    "DELETE /profile_mappings/{mapping_id}": Row(),
    "POST /clients/{client_id}/bulk_input": Row(
        body={"entities": [{"id": "{employee_id}", "attributes": {"first_name": "Changed"}}]}
    ),
    "POST /clients/{client_id}/employees/bulk": Row(body={"employees": [EMPLOYEE]}),
    "PATCH /clients/{client_id}/employees/bulk": Row(
        body={"employees": [{"id": "{employee_id}", "first_name": "Changed"}]}
    ),
    "GET /employees/{employee_id}/payslips": Row(),
    "GET /payslips/{payslip_id}": Row(),
    "GET /payslips/{payslip_id}/explanation": Row(),
    "POST /clients/{client_id}/payslip_preview": Row(
        body={"employee": {"birthdate": "1990-04-12", "legal_status": "CITIZEN"}, "period_end_date": "2026-01-31"}
    ),
    "GET /clients/{client_id}/payment_runs": Row(),
    "POST /clients/{client_id}/payment_runs": Row(body={"wave_id": "{wave_id}", "period_end_date": "2026-01-02"}),
    "GET /payment_runs/{payment_run_id}": Row(),
    "PATCH /payment_runs/{payment_run_id}": Row(body={"posted_to_accounting_system": False}),
    "DELETE /payment_runs/{payment_run_id}": Row(),
    "GET /payment_runs/{payment_run_id}/payslips": Row(),
    "POST /payment_runs/{payment_run_id}/calculate": Row(),
    "POST /payment_runs/{payment_run_id}/finalise": Row(),
    "POST /payment_runs/{payment_run_id}/unfinalise": Row(instead=FINALISED),
    "POST /payment_runs/{payment_run_id}/release": Row(instead=FINALISED),
    "POST /payment_runs/{payment_run_id}/mark_paid": Row(instead=FINALISED),
    "POST /payment_runs/{payment_run_id}/mark_not_paid": Row(instead=PAID),
    "GET /clients/{client_id}/accounts": Row(),
    "PUT /clients/{client_id}/accounts": Row(body=[{"account": {"item": "sdl", "category": "Changed"}}]),
    "GET /clients/{client_id}/accounting_splits": Row(),
    "PUT /clients/{client_id}/accounting_splits": Row(body={"mode": "pay_point"}),
    "GET /employees/{employee_id}/accounting_splits": Row(),
    "PUT /employees/{employee_id}/accounting_splits": Row(body={"{split_id}": 100}),
    "GET /payment_runs/{payment_run_id}/accounting": Row(),
    "GET /clients/{client_id}/account_mappings": Row(),
    "PUT /clients/{client_id}/account_mappings": Row(body=[{"account": "CPF payable", "code": "826"}]),
    "PATCH /clients/{client_id}/account_mappings": Row(body=[{"account": "CPF payable", "code": "827"}]),
    "GET /clients/{client_id}/accounting_export_settings": Row(),
    "PATCH /clients/{client_id}/accounting_export_settings": Row(body={"xero_tax_rate": "Exempt"}),
    "GET /payment_runs/{payment_run_id}/accounting/files": Row(instead=FINALISED),
    "GET /payment_runs/{payment_run_id}/accounting/files/{name}": Row(words={"name": "journal.csv"}, instead=FINALISED),
    "GET /payment_runs/{payment_run_id}/reissues": Row(instead=PAID),
    "POST /payment_runs/{payment_run_id}/reissues": Row(body={"payslip_ids": ["{paid_payslip_id}"]}, instead=PAID),
    f"GET {RETRO}": Row(),
    f"POST {RETRO}": Row(body={"treatment": "missed"}, instead=CORRECTED),
    f"POST {RETRO}/{{proposal_id}}/accept": Row(instead=CORRECTED),
    f"POST {RETRO}/{{proposal_id}}/decline": Row(instead=CORRECTED),
    f"DELETE {RETRO}/{{proposal_id}}": Row(instead=CORRECTED),
    "GET /employees/{employee_id}/withheld_payments": Row(),
    "POST /payslips/{payslip_id}/release_payment": Row(instead={"payslip_id": "finalised_payslip_id"}),
    "POST /payslips/{payslip_id}/withhold_payment": Row(instead={"payslip_id": "unwithheld_payslip_id"}),
    "GET /payslips/{payslip_id}/payment_releases": Row(instead={"payslip_id": "finalised_payslip_id"}),
    "GET /payment_runs/{payment_run_id}/files": Row(instead=FINALISED),
    "POST /payment_runs/{payment_run_id}/files/{name}/request_approval": Row(
        words={"name": "payment_list.csv"}, instead={"payment_run_id": "careful_run_id"}
    ),
    "GET /payment_runs/{payment_run_id}/files/{name}": Row(
        words={"name": "payment_list_released.csv"}, instead=FINALISED
    ),
    "GET /clients/{client_id}/filings/{month}": Row(words={"month": "2025-10"}),
    "GET /clients/{client_id}/filings/{month}/cpf": Row(words={"month": "2025-10"}),
    "DELETE /cpf_submissions/{submission_id}": Row(),
    "GET /clients/{client_id}/deadlines": Row(),
    "GET /clients/{client_id}/leave_types": Row(),
    "POST /clients/{client_id}/leave_types": Row(body={"name": "Added"}),
    "PATCH /leave_types/{type_id}": Row(body={"name": "Changed"}),
    "DELETE /leave_types/{type_id}": Row(instead={"type_id": "unused_type_id"}),
    "GET /leave_types/{type_id}/policy": Row(),
    "PUT /leave_types/{type_id}/policy": Row(body={"accrual": "none"}),
    "GET /employees/{employee_id}/leave_days": Row(),
    "POST /employees/{employee_id}/leave_days": Row(body={"date": "2026-05-12", "type_id": "{type_id}"}),
    "POST /employees/{employee_id}/leave_days/create_multiple": Row(
        body={"dates": [{"date": "2026-05-12", "type_id": "{type_id}"}]}
    ),
    "POST /employees/{employee_id}/leave_days/delete_multiple": Row(body={"ids": ["{leave_day_id}"]}),
    "PATCH /leave_days/{leave_day_id}": Row(body={"hours": 2}),
    "DELETE /leave_days/{leave_day_id}": Row(),
    "GET /employees/{employee_id}/leave_adjustments": Row(),
    "POST /employees/{employee_id}/leave_adjustments": Row(
        body={"date": "2026-05-12", "type_id": "{type_id}", "days": 2, "reason": "Added"}
    ),
    "PATCH /leave_adjustments/{adjustment_id}": Row(body={"days": 3}),
    "DELETE /leave_adjustments/{adjustment_id}": Row(),
    "GET /employees/{employee_id}/leave_requests": Row(),
    "POST /employees/{employee_id}/leave_requests": Row(
        body={"dates": [{"date": "2026-05-12", "type_id": "{type_id}"}]}
    ),
    "POST /employees/{employee_id}/leave_requests/preview": Row(
        body={"dates": [{"date": "2026-05-12", "type_id": "{type_id}"}]}
    ),
    "GET /leave_requests/{request_id}/clashes": Row(),
    "POST /leave_requests/{request_id}/approve": Row(body={"answer": "Enjoy it"}),
    "POST /leave_requests/{request_id}/decline": Row(body={"answer": "Stocktaking"}),
    "POST /leave_requests/{request_id}/cancel": Row(),
    "POST /leave_requests/{request_id}/withdraw": Row(instead={"request_id": "approved_request_id"}),
    "GET /employees/{employee_id}/medical_certificates": Row(),
    "POST /leave_requests/{request_id}/medical_certificates": Row(
        file=lambda _: CERTIFICATE, instead={"request_id": "approved_request_id"}
    ),
    "POST /leave_days/{leave_day_id}/medical_certificates": Row(file=lambda _: CERTIFICATE),
    "GET /medical_certificates/{medical_certificate_id}": Row(),
    "DELETE /medical_certificates/{medical_certificate_id}": Row(),
    "GET /employees/{employee_id}/leave_balances": Row(),
    "GET /employees/{employee_id}/leave_movements": Row(),
    "GET /employees/{employee_id}/statutory_leave": Row(),
    "GET /clients/{client_id}/reports": Row(),
    "POST /clients/{client_id}/reports/{report}": Row(body=OF_A_YEAR, words={"report": "transaction_history"}),
    "GET /clients/{client_id}/reports/{report}": Row(words={"report": "tracked_balances"}, query="?date=2026-03-31"),
    "POST /clients/{client_id}/reports/{report}/async": Row(body=OF_A_YEAR, words={"report": "transaction_history"}),
    "GET /clients/{client_id}/reports/poll/{uuid}": Row(),
    "GET /payslips/{payslip_id}.pdf": Row(),
    "GET /clients/{client_id}/payslip_template": Row(),
    "PUT /clients/{client_id}/payslip_template": Row(body={"template": "= Changed"}),
    "DELETE /clients/{client_id}/payslip_template": Row(),
    "GET /clients/{client_id}/payslip_options": Row(),
    "PATCH /clients/{client_id}/payslip_options": Row(body={"message": "Changed"}),
    "POST /payment_runs/{payment_run_id}/payslips/zip": Row(),
    "GET /payment_runs/{payment_run_id}/payslips/zip/{uuid}": Row(instead=BUNDLE),
    "GET /payment_runs/{payment_run_id}/payslips/zip/{uuid}.zip": Row(instead=BUNDLE),
    "POST /clients/{client_id}/tax_certificates": Row(body={"year": 2026}),
    "GET /clients/{client_id}/tax_certificates": Row(query="?year=2026"),
    "GET /employees/{employee_id}/tax_certificates": Row(),
    "GET /tax_certificates/{tax_certificate_id}": Row(),
    "GET /tax_certificates/{tax_certificate_id}/explanation": Row(),
    "POST /tax_certificates/{tax_certificate_id}/release": Row(),
    "POST /clients/{client_id}/tax_certificates/release": Row(body={"year": 2026}),
    "GET /clients/{client_id}/tax_certificates/check": Row(query="?year=2026"),
    "GET /clients/{client_id}/tax_certificates/sets": Row(query="?year=2026"),
    "GET /clients/{client_id}/tax_certificates/files": Row(query="?year=2026"),
    "GET /clients/{client_id}/tax_certificates/files/{name}": Row(words={"name": "ir8a_2026_1.json"}),
    "GET /clients/{client_id}/tax_certificates/forms.pdf": Row(query="?year=2026"),
    "GET /tax_certificates/{tax_certificate_id}/preview": Row(),
    "GET /employees/{employee_id}/ir21.pdf": Row(instead=WHO_LEFT),
    "GET /clients/{client_id}/withholding_tax": Row(),
    "GET /events": Row(Foreign.OWN),
    "GET /clients/{client_id}/events": Row(),
    "GET /webhook_endpoints": Row(Foreign.OWN),
    "POST /webhook_endpoints": Row(Foreign.OWN, WEBHOOK),
    "GET /clients/{client_id}/webhook_endpoints": Row(),
    "POST /clients/{client_id}/webhook_endpoints": Row(body=WEBHOOK),
    "GET /webhook_endpoints/{endpoint_id}": Row(),
    "PATCH /webhook_endpoints/{endpoint_id}": Row(body={"description": "Changed"}),
    "DELETE /webhook_endpoints/{endpoint_id}": Row(),
    "POST /webhook_endpoints/{endpoint_id}/rotate_secret": Row(),
    "POST /webhook_endpoints/{endpoint_id}/test": Row(),
    "POST /webhook_endpoints/{endpoint_id}/replay": Row(body={"after": 0}),
    "GET /webhook_endpoints/{endpoint_id}/deliveries": Row(),
    "POST /webhook_deliveries/{delivery_id}/replay": Row(),
    "GET /constants": Row(Foreign.SHARED),
    "GET /constants/{list_name}": Row(Foreign.SHARED, words={"list_name": "gender"}),
}


OTHER_RECORDS = {
    "POST /clients/{client_id}/payment_runs": {"period_end_date": "2026-01-02"},
    "POST /payment_runs/{payment_run_id}/reissues": {"payslip_ids": ["{paid_payslip_id}"]},
    "POST /employees/{employee_id}/retro_proposals": {"treatment": "missed", "payslip_ids": None, "amounts": None},
    "POST /employees/{employee_id}/profile_mappings": {"profile_id": "{unused_profile_id}"},
    "PUT /profile_mappings/{mapping_id}": {"calculations": {"other_deduction": False}},
    "PATCH /profile_mappings/{mapping_id}": {"calculations": {"other_deduction": False}},
    "POST /employees/{employee_id}/leave_days/delete_multiple": {"ids": ["{leave_day_id}"]},
    "PUT /employees/{employee_id}/take_on_balances": {"leave": {"{type_id}": "3.5"}},
    "POST /payslips/{payslip_id}/release_payment": {"amount": None},
    "PUT /clients/{client_id}/accounting_splits": {"mode": "pay_point", "splits": None},
}
"""Values that belong to records of which the tenant of the test has other ones."""


def title(operation: Operation) -> str:
    """Return the key of an operation in the table."""
    return f"{operation.method} {operation.path}"


@dataclass(frozen=True)
class TenantRecords:
    """An account with one record of every kind."""

    member: Member
    ids: dict[str, Any]


class Writer:
    """Sends writes to tenants with records. Creates another tenant for a write that earlier ones made impossible."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._tenants: list[TenantRecords] = []

    def write(self, send: Callable[[TenantRecords], httpx.Response]) -> httpx.Response:
        """Return the response of the first tenant for which the write works, or else that of a new one."""
        for tenant in self._tenants:
            response = send(tenant)
            if response.status_code == 200:
                return response
        member = self._service.new_account()
        ids = tenant_with_records(member) | _with_required_approval(member)
        self._tenants.append(TenantRecords(member, ids))
        return send(self._tenants[-1])


def tenant_with_records(member: Member) -> dict[str, Any]:
    """Create one record of every kind. Return the identifiers for paths."""
    client_id = member.new_client(
        name=MARK, uen="202699999E", cpf_submission_number="202699999EPTE01", features={"custom_wave_names": True}
    )
    pay_point_id = member.new_pay_point(client_id, name=MARK)
    member.patch(f"/clients/{client_id}/retention", {"tax_years": 6})
    member.invitation(client_id)
    waves = f"/clients/{client_id}/waves"
    wave = {"frequency": "weekly", "first_end_date": "2026-01-02", "custom_name": MARK}
    fields = f"/clients/{client_id}/custom_employee_fields"
    ids: dict[str, Any] = {
        "client_id": client_id,
        "pay_point_id": pay_point_id,
        "wave_id": created(member.post(waves, wave)),
        "unused_wave_id": created(member.post(waves, wave)),
        "field_id": created(member.post(fields, {"name": MARK, "type": "text"})),
        "unused_field_id": created(member.post(fields, {"name": f"{MARK} too", "type": "text"})),
    }
    marked = EMPLOYEE | {
        "wave_id": ids["wave_id"],
        "first_name": MARK,
        "last_name": MARK,
        "job_title": MARK,
        "physical_address": {"type": "F", "address_line1": MARK, "country_code": "MY"},
        "custom_fields": {str(ids["field_id"]): MARK},
    }
    for name, nric in (("employee_id", "S1234567D"), ("left_employee_id", "T5717279C")):
        ids[name] = created(member.post(f"/clients/{client_id}/employees", {"employee": marked | {"nric": nric}}))
    member.patch(f"/employees/{ids['employee_id']}", WITH_EXTERNAL_ID)
    member.post(f"/employees/{ids['left_employee_id']}/service_periods/end_service", END_OF_SERVICE)
    ids |= _with_erased_employee(member, client_id, marked)
    taken_on = {"year": 2026, "ir8a": {"a": "31000.00"}}
    member.call("PUT", f"/employees/{ids['employee_id']}/take_on_balances", json=taken_on)
    ids |= _with_calculations(member, ids)
    ids |= _with_accounting(member, ids) | _with_leave(member, ids)
    ids |= _with_payment_runs(member, ids, marked) | _with_paid_run(member, ids, marked)
    ids |= _with_unwithheld_pay(member, ids, marked)
    ids |= _with_submission(member, client_id) | _with_report(member, client_id)
    ids |= _with_payslip_bundle(member, ids) | _with_import(member, client_id)
    _add_queue_records(member, ids)
    _add_run_step(member, client_id)
    ids |= _with_webhook(member, client_id) | _with_approvals(member, ids)
    ids |= _with_tax_certificate(member, ids)
    return ids | {"careful_run_id": ids["finalised_run_id"]}


def _with_erased_employee(member: Member, client_id: int, employee: Mapping[str, Any]) -> dict[str, int]:
    """Create two employees who left long ago, and erase one of them. Finished reports and imports are deleted then."""
    new_ids = {}
    for name, nric in (("erased_employee_id", "T0000002C"), ("erasable_employee_id", "T0000011B")):
        person = {**employee, "nric": nric, "appointment_date": "2018-01-01", "custom_fields": {}}
        new_ids[name] = created(member.post(f"/clients/{client_id}/employees", {"employee": person}))
        left = {"termination_date": "2018-12-31", "termination_code": 1, "ir21": False}
        member.post(f"/employees/{new_ids[name]}/service_periods/end_service", {"employee_action": left})
    member.post(f"/employees/{new_ids['erased_employee_id']}/erasure")
    return new_ids


def _with_calculations(member: Member, ids: Mapping[str, int]) -> dict[str, int]:
    """Create custom items, and profiles and calculations of the employee."""
    client, employee = f"/clients/{ids['client_id']}", f"/employees/{ids['employee_id']}"
    item = {"kind": "income", "input": "per_employee"}
    described = {"calc_type": "other_deduction", "calculation_details": {"amount": "5.00", "description": MARK}}
    profile = {"name": MARK, "calculations": {"other_deduction": described["calculation_details"]}}
    new_ids = {
        "definition_id": created(member.post(f"{client}/calculation_definitions", item | {"name": MARK})),
        "unused_definition_id": created(
            member.post(f"{client}/calculation_definitions", item | {"name": f"{MARK} too"})
        ),
        "profile_id": created(member.post(f"{client}/profiles", profile)),
        "unused_profile_id": created(member.post(f"{client}/profiles", {"name": f"{MARK} too"})),
        "calculation_id": created(member.post(f"{employee}/calculations", described | WITH_EXTERNAL_ID)),
        "dated_calculation_id": created(
            member.post(f"{employee}/calculations", described | {"calc_type": "insurance", "valid_from": "2031-01-01"})
        ),
        "inherited_id": created(member.post(f"{employee}/calculations", CASUAL)),
        "payslip_id": member.get(f"{employee}/payslips").json()[0]["payslip"]["id"],
    }
    mapping = {"profile_id": new_ids["profile_id"]}
    new_ids["mapping_id"] = created(member.post(f"{employee}/profile_mappings", mapping))
    custom = {"calc_type": new_ids["definition_id"], "calculation_details": {"amount": 5}}
    member.post(f"{employee}/calculations", custom)
    return new_ids


def _with_accounting(member: Member, ids: Mapping[str, int]) -> dict[str, int]:
    """Create accounts, and a split that includes the employee."""
    client = f"/clients/{ids['client_id']}"
    member.call("PUT", f"{client}/accounts", json=[{"item": "sdl", "category": MARK}])
    splits = {"mode": "employee", "splits": [{"name": MARK}]}
    [split] = member.call("PUT", f"{client}/accounting_splits", json=splits).json()["splits"]
    member.call("PUT", f"/employees/{ids['employee_id']}/accounting_splits", json={split["id"]: 100})
    mapping = {"account": "CPF payable", "item": ids["definition_id"], "split_id": split["id"], "name": MARK}
    member.call("PUT", f"{client}/account_mappings", json=[mapping])
    member.call("PATCH", f"{client}/accounting_export_settings", json={"xero_tracking_category": MARK})
    return {"split_id": int(split["id"])}


def _with_leave(member: Member, ids: Mapping[str, int]) -> dict[str, int]:
    """Create a leave type with an adjustment, a leave day and a request of the employee, a child and tax records."""
    types, employee = f"/clients/{ids['client_id']}/leave_types", f"/employees/{ids['employee_id']}"
    type_id = created(member.post(types, {"name": MARK}))
    member.call("PUT", f"/leave_types/{type_id}/policy", json={"accrual": "none"})
    granted = {"type_id": type_id, "date": "2026-01-05", "days": 20, "reason": MARK}
    asked = {"dates": [{"date": "2026-05-13", "type_id": type_id}], "reason": MARK}
    adjustment_id = created(member.post(f"{employee}/leave_adjustments", granted))
    later = {"dates": [{"date": "2026-05-15", "type_id": type_id}], "reason": MARK}
    approved_request_id = created(member.post(f"{employee}/leave_requests", later))
    member.post(f"/leave_requests/{approved_request_id}/approve", {})
    child = {"name": MARK, "birthdate": "2025-06-01", "citizenship": "CITIZEN"}
    certificates = f"/leave_requests/{approved_request_id}/medical_certificates"
    return {
        "medical_certificate_id": created(member.call("POST", certificates, content=CERTIFICATE, headers=PDF)),
        "type_id": type_id,
        "unused_type_id": created(member.post(types, {"name": f"{MARK} too"})),
        "benefit_id": created(member.post(f"{employee}/benefits_in_kind", BENEFIT | {"description": MARK})),
        "share_gain_id": created(member.post(f"{employee}/share_gains", SHARE_GAIN | {"company_name": MARK})),
        "adjustment_id": adjustment_id,
        "leave_day_id": created(member.post(f"{employee}/leave_days", {"type_id": type_id, "date": "2026-05-14"})),
        "request_id": created(member.post(f"{employee}/leave_requests", asked)),
        "approved_request_id": approved_request_id,
        "child_id": created(member.post(f"{employee}/children", child)),
    }


def _with_payment_runs(member: Member, ids: Mapping[str, int], employee: Mapping[str, Any]) -> dict[str, int]:
    """Create a finalised and a reopened payment run, in a separate wave: employees with pay cannot be deleted."""
    client = f"/clients/{ids['client_id']}"
    wave_id = created(member.post(f"{client}/waves", {"frequency": "weekly", "first_end_date": "2025-10-31"}))
    paid = {**employee, "wave_id": wave_id, "nric": "T0000001E"}
    employee_id = created(member.post(f"{client}/employees", {"employee": paid}))
    salary = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "800.00"}}
    member.post(f"/employees/{employee_id}/calculations", salary)
    # The pay is withheld for tax clearance, so that there is something to release.
    leaving = {"termination_date": "2026-06-30", "termination_code": 1, "ir21": True, "notice_date": "2025-10-01"}
    member.post(f"/employees/{employee_id}/service_periods/end_service", {"employee_action": leaving})
    new_ids = {"finalised_payslip_id": member.get(f"/employees/{employee_id}/payslips").json()[0]["payslip"]["id"]}
    for name, end in (("finalised_run_id", "2025-10-31"), ("payment_run_id", "2025-11-07")):
        new_ids[name] = created(member.post(f"{client}/payment_runs", {"wave_id": wave_id, "period_end_date": end}))
        if name == "finalised_run_id":
            member.post(f"/payment_runs/{new_ids[name]}/finalise")
            member.post(f"/payslips/{new_ids['finalised_payslip_id']}/release_payment")
    for action in ("finalise", "unfinalise"):
        member.post(f"/payment_runs/{new_ids['payment_run_id']}/{action}")
    member.get(f"/payment_runs/{new_ids['finalised_run_id']}/files/payment_list_released.csv")
    new_ids["corrected_employee_id"] = employee_id
    member.patch(f"/employees/{employee_id}", {"employee": {"race": "INDIAN"}})
    new_ids["proposal_id"] = created(member.post(f"/employees/{employee_id}/retro_proposals", {"treatment": "missed"}))
    member.patch(f"/employees/{employee_id}", {"employee": {"race": "EURASIAN"}})
    return new_ids


def _with_paid_run(member: Member, ids: Mapping[str, int], employee: Mapping[str, Any]) -> dict[str, int]:
    """Create a payment run that is marked as paid, with a reissued payment, in a separate wave."""
    client, end = f"/clients/{ids['client_id']}", "2025-10-31"
    wave = {"frequency": "monthly", "first_end_date": end, "last_day_of_month": 31}
    wave_id = created(member.post(f"{client}/waves", wave))
    paid = {**employee, "wave_id": wave_id, "nric": "S8842217A"}
    employee_id = created(member.post(f"{client}/employees", {"employee": paid}))
    salary = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "2800.00"}}
    member.post(f"/employees/{employee_id}/calculations", salary)
    run_id = created(member.post(f"{client}/payment_runs", {"wave_id": wave_id, "period_end_date": end}))
    for action in ("finalise", "mark_paid"):
        member.post(f"/payment_runs/{run_id}/{action}")
    [payslip] = member.get(f"/payment_runs/{run_id}/payslips").json()
    payslip_id = payslip["payslip"]["id"]
    member.post(f"/payment_runs/{run_id}/reissues", {"payslip_ids": [payslip_id]})
    return {"paid_run_id": run_id, "paid_payslip_id": payslip_id}


def _with_unwithheld_pay(member: Member, ids: Mapping[str, int], employee: Mapping[str, Any]) -> dict[str, int]:
    """Create payment runs that do not withhold the pay of a leaver, in a separate wave: notice came afterwards.

    The pay of the first one was then withheld.
    """
    client, wave = f"/clients/{ids['client_id']}", {"frequency": "monthly", "last_day_of_month": 31}
    wave_id = created(member.post(f"{client}/waves", wave | {"first_end_date": "2025-10-31"}))
    paid = {**employee, "wave_id": wave_id, "nric": "S9912363Z"}
    employee_id = created(member.post(f"{client}/employees", {"employee": paid}))
    salary = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "2600.00"}}
    member.post(f"/employees/{employee_id}/calculations", salary)
    payslip_ids = []
    for end in ("2025-10-31", "2025-11-30"):
        run_id = created(member.post(f"{client}/payment_runs", {"wave_id": wave_id, "period_end_date": end}))
        member.post(f"/payment_runs/{run_id}/finalise")
        [payslip] = member.get(f"/payment_runs/{run_id}/payslips").json()
        payslip_ids.append(payslip["payslip"]["id"])
    leaving = {"termination_date": "2026-06-30", "termination_code": 1, "ir21": True, "notice_date": "2026-05-01"}
    member.post(f"/employees/{employee_id}/service_periods/end_service", {"employee_action": leaving})
    withheld_id, unwithheld_id = payslip_ids
    member.post(f"/payslips/{withheld_id}/withhold_payment")
    return {"unwithheld_payslip_id": unwithheld_id}


def _with_approvals(member: Member, ids: Mapping[str, int]) -> dict[str, int]:
    """Request a new bank account of the employee as a colleague, and one of the client. Then nothing needs approval."""
    client, run = f"/clients/{ids['client_id']}", member.service.as_owner
    account = {"bank_id": 7171, "account_number": "0012345678", "branch_code": "001"}
    colleague = member.colleague(ids["client_id"], "payroll")
    run("UPDATE clients SET requires_approval = true WHERE id = $1", ids["client_id"])
    requested = colleague.patch(f"/employees/{ids['employee_id']}", {"employee": {"bank_account": account}})
    own = member.patch(client, {"bank_account": {**account, "account_name": MARK}})
    run("UPDATE clients SET requires_approval = false WHERE id = $1", ids["client_id"])
    return {
        "approval_id": requested.json()["approval"]["id"],
        "own_approval_id": own.json()["approval"]["id"],
    }


def _with_submission(member: Member, client_id: int) -> dict[str, int]:
    """Download the CPF file of a month."""
    path = f"/clients/{client_id}/filings/2025-10"
    member.get(f"{path}/cpf")
    [filing] = member.get(path).json()
    return {"submission_id": filing["filing"]["submissions"][0]["id"]}


def _with_report(member: Member, client_id: int) -> dict[str, str]:
    """Insert a complete report with one row."""
    run = member.service.as_owner
    [row] = run(
        "INSERT INTO report_runs (client_id, uuid, report, request, state, finished_at, keys, rules_versions) "
        "VALUES ($1, gen_random_uuid(), 'variance', '{}', 'complete', now(), $2, '{}') RETURNING id, uuid::text",
        client_id,
        ["employee", "Date", MARK],
    )
    run("INSERT INTO report_progress (client_id, run_id) VALUES ($1, $2)", client_id, row["id"])
    [piece] = run("SELECT nextval(pg_get_serial_sequence('report_pieces', 'id')) AS id")
    rows = zlib.compress(f'{{"employee":"1","Date":"2026-01-31","{MARK}":"{MARK}"}}'.encode())
    sealed = member.service.vault.seal(rows, SealedCell(client_id, "report_pieces", piece["id"], "rows_sealed"))
    run("INSERT INTO report_pieces VALUES ($1, $2, $3, 0, $4)", client_id, piece["id"], row["id"], sealed)
    return {"uuid": row["uuid"]}


def _with_import(member: Member, client_id: int) -> dict[str, str]:
    """Insert a failed employee import."""
    run, vault = member.service.as_owner, member.service.vault
    [row] = run("SELECT nextval(pg_get_serial_sequence('employee_imports', 'id')) AS id")
    output = f'{{"message":"{MARK}","errors":{{}}}}'
    sealed = vault.seal(output, SealedCell(client_id, "employee_imports", row["id"], "outcome_sealed"))
    [stored] = run(
        "INSERT INTO employee_imports (client_id, id, uuid, dry_run, state, outcome_sealed, user_id, finished_at) "
        "VALUES ($1, $2, gen_random_uuid(), true, 'failed', $3, 0, now()) RETURNING uuid::text",
        client_id,
        row["id"],
        sealed,
    )
    run("INSERT INTO employee_import_progress (client_id, import_id) VALUES ($1, $2)", client_id, row["id"])
    return {"import_uuid": stored["uuid"]}


def _add_run_step(member: Member, client_id: int) -> None:
    """Insert a failed step of pay runs."""
    run = member.service.as_owner
    [row] = run(
        "INSERT INTO run_steps (client_id, batch, step, items, state, reason, user_id, finished_at) "
        "VALUES ($1, gen_random_uuid(), 'release', '[]', 'failed', 'conflict', $2, now()) RETURNING id",
        client_id,
        member.user_id,
    )
    run("INSERT INTO run_step_progress (client_id, step_id) VALUES ($1, $2)", client_id, row["id"])


def _with_payslip_bundle(member: Member, ids: Mapping[str, int]) -> dict[str, str]:
    """Insert a payslip template, and a complete payslip bundle with one piece."""
    client_id, run = ids["client_id"], member.service.as_owner
    member.call("PATCH", f"/clients/{client_id}/payslip_options", json={"message": MARK})
    logo = png(60, 20)
    member.call("PUT", f"/clients/{client_id}/logo", content=logo, headers={"Content-Type": "image/png"})
    run("INSERT INTO payslip_templates (client_id, source) VALUES ($1, $2)", client_id, f"= {MARK}")
    [row] = run(
        "INSERT INTO payslip_bundles (client_id, uuid, payment_run_id, state, payslips, finished_at, rules_versions) "
        "VALUES ($1, gen_random_uuid(), $2, 'complete', 1, now(), '{}') RETURNING id, uuid::text",
        client_id,
        ids["finalised_run_id"],
    )
    run("INSERT INTO payslip_bundle_progress (client_id, bundle_id) VALUES ($1, $2)", client_id, row["id"])
    [piece] = run("SELECT nextval(pg_get_serial_sequence('payslip_bundle_pieces', 'id')) AS id")
    cell = SealedCell(client_id, "payslip_bundle_pieces", piece["id"], "content_sealed")
    sealed = member.service.vault.seal(MARK.encode(), cell)
    run("INSERT INTO payslip_bundle_pieces VALUES ($1, $2, $3, 0, $4)", client_id, piece["id"], row["id"], sealed)
    return {"bundle_uuid": row["uuid"]}


def _with_webhook(member: Member, client_id: int) -> dict[str, int]:
    """Create a webhook endpoint with a delivery."""
    path = f"/clients/{client_id}/webhook_endpoints"
    endpoint_id = created(member.post(path, WEBHOOK | {"description": MARK}))
    return {
        "endpoint_id": endpoint_id,
        "delivery_id": created(member.post(f"/webhook_endpoints/{endpoint_id}/test")),
    }


def _add_queue_records(member: Member, ids: Mapping[str, int]) -> None:
    """Insert records that no request shows: a queued calculation, a deleted event and a saved selection."""
    run = member.service.as_owner
    run(
        "INSERT INTO report_selections (client_id, report, name, parameters) VALUES ($1, 'variance', $2, '{}')",
        ids["client_id"],
        MARK,
    )
    run("INSERT INTO queued_calculations VALUES ($1, $2)", ids["client_id"], ids["payment_run_id"])
    run(
        "INSERT INTO deleted_events SELECT account_id, 0 FROM clients WHERE id = $1 ON CONFLICT DO NOTHING",
        ids["client_id"],
    )


def _with_required_approval(member: Member) -> dict[str, int]:
    """Create another client with a finalised run, and require approval for it."""
    company = Company.of(member, name=MARK)
    hired(company)
    run_id = paid(company)
    require_approval(company)
    return {"careful_run_id": run_id}


def _with_tax_certificate(member: Member, ids: Mapping[str, int]) -> dict[str, int]:
    """Release the tax certificates and mark a change. The employee, who has opening balances, has a certificate."""
    where = f"/clients/{ids['client_id']}/tax_certificates"
    member.post(where, {"year": 2026})
    [certificate_id] = [row["id"] for row in member.get(where).json() if row["employee_id"] == ids["employee_id"]]
    assert member.post(f"{where}/release", {"year": 2026}).status_code == 200
    member.call("PATCH", f"/employees/{ids['left_employee_id']}", json={"employee": {"last_name": f"{MARK} too"}})
    return {"tax_certificate_id": certificate_id}


def path(operation: Operation, ids: Mapping[str, Any]) -> str:
    """Return the path of an operation on these records."""
    row = TABLE[title(operation)]
    instead = {name: ids[other] for name, other in row.instead.items()}
    return operation.path.format(**{**ids, **row.words, **instead}) + row.query


def sent(operation: Operation, ids: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of httpx for an operation on these records."""
    row = TABLE[title(operation)]
    if row.file is None:
        return {"json": body(operation, ids)}
    return {"content": row.file(body(operation, ids)), "headers": {"Content-Type": "application/octet-stream"}}


def body(operation: Operation, ids: Mapping[str, Any]) -> Any:
    """Return the body of an operation on these records, with identifiers as strings."""
    return filled(TABLE[title(operation)].body, ids)


def filled(value: Any, ids: Mapping[str, Any]) -> Any:
    """Return a body with IDs in the place of placeholders."""
    if isinstance(value, dict):
        return {name.format(**ids): filled(child, ids) for name, child in value.items()}
    if isinstance(value, list):
        return [filled(child, ids) for child in value]
    return value.format(**ids) if isinstance(value, str) else value


def example_body(operation: Operation, example: Any, ids: Mapping[str, Any]) -> Any:
    """Return the example of a body for these records."""
    body = with_ids(example, ids)
    if operation.name == "replace_employee_accounting_splits":
        return {str(ids["split_id"]): sum(body.values())}
    return body | filled(OTHER_RECORDS[title(operation)], ids) if title(operation) in OTHER_RECORDS else body


def with_ids(example: Any, ids: Mapping[str, Any]) -> Any:
    """Return an example with the IDs of existing records instead of its own."""
    if isinstance(example, list):
        return [with_ids(element, ids) for element in example]
    if not isinstance(example, dict):
        return example
    replaced = {name: with_ids(value, ids) for name, value in example.items()}
    for name, value in replaced.items():
        if value is not None and name in ids:
            replaced[name] = type(value)(ids[name])
    return replaced


READS = [operation for operation in OPERATIONS if operation.method == "GET"]
WRITES = [operation for operation in OPERATIONS if operation.writes]
