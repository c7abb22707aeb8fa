"""Audit log entries in words: who did what to whom, with the labels and formats of forms."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Any

from gaji.audit.hidden_columns import HIDDEN_COLUMNS
from gaji.audit.queries import AccountAuditEntry, AuditedRecord, AuditEntry, load_records, load_user_names
from gaji.company.clients.schemas import CLIENT
from gaji.company.pay_points.queries import load_pay_point_names
from gaji.company.waves.queries import load_pay_calendars
from gaji.company.waves.schemas import WAVE
from gaji.console.formats import format_day, format_money, format_timestamp
from gaji.console.forms import Field, build_form
from gaji.console.glossary import APPROVAL_NOUNS, AUDIT_NOUNS, ROLE_NAMES, input_label, label
from gaji.console.reports import TITLES as REPORT_TITLES
from gaji.core.validation import Attribute
from gaji.db.database import COMMAND_LINE
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import Catalogue
from gaji.engine.catalogue.inputs import InputKind
from gaji.integrations.webhooks.schemas import WEBHOOK_ENDPOINT
from gaji.leave.types.policy_schemas import POLICY
from gaji.leave.types.queries import load_leave_types
from gaji.leave.types.schemas import LEAVE_TYPE
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payment_runs.overview import RunSummary, list_runs
from gaji.people.benefits_in_kind.schemas import BENEFIT_IN_KIND
from gaji.people.children.schemas import CHILD
from gaji.people.employees.directory import load_employee_labels
from gaji.people.employees.display_name import EmployeeLabel
from gaji.people.employees.schemas import EMPLOYEE
from gaji.people.service_periods.schemas import END_SERVICE
from gaji.people.share_gains.schemas import SHARE_GAIN
from gaji.people.take_on.schemas import TAKE_ON

MAX_VALUE_LENGTH = 300
"""Longer values are cut. Payslip templates are long."""
CODE = re.compile(r"[a-z]+(?:_[a-z]+)+")
"""A value of a list of the API. Names that people give are not read as such."""
DAY = re.compile(r"\d{4}-\d\d-\d\d")
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*[+-]\d\d:\d\d")
VERBS = {"insert": "added", "update": "changed", "delete": "deleted", "erase": "erased"}
ACTORS = {
    "api": "with the API",
    "console": "in the console",
    "import": "by import",
    COMMAND_LINE: "on the command line",
}
FORMS: Mapping[str, tuple[str, Sequence[Attribute]]] = {
    "employees": ("employee", EMPLOYEE.attributes),
    "clients": ("company", CLIENT.attributes),
    "waves": ("pay_schedule", WAVE.attributes),
    "leave_types": ("leave_type", LEAVE_TYPE.attributes),
    "leave_policies": ("leave_policy", POLICY.attributes),
    "children": ("child", CHILD.attributes),
    "benefits_in_kind": ("benefit_in_kind", BENEFIT_IN_KIND.attributes),
    "share_gains": ("share_gain", SHARE_GAIN.attributes),
    "service_periods": ("end_service", END_SERVICE.attributes),
    "take_on_balances": ("opening_balances", TAKE_ON.attributes),
    "webhook_endpoints": ("webhook", WEBHOOK_ENDPOINT.attributes),
}
"""The form that edits the records of a table."""
REFERENCES = {
    "wave_id": "waves",
    "pay_point_id": "pay_points",
    "leave_type_id": "leave_types",
    "type_id": "leave_types",
    "leave_type": "leave_types",
    "report": "reports",
    "corrects": "payment_runs",
    "paid_by": "users",
}
CENTS = {("payment_runs", "total")}
"""Amounts that no form has."""
TABS = {
    **dict.fromkeys(("calculations", "inherited_calculations", "profile_mappings"), "pay"),
    **dict.fromkeys(("leave_days", "leave_adjustments", "leave_requests", "children"), "leave"),
    **dict.fromkeys(("benefits_in_kind", "share_gains"), "certificates"),
}
"""The tab of the employee that shows the records of a table."""
PAGES = {
    "clients": "/settings",
    "waves": "/settings",
    "pay_points": "/settings",
    "memberships": "/settings/users",
    "invitations": "/settings/users",
    "custom_employee_fields": "/settings/custom_fields",
    "calculation_definitions": "/settings/items",
    "profiles": "/settings/profiles",
    "payslip_templates": "/settings/payslip_template",
    "payslip_options": "/settings/payslip_options",
    "client_logos": "/settings/payslip_options",
    "report_selections": "/reports",
    "webhook_endpoints": "/settings/webhooks",
    "approvals": "/approvals",
}
"""The page of the company that shows the records of a table."""
APPROVAL_STEPS = {
    "approved": "approved",
    "rejected": "declined",
    "cancelled": "cancelled the request for",
    "outdated": "found outdated the request for",
}
RUN_STEPS = {
    ("finalised", True): "finalised",
    ("finalised", False): "reopened",
    ("released", True): "released",
    ("posted_to_accounting_system", True): "marked as posted",
    ("posted_to_accounting_system", False): "marked as not posted",
    ("state", "opening"): "started to calculate",
    ("state", "ready"): "calculated",
}


@dataclass(frozen=True)
class AuditContext:
    """What the entries of a page refer to."""

    records: Mapping[tuple[str, int], AuditedRecord]
    employees: Mapping[int, EmployeeLabel]
    names: Mapping[str, Mapping[str, str]]
    """By table and ID."""
    runs: Mapping[int, RunSummary]
    """The pay runs that still exist, and those that they correct."""
    catalogue: Catalogue


@dataclass(frozen=True)
class AuditSentence:
    """An entry in words."""

    entry: AuditEntry
    text: str
    """What the user did, such as `changed the pay item Basic salary of Siti Aminah`."""
    path: str
    """The page of the record. Empty if there is none."""
    changes: Sequence[tuple[str, str, str]]
    """Label, old value and new value."""

    @property
    def origin(self) -> str:
        """Where the change came from."""
        return ACTORS.get(self.entry.actor, self.entry.actor)


async def describe_entries(tx: Transaction, client_id: int, entries: Sequence[AuditEntry]) -> list[AuditSentence]:
    """Return the entries in words."""
    records = await load_records(tx, client_id, entries)
    employee_ids = {entry.employee_id for entry in entries} | {record.employee_id for record in records.values()}
    calendars = await load_pay_calendars(tx, client_id)
    run_ids = {entry.record_id for entry in entries if entry.table == "payment_runs"} | _values(entries, "corrects")
    runs = await _load_runs(tx, client_id, {run_id for run_id in run_ids if run_id})
    context = AuditContext(
        records=records,
        employees=await load_employee_labels(tx, client_id, [number for number in employee_ids if number]),
        names={
            "waves": {str(wave_id): calendar.schedule.label for wave_id, calendar in calendars.items()},
            "pay_points": {str(key): name for key, name in (await load_pay_point_names(tx, client_id)).items()},
            "leave_types": {str(item.id): label(item.name) for item in await load_leave_types(tx, client_id)},
            "reports": REPORT_TITLES,
            "payment_runs": {str(run_id): format_day(_paid_end(run)) for run_id, run in runs.items()},
            "users": {str(key): name for key, name in (await _load_users(tx, entries)).items()},
        },
        runs=runs,
        catalogue=await load_catalogue(tx, client_id),
    )
    return [_describe(client_id, entry, context) for entry in entries]


async def _load_runs(tx: Transaction, client_id: int, run_ids: Collection[int]) -> dict[int, RunSummary]:
    """Load runs and those that they correct."""
    runs = await list_runs(tx, client_id, len(run_ids), list(run_ids)) if run_ids else []
    corrected_ids = {run.corrects for run in runs if run.corrects} - set(run_ids)
    runs += await list_runs(tx, client_id, len(corrected_ids), list(corrected_ids)) if corrected_ids else []
    return {run.id: run for run in runs}


async def _load_users(tx: Transaction, entries: Sequence[AuditEntry]) -> dict[int, str]:
    user_ids = _values(entries, "paid_by")
    return await load_user_names(tx, list(user_ids)) if user_ids else {}


def _values(entries: Sequence[AuditEntry], column: str) -> set[int]:
    """Return the old and new values of a column of pay runs."""
    changes = (change for entry in entries if entry.table == "payment_runs" for change in entry.changes)
    return {value for name, old, new in changes if name == column for value in (old, new) if value}


def _paid_end(run: RunSummary) -> date:
    """Return the end of the period that a run pays: of a correction, that of the corrected period."""
    return run.corrected_end or run.period_end_date


def describe_account_entries(entries: Sequence[AccountAuditEntry]) -> list[AuditSentence]:
    """Return entries that belong to no company in words."""
    return [
        AuditSentence(item.entry, _account_sentence(item), "", list(_account_changes(item.entry))) for item in entries
    ]


def _account_sentence(item: AccountAuditEntry) -> str:
    entry = item.entry
    noun = AUDIT_NOUNS.get(entry.table, label(entry.table).lower())
    title = f" {entry.title}" if entry.title and entry.table != "users" else ""
    # A user who was deleted has no name except that in the entry.
    who = item.subject or (entry.title if entry.table == "users" else None)
    owner = f" {'' if entry.table == 'users' else 'of '}{who}" if who else ""
    return f"{VERBS[entry.action]} {noun}{title}{owner}"


def _account_changes(entry: AuditEntry) -> Iterator[tuple[str, str, str]]:
    for column, old, new in entry.changes:
        if column in HIDDEN_COLUMNS:
            continue
        if column.endswith(("_sealed", "_hash")):
            yield label(column.removesuffix("_sealed").removesuffix("_hash")), *_hidden_values(old, new)
        else:
            yield label(column), _plain_value(old), _plain_value(new)


def _plain_value(value: Any) -> str:
    if value is None or value in ("", [], {}):
        return "–"
    if isinstance(value, bool):
        return "Yes" if value else "No"
    return ", ".join(map(_plain_value, value)) if isinstance(value, list) else _format_text(str(value))


def _describe(client_id: int, entry: AuditEntry, context: AuditContext) -> AuditSentence:
    record = context.records.get((entry.table, entry.record_id or 0))
    employee_id = entry.employee_id or (record.employee_id if record else None)
    title = entry.title or (record.title if record else None)
    return AuditSentence(
        entry,
        _sentence(entry, title, employee_id, context),
        _path(client_id, entry, employee_id, context),
        list(_changes(entry, title, context)),
    )


def _sentence(entry: AuditEntry, title: str | None, employee_id: int | None, context: AuditContext) -> str:
    name = _employee_name(entry, employee_id, context)
    if entry.table == "employees":
        return f"changed the details of {name}" if entry.action == "update" else f"{VERBS[entry.action]} {name}"
    if entry.table == "payment_runs":
        return f"{_run_step(entry)} {_run_name(entry, title, context)}"
    if entry.table == "approvals":
        approved = APPROVAL_NOUNS.get(title or "", "a request")
        return f"{_approval_step(entry)} {approved}{f' of {name}' if employee_id else ''}"
    noun = AUDIT_NOUNS.get(entry.table, label(entry.table).lower())
    called = f" {_title(entry.table, title, context)}" if title else ""
    owner = f" of {name}" if employee_id else ""
    return f"{VERBS[entry.action]} {noun}{called}{owner}"


def _employee_name(entry: AuditEntry, employee_id: int | None, context: AuditContext) -> str:
    employee = context.employees.get(employee_id or 0)
    if employee is not None:
        return employee.name
    return entry.title if entry.table == "employees" and entry.title else "a deleted employee"


def _title(table: str, title: str, context: AuditContext) -> str:
    if table == "calculations":
        item = context.catalogue.types.get(title)
        return item.caption if item else label(title)
    if table == "waves":
        return context.names["waves"].get(title, "")
    if table == "leave_policies":
        return context.names["leave_types"].get(title, "")
    if table == "leave_types":
        return label(title)
    return format_day(title) if DAY.fullmatch(title) else "" if title.isdigit() else title


def _run_name(entry: AuditEntry, title: str | None, context: AuditContext) -> str:
    """Return what a run is called. A correction is named by what it corrects, not by the later pay period."""
    run = context.runs.get(entry.record_id or 0)
    corrects = run.corrects if run else next(iter(_values([entry], "corrects")), None)
    corrected = context.runs.get(corrects or 0)
    if run and run.corrected_end:
        end: date | str | None = run.corrected_end
    elif corrects:
        end = _paid_end(corrected) if corrected else None
    else:
        end = title
    noun = "the correction of the pay run" if corrects else "the pay run"
    return f"{noun} for {format_day(end)}" if end else noun


def _run_step(entry: AuditEntry) -> str:
    if entry.action == "insert":
        return "opened"
    values = {name: new for name, _, new in entry.changes}
    if "paid_at" in values:
        return "marked as paid" if values["paid_at"] else "marked as not paid"
    steps = (step for (name, value), step in RUN_STEPS.items() if values.get(name) == value)
    return next(steps, VERBS[entry.action])


def _approval_step(entry: AuditEntry) -> str:
    if entry.action == "insert":
        return "requested the approval of"
    values = {name: new for name, _, new in entry.changes}
    return APPROVAL_STEPS.get(str(values.get("status")), VERBS[entry.action])


def _path(client_id: int, entry: AuditEntry, employee_id: int | None, context: AuditContext) -> str:
    if employee_id in context.employees:
        tab = TABS.get(entry.table)
        return f"/employees/{employee_id}{f'?tab={tab}' if tab else ''}"
    if entry.table == "payment_runs" and ("payment_runs", entry.record_id) in context.records:
        return f"/payment_runs/{entry.record_id}"
    return f"/companies/{client_id}{PAGES[entry.table]}" if entry.table in PAGES else ""


def _changes(entry: AuditEntry, title: str | None, context: AuditContext) -> Iterator[tuple[str, str, str]]:
    for column, old, new in entry.changes:
        if column in HIDDEN_COLUMNS:
            continue
        if column.endswith("_sealed"):
            yield _label(entry.table, column.removesuffix("_sealed")), *_hidden_values(old, new)
        elif isinstance(old, dict) or isinstance(new, dict):
            yield from _object_changes(entry.table, column, title, (old or {}, new or {}), context)
        else:
            before, after = (_format(entry.table, column, item, context) for item in (old, new))
            yield _label(entry.table, column), before, after


def _hidden_values(old: Any, new: Any) -> tuple[str, str]:
    return "hidden" if old else "–", "hidden, changed" if old and new else "hidden" if new else "–"


def _object_changes(
    table: str,
    column: str,
    title: str | None,
    values: tuple[Mapping[str, Any], Mapping[str, Any]],
    context: AuditContext,
) -> Iterator[tuple[str, str, str]]:
    """Yield the values of an object that differ. Keys that are dates say since when their values hold."""
    old, new = values
    kinds = _input_kinds(table, title, context)
    for key in dict.fromkeys((*old, *new)):
        if old.get(key) != new.get(key):
            name = f"From {format_day(key)}" if DAY.fullmatch(key) else input_label(key) if key else label(column)
            before, after = (_format_input(table, key, item.get(key), kinds, context) for item in (old, new))
            yield name, before, after


def _input_kinds(table: str, title: str | None, context: AuditContext) -> dict[str, InputKind]:
    item = context.catalogue.types.get(title or "") if table == "calculations" else None
    return {field.name: field.kind for field in item.inputs} if item else {}


def _format_input(table: str, key: str, value: Any, kinds: Mapping[str, InputKind], context: AuditContext) -> str:
    if kinds.get(key) == InputKind.MONEY and isinstance(value, str):
        with suppress(ValueError, ArithmeticError):
            return format_money(value)
    if isinstance(value, dict):
        parts = ((input_label(name), _format_input(table, name, item, kinds, context)) for name, item in value.items())
        return "; ".join(f"{name}: {text}" for name, text in parts)
    return _format(table, key, value, context)


def _format(table: str, column: str, value: Any, context: AuditContext) -> str:
    """Return a value as the form of the table shows it."""
    if value is None or value == "":
        return "–"
    if isinstance(value, list):
        return ", ".join(_format(table, column.removesuffix("s"), item, context) for item in value)
    field = _fields(table).get(column)
    if column in REFERENCES:
        deleted = "a deleted user" if REFERENCES[column] == "users" else "a deleted record"
        return context.names[REFERENCES[column]].get(str(value), deleted)
    if field and field.options and str(value) in dict(field.options):
        return dict(field.options)[str(value)]
    if (table, column) == ("calculations", "type") and str(value) in context.catalogue.types:
        return context.catalogue.types[str(value)].caption
    if column == "role":
        return ROLE_NAMES.get(str(value), str(value))
    if isinstance(value, bool):
        return "Yes" if value else "No"
    is_amount = (field is not None and field.is_amount) or (table, column) in CENTS
    if is_amount and isinstance(value, int):
        return format_money(value)
    if column.endswith(("millidays", "millihours")) and isinstance(value, int):
        return f"{value / 1000:g}"
    if isinstance(value, dict):
        return "; ".join(f"{label(name)}: {_format(table, name, item, context)}" for name, item in value.items())
    is_code = column != "name" or table == "leave_types"
    return label(str(value)) if is_code and CODE.fullmatch(str(value)) else _format_text(str(value))


def _format_text(text: str) -> str:
    # A free text may look like a date without being one.
    with suppress(ValueError, OverflowError):
        if TIMESTAMP.fullmatch(text):
            return format_timestamp(datetime.fromisoformat(text))
        if DAY.fullmatch(text):
            return format_day(date.fromisoformat(text))
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[:MAX_VALUE_LENGTH]}…"


def _label(table: str, column: str) -> str:
    field = _fields(table).get(column)
    name = (
        column.replace("working_millidays", "working_days").replace("millidays", "days").replace("millihours", "hours")
    )
    return field.label if field else label(name)


@cache
def _fields(table: str) -> dict[str, Field]:
    """Return the fields of the form that edits a table, by the last part of their name."""
    if table not in FORMS:
        return {}
    return {field.name.rpartition(".")[2]: field for field in build_form(*FORMS[table], {}).fields}
