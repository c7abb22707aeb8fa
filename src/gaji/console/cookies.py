"""What a browser keeps for the console: who is signed in, what forms are signed with, and a word to show next.

No script can read any of them, and other sites' pages cannot have them sent along with a form.
"""

import hashlib
import hmac
import secrets
from urllib.parse import quote, unquote

from litestar.types import Scope

from gaji.web.asgi import header

SESSION = "gaji_session"
HALF_SESSION = "gaji_half_session"
"""Of someone who gave their password and not yet a code; it opens the page that asks for one."""
VISITOR = "gaji_visitor"
"""Random, for forms of people who are not signed in yet."""
NOTICE = "gaji_notice"
KNOWN = (SESSION, HALF_SESSION, VISITOR, NOTICE)
MOST_NOTICE_CHARACTERS = 500

Headers = list[tuple[str, str]]


def read(scope: Scope) -> dict[str, str]:
    """The cookies that came with a request."""
    found: dict[str, str] = {}
    for part in (header(scope, b"cookie") or "").split(";"):
        name, _, value = part.strip().partition("=")
        if name in KNOWN:
            found[name] = unquote(value)
    return found


def keep(scope: Scope, name: str, value: str, seconds: int | None = None) -> tuple[str, str]:
    """The header that has a browser keep a value: until it closes, or for so many seconds."""
    age = "" if seconds is None else f"; Max-Age={seconds}"
    secure = "; Secure" if scope["scheme"] == "https" else ""
    return ("Set-Cookie", f"{name}={quote(value, safe='')}; Path=/; HttpOnly; SameSite=Lax{age}{secure}")


def forget(scope: Scope, name: str) -> tuple[str, str]:
    """The header that has a browser forget a value."""
    return keep(scope, name, "", 0)


def new_visitor() -> str:
    """What the forms of someone unknown are signed with."""
    return secrets.token_urlsafe(24)


def form_token(secret: str) -> str:
    """What a form carries to show that a page of ours made it: only who has the cookie's value can know it."""
    return hmac.new(secret.encode(), b"gaji form", hashlib.sha256).hexdigest()


def fits(secret: str, token: str) -> bool:
    """Whether this is the token of a form that was made for whoever has this cookie."""
    return bool(secret) and hmac.compare_digest(form_token(secret).encode(), token.encode())
