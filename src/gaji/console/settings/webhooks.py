"""Webhooks of a company: endpoints, their deliveries, tests and replays."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from gaji.company.clients.service import ClientMembership
from gaji.console.forms import Form, build_form
from gaji.console.glossary import EVENTS
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.pagination import build_pager
from gaji.console.request import PageRequest
from gaji.console.settings.record_page import Element, Section, get_by_id
from gaji.console.table_sort import parse_sort
from gaji.console.tables import SortKeys, build_table
from gaji.core.errors import Conflict, Forbidden, ValidationError
from gaji.integrations.webhooks import service
from gaji.integrations.webhooks.schemas import WEBHOOK_ENDPOINT
from gaji.integrations.webhooks.service import NewSecret
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section("webhooks", "Webhooks", "", "")
LIST = "/companies/{client_id}/settings/webhooks"
ONE = f"{LIST}/{{endpoint_id}}"
PER_PAGE = 25
SORT_KEYS: SortKeys[Element] = {
    "address": lambda endpoint: endpoint["url"],
    "waiting": lambda endpoint: endpoint["pending"],
    "state": lambda endpoint: not endpoint["enabled"],
}
DELIVERY_COLUMNS = ("message", "last_attempt", "attempts", "state")
LARGEST_FIRST = ("last_attempt", "attempts")
STATES = {"pending": "Waiting", "delivered": "Delivered", "failed": "Failed"}


@router.get(LIST)
async def list_webhooks(request: PageRequest) -> HttpResponse:
    """Show the webhooks of a company."""
    company = await request.company(request.ids["client_id"])
    endpoints = await _load_endpoints(request, company)
    return request.render(
        "settings_webhooks.html",
        company=company,
        here="Settings",
        section=SECTION,
        table=build_table(request, endpoints, SORT_KEYS, largest_first=("waiting",)),
        events=EVENTS,
    )


@router.get(f"{LIST}/new")
async def new_webhook(request: PageRequest) -> HttpResponse:
    """Show the form for a new webhook."""
    company = await request.writable_company(request.ids["client_id"])
    return _show_form(request, company, _build_form({}), None, [])


@router.post(f"{LIST}/new", step_up=True)
async def create_webhook(request: PageRequest) -> HttpResponse:
    """Create a webhook and show its secret once."""
    company = await request.writable_company(request.ids["client_id"])
    form = _build_form({})
    client_id = None if request.form.get("all_companies") == "true" else company.id
    try:
        new, _ = await service.create_endpoint(request.tenant, client_id, _body(request, form))
    except (ValidationError, Conflict, Forbidden) as error:
        return _show_errors(request, company, form, None, error)
    return _show_secret(request, company, new)


@router.get(f"{ONE}/edit")
async def edit_webhook(request: PageRequest) -> HttpResponse:
    """Show the form of a webhook, and its deliveries."""
    company, endpoint = await _load_own(request)
    page = request.list_page(PER_PAGE)
    sort = parse_sort(request, DELIVERY_COLUMNS, LARGEST_FIRST, "#deliveries")
    elements, total = await service.list_deliveries(request.tenant, endpoint["id"], None, page, sort.order)
    deliveries = [_delivery_row(msgspec.json.decode(element)) for element in elements]
    return _show_form(
        request,
        company,
        _build_form(endpoint),
        endpoint,
        endpoint["types"],
        deliveries=deliveries,
        sort=sort,
        pager=build_pager(request, page, total),
    )


@router.post(f"{ONE}/edit", step_up=True)
async def change_webhook(request: PageRequest) -> HttpResponse:
    """Save a webhook."""
    company, endpoint = await _load_own(request)
    form = _build_form(endpoint)
    try:
        await service.update_endpoint(request.tenant, endpoint["id"], _body(request, form))
    except (ValidationError, Forbidden) as error:
        return _show_errors(request, company, form, endpoint, error)
    return request.redirect(SECTION.path(company.id), "Webhook saved")


@router.post(
    f"{ONE}/delete",
    confirm=Confirmation("Delete this webhook?", "The receiver gets no more messages. Its deliveries are deleted too."),
)
async def delete_webhook(request: PageRequest) -> HttpResponse:
    """Delete a webhook."""
    company, endpoint = await _load_own(request)
    await service.delete_endpoint(request.tenant, endpoint["id"])
    return request.redirect(SECTION.path(company.id), "Webhook deleted")


@router.post(f"{ONE}/test")
async def send_test(request: PageRequest) -> HttpResponse:
    """Send a test message."""
    company, endpoint = await _load_own(request)
    await service.send_test(request.tenant, endpoint["id"])
    return request.redirect(_edit_path(company, endpoint), "Test message sent. Reload the page to see the result")


@router.post(
    f"{ONE}/rotate",
    confirm=Confirmation(
        "Replace the secret?",
        "The receiver needs the new secret within a day. Until then, messages are signed with both.",
        "Replace",
    ),
    step_up=True,
)
async def rotate_secret(request: PageRequest) -> HttpResponse:
    """Replace the secret and show the new one once."""
    company, endpoint = await _load_own(request)
    return _show_secret(request, company, await service.rotate_secret(request.tenant, endpoint["id"]))


@router.post(f"{ONE}/deliveries/{{delivery_id}}/replay")
async def replay_delivery(request: PageRequest) -> HttpResponse:
    """Send a delivery again."""
    company, endpoint = await _load_own(request)
    await service.replay_delivery(request.tenant, request.ids["delivery_id"], endpoint["id"])
    return request.redirect(_edit_path(company, endpoint), "Message sent again. Reload the page to see the result")


@dataclass(frozen=True)
class DeliveryRow:
    """A delivery as the page shows it."""

    id: int
    type: str
    state: str
    attempts: int
    last_attempt_at: datetime | None
    reason: str | None
    """Why the last attempt failed."""


def _delivery_row(delivery: Element) -> DeliveryRow:
    attempts = delivery["attempts"]
    last = attempts[-1] if attempts else None
    return DeliveryRow(
        delivery["id"],
        delivery["type"],
        delivery["state"],
        len(attempts),
        datetime.fromisoformat(last["at"]) if last else None,
        last["reason"] if last else None,
    )


async def _load_endpoints(request: PageRequest, company: ClientMembership) -> list[Element]:
    """Load the webhooks of a company, and those of all companies if the user may see them."""
    elements = [msgspec.json.decode(element) for element in await service.list_endpoints(request.tenant, None)]
    return [element for element in elements if element["client_id"] in (company.id, None)]


async def _load_own(request: PageRequest) -> tuple[ClientMembership, Element]:
    company = await request.writable_company(request.ids["client_id"])
    endpoints = await _load_endpoints(request, company)
    return company, get_by_id(endpoints, request.ids["endpoint_id"], "Webhook")


def _build_form(endpoint: Element) -> Form:
    return build_form("webhook", WEBHOOK_ENDPOINT.attributes, endpoint)


def _body(request: PageRequest, form: Form) -> dict[str, Any]:
    return {**form.to_body(request.form), "types": request.fields.get("types", [])}


def _edit_path(company: ClientMembership, endpoint: Element) -> str:
    return f"{SECTION.path(company.id)}/{endpoint['id']}/edit"


def _show_errors(
    request: PageRequest,
    company: ClientMembership,
    form: Form,
    endpoint: Element | None,
    error: ValidationError | Conflict | Forbidden,
) -> HttpResponse:
    submitted = form.with_values(request.form).with_errors(error)
    types = request.fields.get("types", [])
    return _show_form(request, company, submitted, endpoint, types, status=error.status)


def _show_form(
    request: PageRequest,
    company: ClientMembership,
    form: Form,
    endpoint: Element | None,
    chosen: list[str],
    *,
    status: int = 200,
    **values: Any,
) -> HttpResponse:
    return request.render(
        "settings_webhook.html",
        status=status,
        company=company,
        here="Settings",
        section=SECTION,
        form=form,
        endpoint=endpoint,
        chosen=chosen,
        events=EVENTS,
        states=STATES,
        is_administrator=request.tenant.caller.administrator,
        delete_path=f"{SECTION.path(company.id)}/{endpoint['id']}/delete" if endpoint else "",
        title=endpoint["url"] if endpoint else "Add webhook",
        **values,
    )


def _show_secret(request: PageRequest, company: ClientMembership, new: NewSecret) -> HttpResponse:
    return request.render(
        "settings_webhook_secret.html", company=company, here="Settings", section=SECTION, secret=new.secret
    )
