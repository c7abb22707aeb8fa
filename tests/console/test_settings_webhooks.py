"""Webhooks in the console. Nothing is sent: the name of the receiver has no address."""

import re
from typing import Any

from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.support.company import Company

URL = "https://receiver.invalid/gaji"
SECRET = re.compile(r'<code id="secret">(whsec_[^<]+)</code>')


def path_of(company: Company) -> str:
    return f"/companies/{company.id}/settings/webhooks"


def endpoints_of(company: Company) -> list[dict[str, Any]]:
    elements = company.member.get("/webhook_endpoints").json()
    return [element["webhook_endpoint"] for element in elements]


def add(owner: ConsoleUser, company: Company, **data: Any) -> dict[str, Any]:
    """Add a webhook and return it."""
    form = {"url": URL, "types": "law.updated", "enabled": "true", **data}
    answer = owner.post(f"{path_of(company)}/new", form)
    assert answer.status_code == 200, page_text(answer)
    assert SECRET.search(answer.text)
    return endpoints_of(company)[-1]


def test_a_webhook_is_added_and_its_secret_is_shown_once(owner: ConsoleUser, company: Company) -> None:
    endpoint = add(owner, company, description="HR system")
    assert (endpoint["url"], endpoint["client_id"], endpoint["types"]) == (URL, company.id, ["law.updated"])
    page = owner.get(path_of(company)).text
    assert URL in page
    assert "HR system" in page
    assert "whsec_" not in page + owner.get(f"{path_of(company)}/{endpoint['id']}/edit").text


def test_an_administrator_adds_a_webhook_for_all_companies(owner: ConsoleUser, company: Company) -> None:
    assert add(owner, company, all_companies="true")["client_id"] is None
    officer = signed_in_user(company.member.colleague(company.id, "payroll"))
    assert URL not in officer.get(path_of(company)).text


def test_an_error_is_shown_at_its_field(owner: ConsoleUser, company: Company) -> None:
    answer = owner.post(f"{path_of(company)}/new", {"url": "https://10.0.0.1/", "types": "employee.created"})
    assert answer.status_code == 422
    assert "10.0.0.1 is not a public address" in page_text(answer)
    assert endpoints_of(company) == []


def test_a_webhook_is_changed_and_deleted(owner: ConsoleUser, company: Company) -> None:
    path = f"{path_of(company)}/{add(owner, company)['id']}"
    assert owner.post(f"{path}/edit", {"url": f"{URL}/new", "enabled": "false"}).status_code == 303
    [endpoint] = endpoints_of(company)
    assert (endpoint["url"], endpoint["enabled"], endpoint["types"]) == (f"{URL}/new", False, [])
    assert owner.post(f"{path}/delete", {}, page=f"{path}/edit").status_code == 303
    assert endpoints_of(company) == []


def test_a_test_message_and_its_result_are_shown_and_it_is_sent_again(owner: ConsoleUser, company: Company) -> None:
    endpoint = add(owner, company)
    path = f"{path_of(company)}/{endpoint['id']}"
    assert owner.post(f"{path}/test", {}, page=f"{path}/edit").status_code == 303
    [element] = company.member.get(f"/webhook_endpoints/{endpoint['id']}/deliveries").json()
    assert "Test message" in page_text(owner.get(f"{path}/edit"))
    replay = f"{path}/deliveries/{element['webhook_delivery']['id']}/replay"
    assert owner.post(replay, {}, page=f"{path}/edit").status_code == 303


def test_the_secret_is_replaced(owner: ConsoleUser, company: Company) -> None:
    path = f"{path_of(company)}/{add(owner, company)['id']}"
    answer = owner.post(f"{path}/rotate", {}, page=f"{path}/edit")
    assert SECRET.search(answer.text)
