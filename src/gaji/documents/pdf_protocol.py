"""Messages between a server and its PDF worker processes."""

import msgspec

from gaji.core.worker_process import WorkerLimits

LIMITS = WorkerLimits(time_s=10, memory_bytes=600 * 1024**2)
LOW_PRIORITY = "--low-priority"
"""The argument of a process that runs after others if the CPU is busy."""


class RenderRequest(msgspec.Struct, frozen=True):
    """A document to render."""

    data: str
    """The template's input, as JSON."""
    timestamp: int
    """The creation time in the PDF, in Unix seconds. A fixed time makes the output reproducible."""
    name: str = ""
    """The name of a built-in template."""
    source: str = ""
    """The source of a client's template. It takes precedence over `name`."""
    password: str = ""
    logo: bytes = b""
    """The image that a template reads from `sys.inputs.logo`."""
    as_image: bool = False
    """Whether the result is the first page as PNG."""


class RenderResult(msgspec.Struct, frozen=True):
    """A PDF, or the error in its template."""

    pdf: bytes = b""
    """The document, or its first page as PNG."""
    error: str = ""
    has_missing_glyphs: bool = False
    """Whether some characters are in no font and are printed as boxes."""
