"""Files that are attached to mail. Higher layers make them when the message is sent."""

from collections.abc import Awaitable

import msgspec

from gaji.core.providers import Provider
from gaji.core.vault import Vault
from gaji.db.pool import Pool

MAX_BYTES = 1024**2
"""Larger files are not attached. A payslip has about 50 KB."""


class PdfAttachment(msgspec.Struct, frozen=True):
    """A PDF that is attached to a message."""

    file_name: str
    content: bytes
    identity_document: str
    """The document whose number is part of the password."""


load_payslip_attachment: Provider[[Pool, Vault, int, int], Awaitable[PdfAttachment | None]] = Provider(
    "load_payslip_attachment"
)
"""Return a payslip of a client as an encrypted PDF, or None if it must not be attached."""
