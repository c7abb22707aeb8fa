"""Payslips of the demo, worked out again from nothing but the text of their explanations."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from gaji.db.installation import open_installation
from gaji.demo import create_demo
from tests.engine.test_cases import text_to_cents
from tests.law import arithmetic
from tests.support.running import Service, http_client

PAYSLIPS = 10


@pytest.fixture(scope="module")
def service(own_service: Service) -> Service:
    """A server without the accounts of other tests."""
    return own_service


@pytest.fixture(scope="module")
def http(service: Service) -> Iterator[httpx.Client]:
    """The API as the demo's key sees it."""
    with open_installation(service.settings) as installation:
        made = asyncio.run(create_demo(installation, 1, 30, 1))
    with http_client(base_url=f"{service.url}/v1", headers={"authorization": made.api_key}) as client:
        yield client


def payslips(http: httpx.Client) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The payslips with the most lines, one for each employee, and why they are what they are."""
    client_id = http.get("/clients").json()[0]["client"]["id"]
    found = []
    for element in http.get(f"/clients/{client_id}/employees?include=recent_payslips").json():
        for payslip in element["employee"]["recent_payslips"][:1]:
            path = f"/payslips/{payslip['payslip']['id']}"
            slip = http.get(path).json()["payslip"]
            found.append((slip, http.get(f"{path}/explanation").json()["explanation"]))
    return sorted(found, key=lambda one: -len(one[1]))


def lines(slip: dict[str, Any]) -> list[tuple[str | int, str]]:
    """Every line and total of a payslip, in the order in which it shows them."""
    groups = [slip["income"], slip["deduction"], *(group for _, group in slip["sideline"]), slip["grand_total"]]
    return [(item, amount) for group in groups for item, amount in group]


def test_the_explanation_alone_gives_every_line_again(http: httpx.Client) -> None:
    found = payslips(http)
    assert len(found) >= PAYSLIPS
    for slip, explanation in found:
        assert [(one["item"], one["amount"]) for one in explanation] == lines(slip)
        for one in explanation:
            arithmetic.check(tuple(one["arithmetic"]), text_to_cents(one["amount"]))


def test_the_demo_has_payslips_that_are_worth_explaining(http: httpx.Client) -> None:
    items = {one["item"] for _, explanation in payslips(http) for one in explanation}
    assert items >= {"basic_salary", "cpf_employee", "cpf_employer", "sdl", "foreign_worker_levy", "cdac", "loan"}
