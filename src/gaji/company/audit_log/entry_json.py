"""Audit log entries as the API shows them: with the names, amounts and masks of the API instead of columns."""

from collections.abc import Iterator
from typing import Any

import msgspec

from gaji.audit.queries import AuditEntry
from gaji.company.audit_log.schemas import ACTIONS
from gaji.core.clock import SINGAPORE
from gaji.engine.money import decimal_text

ACTION_NAMES = {stored: name for name, stored in ACTIONS.items()}
AMOUNT_COLUMNS = {
    "benefits_in_kind": {
        *("amount", "paid_by_employee", "rent", "annual_value", "cost", "parf_rebate", "rental", "running_costs"),
    },
    "calculation_definitions": {"amount"},
    "payment_releases": {"amount"},
    "payment_runs": {"total"},
    "take_on_balances": {
        *("ordinary_wages", "ordinary_wages_subject", "additional_wages", "additional_wages_subject"),
        *("cpf_employee", "cpf_employer", "ir8a"),
    },
}
"""The columns that hold cents, by table."""
INTERNAL_COLUMNS = {"account_id", "user_id", "searched", "version", "fingerprint"}
SEALED = "_sealed"
HASH = "_hash"
HIDDEN = "hidden"
THOUSANDTHS = ("millidays", "millihours")


def render_entry(entry: AuditEntry) -> str:
    """Return an entry as JSON."""
    values = {
        "id": entry.id,
        "created_at": entry.changed_at.astimezone(SINGAPORE).isoformat(timespec="microseconds"),
        "action": ACTION_NAMES[entry.action],
        "record_type": entry.table,
        "record_id": entry.record_id,
        "employee_id": entry.employee_id,
        "user_id": entry.user_id,
        "user_name": entry.user_name,
        "api_key_id": entry.key_id,
        "source": entry.actor,
        "request_id": entry.request_id,
        "changes": list(_changes(entry)),
    }
    return msgspec.json.encode(values).decode()


def _changes(entry: AuditEntry) -> Iterator[dict[str, Any]]:
    amounts = AMOUNT_COLUMNS.get(entry.table, set())
    for column, old, new in entry.changes:
        if column in INTERNAL_COLUMNS or column.endswith(HASH):
            continue
        name, before, after = _attribute_name(column), old, new
        if column.endswith(SEALED):
            before, after = _masked(entry, name, old, new)
        elif column in amounts:
            before, after = _to_amounts(old), _to_amounts(new)
        elif column.endswith(THOUSANDTHS):
            before, after = _divide(old), _divide(new)
        else:
            before, after = _rename_keys(old), _rename_keys(new)
        yield {"attribute": name, "before": before, "after": after}


def _attribute_name(column: str) -> str:
    """Return the name of an attribute.

    >>> _attribute_name("nric_sealed"), _attribute_name("carry_over_limit_millidays")
    ('nric', 'carry_over_limit_days')
    """
    return column.removesuffix(SEALED).replace("millidays", "days").replace("millihours", "hours")


def _masked(entry: AuditEntry, name: str, old: Any, new: Any) -> tuple[str | None, str | None]:
    """Return the masked values of an identifier. Without a mask, only that there is a value."""
    before, after = entry.masked.get(name, (None, None))
    return before or (HIDDEN if old else None), after or (HIDDEN if new else None)


def _to_amounts(value: Any) -> Any:
    """Return cents as decimal text, also inside objects."""
    if isinstance(value, dict):
        return {key: _to_amounts(content) for key, content in value.items()}
    return decimal_text(value) if isinstance(value, int) else value


def _divide(value: Any) -> Any:
    """Return thousandths as a number of days or hours.

    >>> _divide(1500), _divide(2000), _divide(None)
    (1.5, 2, None)
    """
    if not isinstance(value, int):
        return value
    return value // 1000 if value % 1000 == 0 else value / 1000


def _rename_keys(value: Any) -> Any:
    """Return a value whose inner thousandths are days and hours."""
    if isinstance(value, list):
        return [_rename_keys(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        _attribute_name(key): _divide(content) if key in THOUSANDTHS else _rename_keys(content)
        for key, content in value.items()
    }
