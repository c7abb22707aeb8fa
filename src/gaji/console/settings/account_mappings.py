"""Accounts of an accounting program for the ledger accounts of journals, and the settings of its imports."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

import msgspec

from gaji.console.forms import Field, Form, build_form
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.console.settings.record_page import RecordPage, Section
from gaji.core.errors import NotFound
from gaji.core.field_types import parse_integer
from gaji.engine.catalogue import NETT_PAY
from gaji.payroll.account_mappings import service
from gaji.payroll.account_mappings.schemas import EXPORT_SETTINGS, AccountMapping
from gaji.payroll.accounting import service as accounting
from gaji.payroll.calculation_definitions import service as definitions
from gaji.payroll.payment_runs import overview
from gaji.web.responses import HttpResponse

router = PageRouter()

MAPPINGS = Section("account_mappings", "Accounting program", "", "")
COLUMNS = ("code", "name")
BY_ITEM = "item"
DEBITED_SECTIONS = ("income", "employer_contribution", "benefit")
CREDITED_SECTIONS = ("deduction", "employer_contribution", "benefit")


@dataclass(frozen=True)
class MappingRow:
    """A row of the form: a ledger account, and one item if the rows are by item."""

    account: str
    item: str | None
    caption: str
    """The item, or the items that are posted to the account."""

    @property
    def name(self) -> str:
        """The name of its group of fields."""
        key = "\0".join((self.account, self.item or ""))
        return f"row-{sha256(key.encode()).hexdigest()[:16]}"


@dataclass(frozen=True)
class MappingView:
    """Which mappings the form shows."""

    split_id: str | None
    by_item: bool
    splits: Sequence[Mapping[str, str]]
    run_id: int | None
    """A run whose accounts are listed too. They may have been renamed since it was finalised."""

    @property
    def query(self) -> str:
        """The query of the page with this view."""
        values = {"split": self.split_id, "by": BY_ITEM if self.by_item else None, "run": self.run_id}
        return urlencode({name: value for name, value in values.items() if value})


@router.get("/companies/{client_id}/settings/account_mappings")
async def show_mappings(request: PageRequest) -> HttpResponse:
    """Show the account mappings of all splits or of one, by account or by item."""
    return (await _mappings_page(request)).show(request)


@router.post("/companies/{client_id}/settings/account_mappings")
async def change_mappings(request: PageRequest) -> HttpResponse:
    """Save the account mappings of the form. The others stay as they are."""
    await request.writable_company(request.ids["client_id"])
    page = await _mappings_page(request)
    submitted = page.form.to_body(request.form)
    rows: Sequence[MappingRow] = page.values["rows"]
    view: MappingView = page.values["view"]
    body = [
        {"account": row.account, "item": row.item, "split_id": view.split_id, **(submitted[row.name] or {})}
        for row in rows
    ]
    error_fields = {f"{i}.{column}": f"{row.name}.{column}" for i, row in enumerate(rows) for column in COLUMNS}
    work = service.change_mappings(request.tenant, page.company.id, body)
    next_path = f"{MAPPINGS.path(page.company.id)}?{view.query}".rstrip("?")
    return await page.save(request, work, "Accounts saved", error_fields, next_path)


@router.get("/companies/{client_id}/settings/accounting_export/edit")
async def show_export_settings(request: PageRequest) -> HttpResponse:
    """Show the settings of imports."""
    return (await _settings_page(request)).show(request)


@router.post("/companies/{client_id}/settings/accounting_export/edit")
async def change_export_settings(request: PageRequest) -> HttpResponse:
    """Save the settings of imports."""
    page = await _settings_page(request)
    work = service.update_settings(request.tenant, page.company.id, page.form.to_body(request.form))
    return await page.save(request, work, "Export settings saved")


async def _settings_page(request: PageRequest) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    current = await service.read_settings(request.tenant, company.id)
    form = build_form("accounting_export", EXPORT_SETTINGS.attributes, current)
    return RecordPage(company, MAPPINGS, "Export settings", form)


async def _mappings_page(request: PageRequest) -> RecordPage:
    company = await request.company(request.ids["client_id"])
    view = await _read_view(request, company.id)
    elements = await service.list_mappings(request.tenant, company.id)
    mappings = {mapping.key: mapping for mapping in (_decode_mapping(element) for element in elements)}
    accounts = [key[0] for key in mappings] + await _run_accounts(request, view)
    rows = await _list_rows(request, company.id, view, accounts)
    form = Form([field for row in rows for field in _fields(row, view, mappings)])
    values = {"rows": rows, "view": view}
    return RecordPage(company, MAPPINGS, MAPPINGS.title, form, template="settings_account_mappings.html", values=values)


async def _read_view(request: PageRequest, client_id: int) -> MappingView:
    splits = (await accounting.read_splits(request.tenant, client_id))["splits"]
    splits = [*splits, {"id": "0", "name": "No split"}] if splits else []
    split_id = request.query.get("split") or None
    if split_id and split_id not in [split["id"] for split in splits]:
        raise NotFound(f"Split {split_id[:50]} does not exist")
    run_id = parse_integer(request.query.get("run"))
    if run_id and await overview.load_client_id(request.tenant, run_id) != client_id:
        raise NotFound(f"Pay run {run_id} does not exist")
    return MappingView(split_id, request.query.get("by") == BY_ITEM, splits, run_id)


async def _run_accounts(request: PageRequest, view: MappingView) -> list[str]:
    """Return the accounts of the journal that the user came from."""
    if not view.run_id:
        return []
    journal = (await accounting.read_journal(request.tenant, view.run_id)).journal_json
    return [posting["label"] for side in ("debit", "credit") for posting in journal[side]]


async def _list_rows(
    request: PageRequest, client_id: int, view: MappingView, more_accounts: Sequence[str]
) -> list[MappingRow]:
    """Return a row for each ledger account, or for each item of each account."""
    items = await definitions.list_items(request.tenant, client_id)
    elements = await accounting.list_accounts(request.tenant, client_id)
    pairs = dict.fromkeys(_posted_pairs([msgspec.json.decode(element) for element in elements], items))
    if view.by_item:
        return [MappingRow(account, item, caption) for account, item, caption in pairs]
    captions: dict[str, list[str]] = {}
    for account, _, caption in pairs:
        captions.setdefault(account, []).append(caption)
    for account in more_accounts:
        captions.setdefault(account, [])
    return [MappingRow(account, None, ", ".join(items)) for account, items in captions.items()]


def _posted_pairs(
    accounts: Sequence[Mapping[str, Any]], items: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, str, str]]:
    """Iterate over the ledger accounts that journals can have, with the item and its caption."""
    by_item = {str(item["item"]): item for item in items}
    nett_pay = (NETT_PAY, "Nett pay")
    for account in accounts:
        item = by_item.get(str(account["item"]))
        described = (str(item["item"]), item["caption"]) if item else nett_pay
        section = item["section"] if item else ""
        yield account["debit_account"], *(described if section in DEBITED_SECTIONS else nett_pay)
        yield account["credit_account"], *(described if section in CREDITED_SECTIONS else nett_pay)


def _fields(
    row: MappingRow, view: MappingView, mappings: Mapping[tuple[str, str | None, str | None], AccountMapping]
) -> Iterator[Field]:
    """Return the fields of a row. The hint is the value that applies if the field is left blank."""
    keys = ((row.item, view.split_id), (row.item, None), (None, view.split_id), (None, None))
    current = mappings.get((row.account, *keys[0]))
    fallbacks = [mappings[row.account, *key] for key in keys if key != keys[0] and (row.account, *key) in mappings]
    described = f"{row.account}, {row.caption}" if row.item else row.account
    for column in COLUMNS:
        yield Field(
            f"{row.name}.{column}",
            f"{column.capitalize()} of {described}",
            value=getattr(current, column, None) or "",
            hint=next((text for mapping in fallbacks if (text := getattr(mapping, column))), ""),
            max_length=100,
        )


def _decode_mapping(element: str) -> AccountMapping:
    return msgspec.json.decode(element, type=AccountMapping)
