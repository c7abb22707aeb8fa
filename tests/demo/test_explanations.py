"""Payslips of the demo, recalculated from the text of their explanations."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from gaji.db.installation import open_installation
from gaji.demo.account import create_demo
from tests.engine.test_cases import text_to_cents
from tests.law import arithmetic
from tests.support.running import Service, http_client

PAYSLIPS = 10


@pytest.fixture(scope="module")
def http(service: Service) -> Iterator[httpx.Client]:
    """An API client with the demo's key."""
    with open_installation(service.settings) as installation:
        demo = asyncio.run(create_demo(installation, 1, 30, 1))
    with http_client(base_url=f"{service.url}/v1", headers={"authorization": demo.api_key}) as client:
        yield client


def payslips(http: httpx.Client) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Return a payslip of each employee with its explanation, longest first."""
    client_id = http.get("/clients").json()[0]["client"]["id"]
    explained = []
    for element in http.get(f"/clients/{client_id}/employees?include=recent_payslips").json():
        for payslip in element["employee"]["recent_payslips"][:1]:
            path = f"/payslips/{payslip['payslip']['id']}"
            payslip_lines = http.get(path).json()["payslip"]
            explained.append((payslip_lines, http.get(f"{path}/explanation").json()["explanation"]))
    return sorted(explained, key=lambda pair: -len(pair[1]))


def lines(payslip: dict[str, Any]) -> list[tuple[str | int, str]]:
    """Return every line and total of a payslip, in order."""
    groups = [
        payslip["income"],
        payslip["deduction"],
        *(group for _, group in payslip["sideline"]),
        payslip["grand_total"],
    ]
    return [(item, amount) for group in groups for item, amount in group]


def test_explanations_reproduce_every_line(http: httpx.Client) -> None:
    explained = payslips(http)
    assert len(explained) >= PAYSLIPS
    for payslip, explanation in explained:
        assert [(line["item"], line["amount"]) for line in explanation] == lines(payslip)
        for line in explanation:
            arithmetic.check_amount(tuple(line["arithmetic"]), text_to_cents(line["amount"]))


def test_the_demo_explains_a_variety_of_items(http: httpx.Client) -> None:
    items = {line["item"] for _, explanation in payslips(http) for line in explanation}
    assert items >= {"basic_salary", "cpf_employee", "cpf_employer", "sdl", "foreign_worker_levy", "cdac", "loan"}
