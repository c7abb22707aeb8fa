"""What the current request has read with identifiers that are not masked, and identifiers that it was refused."""

from contextvars import ContextVar

identifier_reads: ContextVar[set[str] | None] = ContextVar("identifier_reads", default=None)
"""The paths of the records. None outside of requests, such as in tasks."""
identifier_refusals: ContextVar[list[str] | None] = ContextVar("identifier_refusals", default=None)
"""The paths of the records, one for each identifier that is in use. None outside of requests."""


def note_identifier_refusals(path: str, count: int) -> None:
    """Note that identifiers were refused because records at a path, such as `/clients/7/employees`, have them."""
    paths = identifier_refusals.get()
    if paths is not None:
        paths.extend([path] * count)


def note_identifier_read(path: str) -> None:
    """Note that identifiers of the records at a path, such as `/clients/7/employees`, were read without a mask."""
    paths = identifier_reads.get()
    if paths is not None:
        paths.add(path)
