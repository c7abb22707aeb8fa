"""Steps of tests with single sign-on: an account with a provider, and browsers that sign in there."""

import re
import secrets
from dataclasses import dataclass

import httpx

from tests.console.console_user import ConsoleUser, page_text, signed_in_user, signed_out_user
from tests.support.identity_provider import CLIENT_ID, CLIENT_SECRET, IdentityProvider, Person
from tests.support.running import Member, http_client

SETTINGS = "/single-sign-on"
SIGN_IN_PATH = re.compile(r"/sso/[A-Za-z0-9_-]{22}")


@dataclass
class SingleSignOn:
    """An account with single sign-on."""

    administrator: ConsoleUser
    provider: IdentityProvider
    path: str
    """Of the sign-in address."""

    def browser(self) -> ConsoleUser:
        """A new browser, from an address of its own."""
        user = signed_out_user(self.administrator.member.service)
        user.browser.headers["X-Forwarded-For"] = f"198.51.100.{secrets.randbelow(250)}"
        user.browser.headers["User-Agent"] = f"Mozilla/5.0 (X11; Linux) Firefox/{secrets.randbelow(1000)}.0"
        return user

    def answer(self, user: ConsoleUser, next_path: str = "") -> str:
        """Begin in a browser, sign in at the provider, and return the address that it goes back to."""
        begun = user.browser.get(self.path, params={"next": next_path} if next_path else {})
        assert begun.status_code == 303, page_text(begun)
        with http_client() as http:
            return http.get(begun.headers["location"]).headers["location"]

    def sign_in(
        self, person: Person | None = None, user: ConsoleUser | None = None
    ) -> tuple[ConsoleUser, httpx.Response]:
        """Sign in as a person, in a new browser or in this one. Return the browser and the last answer."""
        self.provider.person = person or self.provider.person
        user = user or self.browser()
        return user, user.browser.get(self.answer(user))

    def save(self, **changes: str) -> httpx.Response:
        """Save the settings with changes."""
        return self.administrator.post(SETTINGS, {**settings(self.provider), **changes})

    def require(self, required_of: str) -> httpx.Response:
        """Require it, after the administrator has tried it."""
        return self.administrator.post(f"{SETTINGS}/required", {"required_of": required_of}, page=SETTINGS)


def settings(provider: IdentityProvider) -> dict[str, str]:
    """The entries of the settings page."""
    return {
        "issuer": provider.issuer,
        "oauth_client": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "email_domains": "",
        "enabled": "true",
    }


def set_up(member: Member, provider: IdentityProvider) -> SingleSignOn:
    """Set up single sign-on in the account of an administrator, who has signed in with a password."""
    administrator = signed_in_user(member)
    assert administrator.post(f"{SETTINGS}/new", page=SETTINGS).status_code == 303
    saved = administrator.post(SETTINGS, settings(provider))
    assert saved.status_code == 303, page_text(saved)
    path = SIGN_IN_PATH.search(administrator.get(SETTINGS).text)
    assert path
    return SingleSignOn(administrator, provider, path[0])


def set_up_and_tried(member: Member, provider: IdentityProvider) -> SingleSignOn:
    """The same, and the administrator is signed in with single sign-on."""
    sso = set_up(member, provider)
    sso.administrator, answer = sso.sign_in(Person(member.email))
    assert answer.status_code == 303, page_text(answer)
    sso.administrator.member = member
    return sso


def is_signed_in(user: ConsoleUser) -> bool:
    """Whether a browser has a session."""
    return "/sign-in" not in user.get("/devices").headers.get("location", "")
