"""The tables with data about employees. A test fails for a table that is neither exported nor listed with a reason."""

from dataclasses import dataclass

OF_EMPLOYEE = "t.client_id = $1 AND t.employee_id = $2"
PAYSLIPS_OF_EMPLOYEE = "SELECT p.id FROM payslips p WHERE p.client_id = $1 AND p.employee_id = $2"
RELEASED = "AND p.ss_released"


@dataclass(frozen=True)
class PersonalTable:
    """A table whose rows about an employee are exported."""

    name: str
    title: str
    """The heading in the PDF."""
    columns: tuple[str, ...]
    """The attributes that the PDF shows. The JSON file has all."""
    condition: str = OF_EMPLOYEE
    """Selects the rows `t` of the client $1 and the employee $2."""
    own_condition: str | None = "true"
    """Limits the rows that employees get of themselves. None if the records are not for them, or not yet."""
    amounts: tuple[str, ...] = ()
    """Columns with cents."""
    left_out: tuple[str, ...] = ()
    """Columns that are left out: the contents of files, which have an operation of their own."""
    sealed_as: tuple[str, str] | None = None
    """The table and the column with the ID of the row that encrypted values were copied from."""


PERSONAL_TABLES = (
    PersonalTable("employees", "Employee", (), condition="t.client_id = $1 AND t.id = $2"),
    PersonalTable("children", "Children", ("name", "birthdate", "citizenship", "relationship")),
    PersonalTable(
        "service_periods", "Service", ("start_date", "end_date", "termination_code", "notice_date", "ir21_filed_on")
    ),
    PersonalTable("wave_periods", "Pay schedules", ("wave_id", "start_date", "end_date")),
    PersonalTable(
        "take_on_balances",
        "Opening balances",
        ("year", "ordinary_wages", "additional_wages", "cpf_employee", "cpf_employer"),
        amounts=(
            *("ordinary_wages", "ordinary_wages_subject", "additional_wages", "additional_wages_subject"),
            *("cpf_employee", "cpf_employer"),
        ),
    ),
    PersonalTable("employee_accounting_splits", "Accounting splits", ("split_id", "share")),
    PersonalTable("inherited_calculations", "Working hours", ("short_name", "inputs_history")),
    PersonalTable("profile_mappings", "Profiles", ("profile_id", "calculations"), own_condition=None),
    PersonalTable(
        "calculations",
        "Pay items",
        ("type", "payslip_id", "inputs"),
        condition=f"t.client_id = $1 AND (t.employee_id = $2 OR t.payslip_id IN ({PAYSLIPS_OF_EMPLOYEE}))",
        own_condition=None,
    ),
    PersonalTable(
        "benefits_in_kind",
        "Benefits in kind",
        ("category", "provided_from", "provided_to", "description", "amount", "address"),
        amounts=(
            *("amount", "paid_by_employee", "rent", "annual_value", "cost", "parf_rebate", "rental", "running_costs"),
        ),
    ),
    PersonalTable("share_gains", "Share gains", ("plan", "company_name", "grant_date", "shares", "income_date")),
    PersonalTable("leave_days", "Leave", ("date", "leave_type_id", "days")),
    PersonalTable("leave_adjustments", "Leave adjustments", ("date", "leave_type_id", "days", "reason")),
    PersonalTable("leave_requests", "Leave requests", ("dates", "part_of_day", "status", "reason", "answer")),
    PersonalTable(
        "medical_certificates",
        "Medical certificates",
        ("media_type", "size_bytes", "created_at"),
        left_out=("content_sealed",),
    ),
    PersonalTable(
        "payslips",
        "Payslips",
        ("date", "pay_date", "gross", "cpf_employee", "nett_pay"),
        own_condition="t.ss_released",
        amounts=(
            *("nett_pay", "ordinary", "ordinary_before", "additional", "additional_before", "ordinary_subject"),
            *("additional_subject", "cpf_employee", "cpf_employer", "remuneration", "sdl", "fund_wages", "cdac", "ecf"),
            *("mbmf", "sinda", "levy", "gross", "wage_deductions", "employer_contributions"),
        ),
    ),
    PersonalTable(
        "payslip_snapshots",
        "Details on payslips",
        ("payslip_id", "number", "first_name", "last_name", "job_title", "account_number"),
        own_condition=f"t.payslip_id IN ({PAYSLIPS_OF_EMPLOYEE} {RELEASED})",
        amounts=("taken_on_cpf_employee", "taken_on_cpf_employer"),
        sealed_as=("employees", "employee_id"),
    ),
    PersonalTable(
        "payment_releases",
        "Releases of withheld pay",
        ("payslip_id", "created_at", "amount", "recipient"),
        condition=f"t.client_id = $1 AND t.payslip_id IN ({PAYSLIPS_OF_EMPLOYEE})",
        own_condition=None,
        amounts=("amount",),
    ),
    PersonalTable(
        "payment_withholdings",
        "Pay withheld after the pay run was finalised",
        ("payslip_id", "created_at"),
        condition=f"t.client_id = $1 AND t.payslip_id IN ({PAYSLIPS_OF_EMPLOYEE})",
        own_condition=None,
    ),
    PersonalTable("reopened_payslips", "Reopened payslips", ("payslip_id", "number"), own_condition=None),
    PersonalTable("retro_proposals", "Proposed corrections", ("status", "treatment", "created_at"), own_condition=None),
    PersonalTable(
        "tax_certificates",
        "Tax certificates",
        ("year", "worked_from", "worked_to", "identifier", "income"),
        own_condition="t.released",
    ),
    PersonalTable(
        "tax_certificate_versions",
        "Released versions of tax certificates",
        ("year", "version", "released_at", "identifier", "income"),
    ),
    PersonalTable("erased_employees", "Erasure", ("erased_at",)),
    PersonalTable(
        "approvals",
        "Requests that need approval",
        ("kind", "status", "details", "created_at", "decided_at", "reason"),
        own_condition="t.kind = 'employee_details'",
        left_out=("fingerprint",),
    ),
    PersonalTable("invitations", "Invitations", ("email", "name", "role", "created_at")),
    PersonalTable("memberships", "Roles", ("role", "created_at")),
    PersonalTable(
        "events",
        "Events",
        ("type", "occurred_at"),
        condition="t.client_id = $1 AND t.resource_type = 'employee' AND t.resource_id = $2::bigint::text",
    ),
)
FURTHER_SECTIONS = {
    "users": ("Sign-in", ("email", "name", "created_at")),
    "console_sessions": ("Sessions", ("device", "address", "method", "last_seen_at")),
    "passkeys": ("Passkeys", ("name", "created_at", "last_used_at")),
    "single_sign_on_identities": ("Single sign-on", ("issuer", "subject", "last_sign_in_at")),
    "api_keys": ("API keys", ("name", "hint", "created_at")),
    "sign_ins": ("Sign-ins and downloads", ("kind", "path", "address", "last_at", "count")),
    "access_events": ("Reads and downloads by others", ("kind", "path", "user_id", "last_at", "count")),
    "outgoing_mail": ("Mail", ("kind", "recipient", "state", "created_at")),
    "audit_log": ("Changes", ("at", "action", "user_id", "changes")),
}
"""Records that are not read as rows of one employee, with the heading and the attributes that the PDF shows."""

NOT_EXPORTED = {
    "last_changes": "the time of the last change of each record, for integrations; it has no contents",
    "tax_certificate_changes": "a mark that a certificate of the year is out of date",
    "payment_reissues": "the IDs of payslips that were paid again; the payslips are exported",
    "payment_runs": "the selection of employees of a correction run, by ID; the payslips are exported",
}
"""Why a table that names employees or payslips is not exported."""
IN_PREPARATION = "for the company's use or still in preparation; ask the company for it"
"""Why records are left out of an export that employees make for themselves."""
