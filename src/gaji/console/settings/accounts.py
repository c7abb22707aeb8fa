"""Where a company books its payroll: the accounts of every item, and over what journals are divided."""

from collections.abc import Mapping
from typing import Any

import msgspec

from gaji.console.settings.record_page import RecordPage, Section
from gaji.console.forms import Field, Form, form_of
from gaji.console.pages import Pages
from gaji.console.rendering import words
from gaji.console.request import Visit
from gaji.core.errors import INVALID, invalid
from gaji.payroll.accounting import service
from gaji.payroll.accounting.rules import ACCOUNT, BY_EMPLOYEE, SPLITS
from gaji.payroll.calculation_definitions import service as definitions
from gaji.web.gateway import Response

pages = Pages()

ACCOUNTS = Section("accounts", "Ledger accounts", "", "")
DIVISION = Section("splits", "Journal splits", "", "")
COLUMNS = [one.name for one in ACCOUNT.attributes if one.name != "item"]
NETT_PAY = "nett_pay"
SPLIT = "split"
BLANKS = 5


@pages.get("/companies/{client_id}/settings/accounts")
async def show_accounts(visit: Visit) -> Response:
    """The accounts of every item."""
    return (await _accounts(visit)).show(visit)


@pages.post("/companies/{client_id}/settings/accounts")
async def change_accounts(visit: Visit) -> Response:
    """Name the accounts anew; what is cleared goes back to the usual one."""
    await visit.own_company(visit.ids["client_id"])
    page = await _accounts(visit)
    typed = page.form.body(visit.form)
    items: list[str] = page.more["items"]
    body = [{"item": item, **(typed[item] or {})} for item in items]
    at = {f"{place}.{column}": f"{item}.{column}" for place, item in enumerate(items) for column in COLUMNS}
    at |= {f"{place}.item": f"{item}.{COLUMNS[0]}" for place, item in enumerate(items)}
    work = service.replace_accounts(visit.tenant, page.company.id, body)
    return await page.save(visit, work, "The accounts have been saved", at)


@pages.get("/companies/{client_id}/settings/splits")
async def show_splits(visit: Visit) -> Response:
    """Over what the journals of a company are divided."""
    return (await _splits(visit)).show(visit)


@pages.post("/companies/{client_id}/settings/splits")
async def change_splits(visit: Visit) -> Response:
    """Divide journals in another way."""
    await visit.own_company(visit.ids["client_id"])
    page = await _splits(visit)
    typed = page.form.body(visit.form)
    given = {name: text for name, text in (typed.pop(SPLIT) or {}).items() if text is not None}
    named = [{"id": name, "name": text} if name.isdigit() else {"name": text} for name, text in given.items()]
    at = {f"splits.{place}": f"{SPLIT}.{name}" for place, name in enumerate(given)}
    first = next(one.name for one in page.form.fields if one.name.startswith(SPLIT))
    work = _divide(visit, page.company.id, {**typed, "splits": named or None})
    return await page.save(visit, work, "The splits have been saved", {**at, "splits": first})


async def _divide(visit: Visit, client_id: int, body: Mapping[str, Any]) -> None:
    """Divide journals; new names that would be ignored are refused, so that nobody loses what they typed unsaid."""
    if body["mode"] not in (None, BY_EMPLOYEE) and any("id" not in one for one in body["splits"] or ()):
        raise invalid(
            "splits", INVALID, reason="can be named only where journals are divided by the percentages of each employee"
        )
    await service.replace_splits(visit.tenant, client_id, body)


async def _accounts(visit: Visit) -> RecordPage:
    company = await visit.company(visit.ids["client_id"])
    found = [msgspec.json.decode(one) for one in await service.list_accounts(visit.tenant, company.id)]
    captions = {one["item"]: one["caption"] for one in await definitions.list_items(visit.tenant, company.id)}
    captions[NETT_PAY] = "Nett pay"
    fields = [
        Field(f"{one['item']}.{column}", f"{words(column)} of {captions[one['item']]}", value=one[column], most=100)
        for one in found
        for column in COLUMNS
    ]
    items = [str(one["item"]) for one in found]
    more = {"items": items, "captions": {str(item): text for item, text in captions.items()}, "columns": COLUMNS}
    return RecordPage(company, ACCOUNTS, ACCOUNTS.title, Form(fields), template="settings_accounts.html", more=more)


async def _splits(visit: Visit) -> RecordPage:
    company = await visit.company(visit.ids["client_id"])
    found: Mapping[str, Any] = await service.read_splits(visit.tenant, company.id)
    needs = f"mode={BY_EMPLOYEE}"
    own = found["splits"] if found["mode"] == BY_EMPLOYEE else ()
    named = [Field(f"{SPLIT}.{one['id']}", f"Split {one['id']}", value=one["name"], needs=needs) for one in own]
    new = [Field(f"{SPLIT}.new{number}", f"New split {number}", needs=needs) for number in range(1, BLANKS + 1)]
    form = Form([*form_of(SPLITS.attributes, found, hints={"mode": ""}).fields, *named, *new])
    more = {"splits": found["splits"], "mode": found["mode"]}
    return RecordPage(company, DIVISION, DIVISION.title, form, template="settings_splits.html", more=more)
