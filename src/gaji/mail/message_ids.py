"""Message-IDs of mail: the ID of the message in the outbox, a random part, and a code that only this secret makes.

A notification that returns such a Message-ID is about a message that was sent from here.
"""

import base64
import hmac
import re
import secrets

from gaji.core.vault import Vault

CODE_BYTES = 20
MESSAGE_ID = re.compile(r"<(?P<mail_id>[0-9]{1,19})\.(?P<random>[0-9a-f]{16})\.(?P<code>[a-z2-7]{32})@[^<>@\s]+>")


def new_message_id(vault: Vault, mail_id: int, domain: str) -> str:
    """Return a Message-ID for a message of the outbox."""
    random = secrets.token_hex(8)
    return f"<{mail_id}.{random}.{_code(vault, mail_id, random)}@{domain}>"


def find_mail_id(vault: Vault, message_id: str) -> int | None:
    """Return the message of the outbox that a Message-ID belongs to. None if the Message-ID is not from here."""
    match = MESSAGE_ID.fullmatch(message_id.strip())
    if match is None:
        return None
    mail_id = int(match["mail_id"])
    return mail_id if hmac.compare_digest(match["code"], _code(vault, mail_id, match["random"])) else None


def _code(vault: Vault, mail_id: int, random: str) -> str:
    digest = vault.lookup_hash("message id", f"{mail_id}/{random}")
    return base64.b32encode(digest[:CODE_BYTES]).decode().lower()
