"""Columns of audited tables that say nothing to people."""

HIDDEN_COLUMNS = frozenset(
    {
        "user_id",
        "account_id",
        "key_id",
        "token_hash",
        "state",
        "period_offset",
        "first_period_offset",
        "searched",
        "payslip_count",
        "rules_versions",
        "day_millihours",
        "version",
        "redacted_entries",
        "fingerprint",
        "requested_by",
        "decided_by",
        "details_sealed",
    }
)
