"""The garbage of processes that run long."""

import gc


def collect_rarely() -> None:
    """Look for garbage in cycles rarely, and never at what is there already.

    A batch or a report makes much that lasts as long as it, and hardly a cycle: looking at all of it again and again
    takes a quarter of the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
