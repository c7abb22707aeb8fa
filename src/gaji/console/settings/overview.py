"""The settings page of a company, and the form for its details."""

from collections.abc import Sequence
from typing import Any

import msgspec

from gaji.approvals.models import ApprovalKind
from gaji.company.clients import service as clients
from gaji.company.pay_points import service as pay_points
from gaji.company.waves import service as waves
from gaji.console.approvals import load_pending
from gaji.console.companies import company_form
from gaji.console.company_numbers import load_number_texts
from gaji.console.error_messages import error_text
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.console.return_paths import return_path
from gaji.console.settings.record_page import Element
from gaji.console.tables import Table, build_table, sort_rows
from gaji.core.bank_accounts import account_notes
from gaji.core.errors import ValidationError
from gaji.web.responses import HttpResponse

router = PageRouter()


@router.get("/companies/{client_id}/settings")
async def show_settings(request: PageRequest) -> HttpResponse:
    """Show the settings of a company."""
    company = await request.company(request.ids["client_id"])
    client = await _load_client(request, company.id)
    wave_elements, _ = await waves.list_waves(request.tenant, company.id, True, None)
    pay_point_elements, _ = await pay_points.list_pay_points(request.tenant, company.id, None)
    return request.render(
        "settings.html",
        company=company,
        here="Settings",
        client=client,
        notes=await _load_notes(request, client),
        waves=[msgspec.json.decode(element) for element in wave_elements],
        pay_points=_pay_point_table(request, pay_point_elements),
        approvals=await load_pending(request, company, kind=ApprovalKind.CLIENT_BANK_ACCOUNT),
    )


def _pay_point_table(request: PageRequest, elements: Sequence[str]) -> Table[Element]:
    """Return the pay points by name, searched and in pages."""
    decoded: list[Element] = [msgspec.json.decode(element) for element in elements]
    return build_table(request, sort_rows(decoded, _name), {}, searched=_name, anchor="#pay-points")


def _name(element: Element) -> str:
    return str(element["name"])


@router.get("/companies/{client_id}/details")
async def edit_company(request: PageRequest) -> HttpResponse:
    """Show the form for a company's details."""
    company = await request.writable_company(request.ids["client_id"])
    client = await _load_client(request, company.id)
    return request.render(
        "company_form.html",
        company=company,
        here="Settings",
        form=company_form(client),
        client_id=company.id,
        notes=await _load_notes(request, client),
        return_to=return_path(request.query),
    )


async def _changes_account(request: PageRequest) -> bool:
    """Return whether the form changes the bank account that pays."""
    company = await request.company(request.ids["client_id"])
    return company_form(await _load_client(request, company.id)).is_changed(request.form, "bank_account")


@router.post("/companies/{client_id}/details", step_up=_changes_account)
async def change_company(request: PageRequest) -> HttpResponse:
    """Save a company's details."""
    company = await request.writable_company(request.ids["client_id"])
    form = company_form(await _load_client(request, company.id))
    try:
        saved = await clients.update_client(request.tenant, company.id, form.to_body(request.form))
    except ValidationError as error:
        form = form.with_values(request.form).with_errors(error)
        return request.render(
            "company_form.html",
            status=422,
            company=company,
            here="Settings",
            form=form,
            client_id=company.id,
            return_to=return_path(request.form),
        )
    pending = ". Another person has to approve the bank account" if saved.approval else ""
    next_path = return_path(request.form) or f"/companies/{company.id}/settings"
    return request.redirect(next_path, f"Company details saved{pending}")


async def _load_client(request: PageRequest, client_id: int) -> dict[str, Any]:
    client: dict[str, Any] = msgspec.json.decode(await clients.read_client(request.tenant, client_id))
    return client


async def _load_notes(request: PageRequest, client: dict[str, Any]) -> list[str]:
    """Return what is wrong with the company's account and unusual about its numbers, in words."""
    account = [f"Bank account: {error_text(note)}" for note in account_notes(client["bank_account"])]
    return account + await load_number_texts(request, client["id"])
