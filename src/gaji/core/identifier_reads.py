"""What the current request has read with identifiers that are not masked, for the access log."""

from contextvars import ContextVar

identifier_reads: ContextVar[set[str] | None] = ContextVar("identifier_reads", default=None)
"""The paths of the records. None outside of requests, such as in tasks."""


def note_identifier_read(path: str) -> None:
    """Note that identifiers of the records at a path, such as `/clients/7/employees`, were read without a mask."""
    paths = identifier_reads.get()
    if paths is not None:
        paths.add(path)
