"""Users of the console without JavaScript: pages, forms and cookies."""

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
"""A hash with low cost parameters, so that tests are fast."""
TOKEN = re.compile(r'name="form_token" value="([0-9a-f]{64}_[0-9]+)"')
Data = Mapping[str, str | Sequence[str]]


@dataclass
class ConsoleUser:
    """A user with an HTTP client that keeps cookies."""

    member: Member
    browser: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.browser = http_client(base_url=self.member.service.url, headers={"Accept": "text/html"})

    def get(self, path: str) -> httpx.Response:
        """Request a page."""
        return self.browser.get(path)

    def token(self, path: str) -> str:
        """Return the form token on a page."""
        result = TOKEN.search(self.get(path).text)
        assert result, f"no form at {path}"
        return result[1]

    def post(self, path: str, data: Data | None = None, *, page: str | None = None) -> httpx.Response:
        """Submit a form, with the token of the page at the same path or of another page. Questions are answered yes."""
        token = self.token(page or path)
        return self.browser.post(path, data={"form_token": token, "confirmed": "yes", **(data or {})})

    def sign_in(self, password: str = PASSWORD, **data: str) -> httpx.Response:
        """Sign in."""
        return self.post("/sign-in", {"email": self.member.email, "password": password, **data})


def with_password(member: Member) -> Member:
    """Give a member a password and return the member."""
    statement = "UPDATE users SET password_hash = $2 WHERE email = $1 AND id NOT IN (SELECT user_id FROM user_links)"
    member.service.as_owner(statement, member.email, HASHED)
    return member


def signed_in_user(member: Member) -> ConsoleUser:
    """Return a signed-in user."""
    user = ConsoleUser(with_password(member))
    answer = user.sign_in()
    assert answer.status_code == 303, answer.text
    return user


def signed_out_user(service: Service) -> ConsoleUser:
    """Return a user without an account."""
    return ConsoleUser(Member(service, f"{secrets.token_hex(6)}@example.com", ""))


def page_text(answer: httpx.Response) -> str:
    """Return the text of a page without markup."""
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", answer.text, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def page_forms(answer: httpx.Response) -> list[tuple[str, str]]:
    """Return method and action of every form on a page, except sign-out."""
    result = re.findall(r"<form\b([^>]*)>", answer.text)
    attributes: list[dict[str, Any]] = [dict(re.findall(r'([a-z-]+)="([^"]*)"', element)) for element in result]
    return [
        (item.get("method", "get"), item.get("action", "")) for item in attributes if item.get("action") != "/sign-out"
    ]


def end_sessions(service: Service) -> None:
    """Let all sessions expire."""
    service.as_owner("UPDATE console_sessions SET expires_at = now() - interval '1 minute'")
