"""The response schema of the audit log."""

from gaji.core.field_types import JsonSchema, OneOf
from gaji.core.json_schemas import IDENTIFIER, TIMESTAMP

ACTIONS = {"create": "insert", "update": "update", "delete": "delete", "erase": "erase"}
"""The actions of the API, each with the name that the log has for it."""
RECORD_TYPES = (
    "account_mappings",
    "accounting_export_settings",
    "accounting_modes",
    "accounting_splits",
    "api_key_clients",
    "approvals",
    "benefits_in_kind",
    "calculation_definitions",
    "calculations",
    "children",
    "client_logos",
    "clients",
    "custom_employee_fields",
    "employee_accounting_splits",
    "employees",
    "inherited_calculations",
    "invitations",
    "leave_adjustments",
    "leave_days",
    "leave_policies",
    "leave_requests",
    "leave_types",
    "ledger_accounts",
    "medical_certificates",
    "memberships",
    "pay_points",
    "payment_reissues",
    "payment_releases",
    "payment_runs",
    "payment_withholdings",
    "payslip_options",
    "payslip_templates",
    "profile_mappings",
    "profiles",
    "report_selections",
    "retention_settings",
    "retro_proposals",
    "service_periods",
    "share_gains",
    "take_on_balances",
    "tax_certificate_sets",
    "tax_certificate_years",
    "tax_certificates",
    "wave_periods",
    "waves",
    "webhook_endpoints",
)
"""The kinds of records whose changes are logged."""
ACCOUNT_RECORD_TYPES = (
    *("accounts", "api_keys", "console_sessions", "email_changes", "passkeys", "password_resets", "second_factors"),
    *("single_sign_on", "single_sign_on_identities", "users", "webhook_endpoints"),
)
"""The kinds of records that belong to no client."""
ACTION = OneOf(tuple(ACTIONS), "audit_action")
RECORD_TYPE = OneOf(RECORD_TYPES, "audit_record_type")
ACCOUNT_RECORD_TYPE = OneOf(ACCOUNT_RECORD_TYPES, "account_audit_record_type")

NULLABLE_ID: JsonSchema = {"type": ["integer", "null"]}
CHANGE: JsonSchema = {
    "type": "object",
    "title": "AuditChange",
    "required": ["attribute", "before", "after"],
    "properties": {
        "attribute": {"type": "string", "description": "Name of the attribute."},
        "before": {"description": "The value before the change. Null if there was none. Identifiers are masked."},
        "after": {"description": "The value after the change. Null if there is none. Identifiers are masked."},
    },
}
AUDIT_ENTRY: JsonSchema = {
    "type": "object",
    "title": "AuditEntry",
    "required": [
        *("id", "created_at", "action", "record_type", "record_id", "employee_id"),
        *("user_id", "user_name", "api_key_id", "source", "request_id", "changes"),
    ],
    "properties": {
        "id": IDENTIFIER,
        "created_at": TIMESTAMP,
        "action": {**ACTION.json_schema(), "description": "What was done to the record."},
        "record_type": {**RECORD_TYPE.json_schema(), "description": "The kind of record."},
        "record_id": {
            **NULLABLE_ID,
            "description": "ID of the record. Records without an ID of their own have that of their employee or user.",
        },
        "employee_id": {
            **NULLABLE_ID,
            "description": "The employee that the record belongs to, if the change names it.",
        },
        "user_id": {**NULLABLE_ID, "description": "The user who made the change. Null for the operator."},
        "user_name": {
            "type": "string",
            "description": "Name or email of the user, the operating-system user who ran a command, "
            "or the source if there is neither.",
        },
        "api_key_id": {**NULLABLE_ID, "description": "The API key that was used, if any."},
        "source": {
            "type": "string",
            "description": "Where the change came from, such as `api`, `console`, `import` or `command line`.",
        },
        "request_id": {"type": ["string", "null"], "description": "`X-Request-Id` of the request."},
        "changes": {
            "type": "array",
            "items": CHANGE,
            "description": "The attributes that changed. For a new or deleted record, those with a value.",
        },
    },
}
ACCOUNT_AUDIT_ENTRY: JsonSchema = {
    **AUDIT_ENTRY,
    "title": "AccountAuditEntry",
    "properties": {
        **AUDIT_ENTRY["properties"],
        "record_type": {**ACCOUNT_RECORD_TYPE.json_schema(), "description": "The kind of record."},
        "employee_id": {**NULLABLE_ID, "description": "Always null."},
    },
}
AUDIT_ENTRY_EXAMPLE = {
    "id": 812,
    "created_at": "2026-03-02T09:30:00.000000+08:00",
    "action": "update",
    "record_type": "employees",
    "record_id": 4,
    "employee_id": 4,
    "user_id": 3,
    "user_name": "Siti Aminah",
    "api_key_id": 7,
    "source": "api",
    "request_id": "5f2c1d0e9b8a7c6d5e4f3a2b",
    "changes": [{"attribute": "job_title", "before": "Packer", "after": "Supervisor"}],
}
ACCOUNT_AUDIT_ENTRY_EXAMPLE = {
    **AUDIT_ENTRY_EXAMPLE,
    "record_type": "users",
    "employee_id": None,
    "changes": [{"attribute": "email", "before": "siti@example.com", "after": "siti.aminah@example.com"}],
}
