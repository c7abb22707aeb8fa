"""Ledger accounts of payslip items, and the splits of journals."""

from collections.abc import Mapping
from typing import Any

import msgspec

from gaji.console.forms import Field, Form, build_form
from gaji.console.glossary import label
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.console.settings.record_page import RecordPage, Section
from gaji.core.errors import ErrorCode, invalid
from gaji.payroll.accounting import service
from gaji.payroll.accounting.rules import BY_EMPLOYEE
from gaji.payroll.accounting.schemas import ACCOUNT, SPLITS
from gaji.payroll.calculation_definitions import service as definitions
from gaji.web.responses import HttpResponse

router = PageRouter()

ACCOUNTS = Section("accounts", "Ledger accounts", "", "")
JOURNAL_SPLITS = Section("splits", "Journal splits", "", "")
COLUMNS = [attribute.name for attribute in ACCOUNT.attributes if attribute.name != "item"]
NETT_PAY = "nett_pay"
SPLIT = "split"
NEW_SPLIT = "new_split"
NEW_SPLITS = 5
"""How many splits can be added with one save."""
SPLITS_NOT_APPLICABLE = ErrorCode(
    "splits_not_applicable", "can be named only if journals are split by the percentages of each employee"
)


@router.get("/companies/{client_id}/settings/accounts")
async def show_accounts(request: PageRequest) -> HttpResponse:
    """Show the accounts of every item."""
    return (await _accounts_page(request)).show(request)


@router.post("/companies/{client_id}/settings/accounts")
async def change_accounts(request: PageRequest) -> HttpResponse:
    """Save the accounts. Accounts that were cleared return to their defaults."""
    await request.writable_company(request.ids["client_id"])
    page = await _accounts_page(request)
    submitted = page.form.to_body(request.form)
    items: list[str] = page.values["items"]
    body = [{"item": item, **(submitted[item] or {})} for item in items]
    error_fields = {f"{i}.{column}": f"{item}.{column}" for i, item in enumerate(items) for column in COLUMNS}
    error_fields |= {f"{i}.item": f"{item}.{COLUMNS[0]}" for i, item in enumerate(items)}
    work = service.replace_accounts(request.tenant, page.company.id, body)
    return await page.save(request, work, "Accounts saved", error_fields)


@router.get("/companies/{client_id}/settings/splits")
async def show_splits(request: PageRequest) -> HttpResponse:
    """Show how journals are split."""
    return (await _splits_page(request)).show(request)


@router.post("/companies/{client_id}/settings/splits")
async def change_splits(request: PageRequest) -> HttpResponse:
    """Save how journals are split."""
    await request.writable_company(request.ids["client_id"])
    page = await _splits_page(request)
    body = page.form.to_body(request.form)
    named, new = (
        {f"{group}.{key}": name for key, name in (body.pop(group, None) or {}).items() if name is not None}
        for group in (SPLIT, NEW_SPLIT)
    )
    splits = [{"id": field.removeprefix(f"{SPLIT}."), "name": name} for field, name in named.items()]
    splits += [{"name": name} for name in new.values()]
    error_fields = {f"splits.{i}": field for i, field in enumerate((*named, *new))}
    first = next(field.name for field in page.form.fields if field.name.startswith((f"{SPLIT}.", f"{NEW_SPLIT}.")))
    work = _replace_splits(request, page.company.id, {**body, "splits": splits or None})
    return await page.save(request, work, "Journal splits saved", {**error_fields, "splits": first})


async def _replace_splits(request: PageRequest, client_id: int, body: Mapping[str, Any]) -> None:
    """Save the splits. New names that the service would ignore are rejected, so that no input is lost silently."""
    has_new_names = any("id" not in split for split in body["splits"] or ())
    if has_new_names and body["mode"] not in (None, BY_EMPLOYEE):
        raise invalid("splits", SPLITS_NOT_APPLICABLE)
    await service.replace_splits(request.tenant, client_id, body)


async def _accounts_page(request: PageRequest) -> RecordPage:
    company = await request.company(request.ids["client_id"])
    accounts = [msgspec.json.decode(element) for element in await service.list_accounts(request.tenant, company.id)]
    items = await definitions.list_items(request.tenant, company.id)
    captions = {str(item["item"]): item["caption"] for item in items} | {NETT_PAY: "Nett pay"}
    fields = [
        Field(
            f"{account['item']}.{column}",
            f"{label(column)} of {captions[str(account['item'])]}",
            value=account[column],
            max_length=100,
        )
        for account in accounts
        for column in COLUMNS
    ]
    values = {"items": [str(account["item"]) for account in accounts], "captions": captions, "columns": COLUMNS}
    return RecordPage(company, ACCOUNTS, ACCOUNTS.title, Form(fields), template="settings_accounts.html", values=values)


async def _splits_page(request: PageRequest) -> RecordPage:
    company = await request.company(request.ids["client_id"])
    current: Mapping[str, Any] = await service.read_splits(request.tenant, company.id)
    condition = f"mode={BY_EMPLOYEE}"
    named = [
        Field(f"{SPLIT}.{split['id']}", f"Split {split['id']}", value=split["name"], condition=condition)
        for split in (current["splits"] if current["mode"] == BY_EMPLOYEE else ())
    ]
    new = [
        Field(f"{NEW_SPLIT}.{number}", f"New split {number}", condition=condition)
        for number in range(1, NEW_SPLITS + 1)
    ]
    form = Form([*build_form("splits", SPLITS.attributes, current).fields, *named, *new])
    values = {"splits": current["splits"], "mode": current["mode"]}
    return RecordPage(
        company, JOURNAL_SPLITS, JOURNAL_SPLITS.title, form, template="settings_splits.html", values=values
    )
