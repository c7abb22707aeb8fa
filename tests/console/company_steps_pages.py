"""Pages and forms of steps for several companies, as a browser without scripts uses them."""

import re
import time
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any
from urllib.parse import urlencode

import httpx

from tests.console.console_user import ConsoleUser, page_text
from tests.payroll.payment_runs.runs import READY_WITHIN_S, hired, listed, read
from tests.support.company import Company
from tests.support.running import Service

STEPS = "/companies/steps"
CPF_EMPLOYER = {"uen": "202699999E", "cpf_submission_number": "202699999EPTE01"}
Fields = dict[str, list[str]]


def two_companies(service: Service) -> tuple[Company, Company]:
    """Two companies of one account, each with an employee who was not paid yet."""
    member = service.new_account()
    bakery, clinic = Company.of(member, name="Tampines Bakery"), Company.of(member, name="Yishun Clinic")
    hired(bakery, "4200.00")
    hired(clinic, "3000.00")
    return bakery, clinic


def reviewed(user: ConsoleUser, step: str, *companies: Company) -> httpx.Response:
    """Return the page that shows what a step would do."""
    query = [("step", step), *(("client_id", company.id) for company in companies)]
    answer = user.get(f"{STEPS}?{urlencode(query)}")
    assert answer.status_code == 200, answer.text
    return answer


def form_fields(answer: httpx.Response) -> Fields:
    """Return what a browser sends with the form of the step: all fields, and the boxes that are checked."""
    form = answer.text.partition(f'<form method="post" action="{STEPS}">')[2].partition("</form>")[0]
    fields: Fields = {}
    for element in re.findall(r"<input\b[^>]*>", form):
        attributes = dict(re.findall(r'([a-z_-]+)="([^"]*)"', element))
        if attributes.get("type") != "checkbox" or " checked" in element:
            fields.setdefault(attributes["name"], []).append(unescape(attributes["value"]))
    return fields


def sent(user: ConsoleUser, fields: Mapping[str, Sequence[str]], **changes: Sequence[str]) -> httpx.Response:
    """Send the form of a step with some other values, and wait until workers have done it."""
    answer = user.browser.post(STEPS, data={**fields, **changes})
    return finished(user, answer.headers["location"]) if answer.status_code == 303 else answer


def finished(user: ConsoleUser, path: str) -> httpx.Response:
    """Return the page of a step when it is done. Until then the page refreshes itself, without scripts."""
    deadline = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < deadline:
        answer = user.get(path)
        assert answer.status_code == 200, answer.text
        if "refresh" not in answer.headers:
            return answer
        time.sleep(0.05)
    raise AssertionError(page_text(answer))


def rows_of(answer: httpx.Response) -> dict[str, str]:
    """Return the text of the first row of each company on a page."""
    rows = re.findall(r'<tr[^>]*><th scope="row">(.*?)</tr>', answer.text, re.DOTALL)
    texts = [unescape(re.sub(r"<[^>]+>", "|", row)) for row in rows]
    parts = [[part.strip() for part in text.split("|") if part.strip()] for text in texts]
    texts_by_company: dict[str, str] = {}
    for name, *others in parts:
        texts_by_company.setdefault(name, " ".join(others))
    return texts_by_company


def states(*companies: Company) -> list[tuple[bool, bool]]:
    """Return for each company whether its runs are finalised and released."""
    return [(run["finalised"], run["released"]) for company in companies for run in runs_of(company)]


def runs_of(company: Company) -> list[dict[str, Any]]:
    """Return the runs of a company with their states."""
    return [read(company, run["id"]) for run in listed(company)]


def selected_companies(page: str) -> set[int]:
    """Return the companies that are selected in the list."""
    boxes = re.findall(r'<input type="checkbox" name="client_id" value="(\d+)" form="steps" [^>]*checked>', page)
    return {int(number) for number in boxes}
