"""Heads of the chains of the audit log in a file, to be kept where the operator of the database cannot change it."""

from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec

from gaji.audit.chain import ChainLink
from gaji.core.vault import Vault


class InvalidHeadFile(Exception):
    """The file is not one that this installation exported. The message says why."""


class ExportedHead(msgspec.Struct, frozen=True):
    """The head of the chain of one account."""

    account_id: int
    position: int
    entry_id: int
    hash: str


class HeadFile(msgspec.Struct, frozen=True):
    """The heads of all chains at one time, signed."""

    exported_at: datetime
    key_number: int
    heads: tuple[ExportedHead, ...]
    signature: str = ""
    access_heads: tuple[ExportedHead, ...] | msgspec.UnsetType = msgspec.UNSET
    """Of access events. Files of earlier versions have none."""


def export_heads(vault: Vault, links: Iterable[ChainLink], access_links: Iterable[ChainLink]) -> str:
    """Return the heads of the audit log and of access events as the text of a file."""
    key_number = len(vault.audit_keys) - 1
    file = HeadFile(datetime.now(UTC), key_number, _exported(links), access_heads=_exported(access_links))
    signed = msgspec.structs.replace(file, signature=_signature(vault, file))
    return msgspec.json.format(msgspec.json.encode(signed)).decode()


def _exported(links: Iterable[ChainLink]) -> tuple[ExportedHead, ...]:
    return tuple(ExportedHead(link.account_id, link.position, link.entry_id, link.hash.hex()) for link in links)


def read_heads(vault: Vault, text: str) -> HeadFile:
    """Return the heads from the text of a file. Raises InvalidHeadFile."""
    try:
        file = msgspec.json.decode(text, type=HeadFile)
    except msgspec.DecodeError as error:
        raise InvalidHeadFile(f"the file was not written by `gaji audit head`: {error}") from None
    if not 0 <= file.key_number < len(vault.audit_keys) or file.signature != _signature(vault, file):
        raise InvalidHeadFile("the file was changed, or it was exported by an installation with another secret")
    return file


def _signature(vault: Vault, file: HeadFile) -> str:
    unsigned = msgspec.json.encode(msgspec.structs.replace(file, signature=""))
    return vault.audit_hash(b"export" + unsigned, file.key_number).hex()
