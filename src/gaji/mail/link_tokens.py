"""Tokens of links in mail. The outbox has only a random text; the token is derived from it with the secret.

Reading the outbox therefore does not reveal the links.
"""

import base64
import secrets

from gaji.core.vault import Vault


def new_nonce() -> str:
    """Return a random text to derive a token from."""
    return secrets.token_urlsafe(24)


def link_token(vault: Vault, nonce: str) -> str:
    """Return the token that belongs to a text of the outbox."""
    return base64.urlsafe_b64encode(vault.lookup_hash("link in mail", nonce)).decode().rstrip("=")
