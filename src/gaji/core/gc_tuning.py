"""Garbage collection settings for long-running processes."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Collect no garbage in the block, and exclude the objects that exist afterwards from later collections.

    Imports create many objects that stay. They would be scanned repeatedly, also when the process ends. In a forked
    process, each scan would copy the memory that it shares with its parent.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def tune_gc() -> None:
    """Collect garbage less often, and exclude all objects that exist now.

    A batch or a report creates many objects that live until its end, and hardly any cycles. With the default settings
    a quarter of the time is spent on scanning them again and again.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
