"""Temporary files for what may be too large for memory."""

import tempfile
from typing import IO

MAX_MEMORY_BYTES = 1024 * 1024
"""Larger files are kept on disk, in an unnamed file that disappears with the process."""


def new_temporary_file() -> IO[bytes]:
    """Return an empty temporary file. The caller closes it."""
    return tempfile.SpooledTemporaryFile(MAX_MEMORY_BYTES)
