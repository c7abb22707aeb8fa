"""People who use the console as a browser without scripts would: pages, forms and cookies."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Any

import httpx
from argon2 import PasswordHasher

from tests.support.running import Member, Service, http_client

PASSWORD = "a password for the console"
HASHED = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
"""Cheaper than a real one, and just as right."""
TOKEN = re.compile(r'name="form_token" value="([0-9a-f]{64})"')
Data = Mapping[str, str | Sequence[str]]


@dataclass
class ConsoleUser:
    """Someone with a browser."""

    member: Member
    browser: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.browser = http_client(base_url=self.member.service.url, headers={"Accept": "text/html"})

    def get(self, path: str) -> httpx.Response:
        """Look at a page."""
        return self.browser.get(path)

    def token(self, path: str) -> str:
        """The form token on a page."""
        found = TOKEN.search(self.get(path).text)
        assert found, f"there is no form at {path}"
        return found[1]

    def post(self, path: str, data: Data | None = None, *, page: str | None = None) -> httpx.Response:
        """Send a form from a page, which is the one at the same path unless another is named."""
        return self.browser.post(path, data={"form_token": self.token(page or path), **(data or {})})

    def sign_in(self, password: str = PASSWORD, **data: str) -> httpx.Response:
        """Sign in."""
        return self.post("/sign-in", {"email": self.member.email, "password": password, **data})


def with_password(member: Member) -> Member:
    """The same, who can sign in."""
    member.service.as_owner("UPDATE users SET password_hash = $2 WHERE email = $1", member.email, HASHED)
    return member


def signed_in_user(member: Member) -> ConsoleUser:
    """Someone who is signed in."""
    one = ConsoleUser(with_password(member))
    answer = one.sign_in()
    assert answer.status_code == 303, answer.text
    return one


def signed_out_user(service: Service) -> ConsoleUser:
    """Someone who is not."""
    return ConsoleUser(Member(service, f"{secrets.token_hex(6)}@example.com", ""))


def page_text(answer: httpx.Response) -> str:
    """What a page says, without its markup."""
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", answer.text, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def page_forms(answer: httpx.Response) -> list[tuple[str, str]]:
    """Method and address of every form on a page, but for signing out."""
    found = re.findall(r"<form\b([^>]*)>", answer.text)
    attributes: list[dict[str, Any]] = [dict(re.findall(r'([a-z-]+)="([^"]*)"', one)) for one in found]
    return [(one.get("method", "get"), one.get("action", "")) for one in attributes if one.get("action") != "/sign-out"]
