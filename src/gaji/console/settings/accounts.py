"""Where a company books its payroll: the accounts of every item, and over what journals are divided."""

from collections.abc import Mapping
from typing import Any

import msgspec

from gaji.console.settings.record_page import RecordPage, Section
from gaji.console.forms import Field, Form, build_form
from gaji.console.pages import PageRouter

from gaji.console.request import PageRequest
from gaji.core.errors import INVALID, invalid
from gaji.payroll.accounting import service
from gaji.payroll.accounting.rules import BY_EMPLOYEE
from gaji.payroll.accounting.schemas import ACCOUNT, SPLITS
from gaji.payroll.calculation_definitions import service as definitions
from gaji.web.responses import HttpResponse

router = PageRouter()

ACCOUNTS = Section("accounts", "Ledger accounts", "", "")
DIVISION = Section("splits", "Journal splits", "", "")
COLUMNS = [one.name for one in ACCOUNT.attributes if one.name != "item"]
NETT_PAY = "nett_pay"
SPLIT = "split"
BLANKS = 5


@router.get("/companies/{client_id}/settings/accounts")
async def show_accounts(request: PageRequest) -> HttpResponse:
    """The accounts of every item."""
    return (await _accounts(request)).show(request)


@router.post("/companies/{client_id}/settings/accounts")
async def change_accounts(request: PageRequest) -> HttpResponse:
    """Name the accounts anew; what is cleared goes back to the usual one."""
    await request.writable_company(request.ids["client_id"])
    page = await _accounts(request)
    typed = page.form.body(request.form)
    items: list[str] = page.more["items"]
    body = [{"item": item, **(typed[item] or {})} for item in items]
    at = {f"{place}.{column}": f"{item}.{column}" for place, item in enumerate(items) for column in COLUMNS}
    at |= {f"{place}.item": f"{item}.{COLUMNS[0]}" for place, item in enumerate(items)}
    work = service.replace_accounts(request.tenant, page.company.id, body)
    return await page.save(request, work, "The accounts have been saved", at)


@router.get("/companies/{client_id}/settings/splits")
async def show_splits(request: PageRequest) -> HttpResponse:
    """Over what the journals of a company are divided."""
    return (await _splits(request)).show(request)


@router.post("/companies/{client_id}/settings/splits")
async def change_splits(request: PageRequest) -> HttpResponse:
    """Divide journals in another way."""
    await request.writable_company(request.ids["client_id"])
    page = await _splits(request)
    typed = page.form.body(request.form)
    given = {name: text for name, text in (typed.pop(SPLIT) or {}).items() if text is not None}
    named = [{"id": name, "name": text} if name.isdigit() else {"name": text} for name, text in given.items()]
    at = {f"splits.{place}": f"{SPLIT}.{name}" for place, name in enumerate(given)}
    first = next(one.name for one in page.form.fields if one.name.startswith(SPLIT))
    work = _divide(request, page.company.id, {**typed, "splits": named or None})
    return await page.save(request, work, "The splits have been saved", {**at, "splits": first})


async def _divide(request: PageRequest, client_id: int, body: Mapping[str, Any]) -> None:
    """Divide journals; new names that would be ignored are refused, so that nobody loses what they typed unsaid."""
    if body["mode"] not in (None, BY_EMPLOYEE) and any("id" not in one for one in body["splits"] or ()):
        raise invalid(
            "splits", INVALID, reason="can be named only where journals are divided by the percentages of each employee"
        )
    await service.replace_splits(request.tenant, client_id, body)


async def _accounts(request: PageRequest) -> RecordPage:
    company = await request.company(request.ids["client_id"])
    found = [msgspec.json.decode(one) for one in await service.list_accounts(request.tenant, company.id)]
    captions = {one["item"]: one["caption"] for one in await definitions.list_items(request.tenant, company.id)}
    captions[NETT_PAY] = "Nett pay"
    fields = [
        Field(f"{one['item']}.{column}", f"{label(column)} of {captions[one['item']]}", value=one[column], most=100)
        for one in found
        for column in COLUMNS
    ]
    items = [str(one["item"]) for one in found]
    more = {"items": items, "captions": {str(item): text for item, text in captions.items()}, "columns": COLUMNS}
    return RecordPage(company, ACCOUNTS, ACCOUNTS.title, Form(fields), template="settings_accounts.html", more=more)


async def _splits(request: PageRequest) -> RecordPage:
    company = await request.company(request.ids["client_id"])
    found: Mapping[str, Any] = await service.read_splits(request.tenant, company.id)
    needs = f"mode={BY_EMPLOYEE}"
    own = found["splits"] if found["mode"] == BY_EMPLOYEE else ()
    named = [Field(f"{SPLIT}.{one['id']}", f"Split {one['id']}", value=one["name"], needs=needs) for one in own]
    new = [Field(f"{SPLIT}.new{number}", f"New split {number}", needs=needs) for number in range(1, BLANKS + 1)]
    form = Form([*build_form(SPLITS.attributes, found, hints={"mode": ""}).fields, *named, *new])
    more = {"splits": found["splits"], "mode": found["mode"]}
    return RecordPage(company, DIVISION, DIVISION.title, form, template="settings_splits.html", more=more)
