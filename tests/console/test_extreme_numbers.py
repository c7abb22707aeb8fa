"""Numbers far beyond any range in the forms of every page are errors that the page shows."""

import re
import time
from html.parser import HTMLParser

import pytest

from tests.console.console_user import ConsoleUser, signed_in_user
from tests.console.sample_company import SampleCompany, create_sample_company
from tests.console.test_permissions import LOOKS
from tests.support.company import Company
from tests.support.running import Service

pytestmark = pytest.mark.slow

NUMBERS = ("1e1000000", "9" * 5000)
TYPED = ("text", "number", "search")
QUICK_S = 10
DESTRUCTIVE = re.compile(r"/(delete|users|sign-out)\b")


class FormParser(HTMLParser):
    """Collects the forms of a page: the action, and the type, name and value of each field."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[str, str, list[tuple[str, str, str]]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append((values.get("method", "get"), values.get("action", ""), []))
        elif self.forms and values.get("name") and tag in ("input", "textarea"):
            kind = values.get("type", "text")
            if kind not in ("checkbox", "radio", "file"):
                self.forms[-1][2].append((kind, values["name"], values.get("value", "")))


@pytest.fixture(scope="module")
def sample(service: Service) -> SampleCompany:
    return create_sample_company(Company.of(service.new_account()))


@pytest.fixture(scope="module")
def owner(sample: SampleCompany) -> ConsoleUser:
    return signed_in_user(sample.company.member)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:12])
def test_forms_with_numbers_out_of_range_do_not_fail(sample: SampleCompany, owner: ConsoleUser, number: str) -> None:
    failures, sent = [], 0
    for page in LOOKS:
        path = sample.path(page.path)
        parser = FormParser()
        parser.feed(owner.get(path).text)
        for method, action, fields in parser.forms:
            if not any(kind in TYPED for kind, *_ in fields) or DESTRUCTIVE.search(action or path):
                continue
            data = {name: number if kind in TYPED else value for kind, name, value in fields}
            started = time.monotonic()
            if method.lower() == "get":
                answer = owner.browser.get(f"{owner.member.service.url}{action or path}", params=data)
            else:
                answer = owner.browser.post(f"{owner.member.service.url}{action or path}", data=data)
            sent += 1
            if answer.status_code >= 500 or time.monotonic() - started > QUICK_S:
                failures.append(f"{method} {action or path} on {path}: {answer.status_code}")
    assert failures == []
    assert sent > 20
