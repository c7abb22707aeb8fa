"""Cookies of the console: the session, the secret that signs forms before sign-in, and the notice for the next page.

All are HttpOnly and SameSite=Lax: scripts cannot read them, and forms on other sites are sent without them.
"""

import hashlib
import hmac
import re
import secrets
from urllib.parse import quote, unquote

from gaji.web.asgi import HTTPScope, header

SESSION = "gaji_session"
PARTIAL_SESSION = "gaji_half_session"
"""Set after the password and before the second factor. It only opens the page that asks for the code."""
VISITOR = "gaji_visitor"
"""A random value that signs forms before sign-in."""
NOTICE = "gaji_notice"
DEVICE = "gaji_device"
"""Shows that a user has signed in on this device before. It does not sign anyone in."""
UNSENT_FORM = "gaji_unsent_form"
"""A form that was sent after its session had ended, encrypted."""
PENDING_SIGN_IN = "gaji_pending_sign_in"
"""A single sign-on that has gone to the provider, encrypted."""
SIGN_IN_KEY = "gaji_sign_in_key"
"""The address for single sign-on that was used on this device."""
KNOWN = (SESSION, PARTIAL_SESSION, VISITOR, NOTICE, DEVICE, UNSENT_FORM, PENDING_SIGN_IN, SIGN_IN_KEY)
HOST_PREFIX = "__Host-"
"""Browsers accept such a cookie only over HTTPS and from this host, so no other host can set it."""
MAX_NOTICE_CHARACTERS = 500
USER_ID = re.compile(r"[0-9]{1,19}", re.ASCII)
REFUSAL_MARK = "!"
"""The first character of a notice that says why something was refused."""

Headers = list[tuple[str, str]]


def read_cookies(scope: HTTPScope) -> dict[str, str]:
    """Return the console's cookies of a request."""
    cookies: dict[str, str] = {}
    prefix = _prefix(scope)
    for part in (header(scope, b"cookie") or "").split(";"):
        full_name, _, value = part.strip().partition("=")
        name = full_name.removeprefix(prefix)
        if name in KNOWN and full_name == prefix + name:
            cookies[name] = unquote(value)
    return cookies


def set_cookie(scope: HTTPScope, name: str, value: str, lifetime_s: int | None = None) -> tuple[str, str]:
    """Return the header that sets a cookie, for the browser session or for a lifetime."""
    age = "" if lifetime_s is None else f"; Max-Age={lifetime_s}"
    secure = "; Secure" if scope["scheme"] == "https" else ""
    return (
        "Set-Cookie",
        f"{_prefix(scope)}{name}={quote(value, safe='')}; Path=/; HttpOnly; SameSite=Lax{age}{secure}",
    )


def _prefix(scope: HTTPScope) -> str:
    return HOST_PREFIX if scope["scheme"] == "https" else ""


def clear_cookie(scope: HTTPScope, name: str) -> tuple[str, str]:
    """Return the header that deletes a cookie."""
    return set_cookie(scope, name, "", 0)


def new_visitor_secret() -> str:
    """Return a random value to sign the forms of a visitor with."""
    return secrets.token_urlsafe(24)


def form_token(secret: str, user_id: int) -> str:
    """Return the token that proves that a form was rendered for the holder of this cookie value, acting as this user.

    The user ID is 0 before sign-in.
    """
    digest = hmac.new(secret.encode(), b"gaji form %d" % user_id, hashlib.sha256).hexdigest()
    return f"{digest}_{user_id}"


def read_form_token(secret: str, token: str) -> int | None:
    """Return the user as whom the form was filled in, or None if the token does not belong to this cookie value."""
    user_id = token.rpartition("_")[2]
    if not secret or not USER_ID.fullmatch(user_id):
        return None
    expected = form_token(secret, int(user_id))
    return int(user_id) if hmac.compare_digest(expected.encode(), token.encode()) else None
