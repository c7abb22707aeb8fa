"""A ZIP file that is written incrementally: finished parts can be taken before the rest is written."""

import io
import zipfile
from datetime import date


class ZipStream:
    """Writes a ZIP file. Members are not compressed, because PDFs already are."""

    def __init__(self) -> None:
        self._buffer = _AppendOnlyBuffer()
        self._zip = zipfile.ZipFile(self._buffer, "w", zipfile.ZIP_STORED)

    @property
    def pending_bytes(self) -> int:
        """The number of bytes that can be taken."""
        return len(self._buffer.content)

    def add(self, name: str, modified_on: date, content: bytes) -> None:
        """Add a member with this modification date."""
        timestamp = (modified_on.year, modified_on.month, modified_on.day, 0, 0, 0)
        self._zip.writestr(zipfile.ZipInfo(name, timestamp), content)

    def take(self) -> bytes:
        """Return the pending bytes and remove them from the buffer."""
        content = bytes(self._buffer.content)
        self._buffer.content.clear()
        return content

    def finish(self) -> bytes:
        """Write the end of the ZIP file and return the remaining bytes."""
        self._zip.close()
        return self.take()


class _AppendOnlyBuffer(io.RawIOBase):
    """A writable stream without seek, so that ZipFile never rewrites earlier bytes."""

    def __init__(self) -> None:
        self.content = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, content: object) -> int:
        size = len(self.content)
        self.content += memoryview(content)  # type: ignore[arg-type]
        return len(self.content) - size
