"""A ZIP file that is written a piece at a time: what is done of it can be taken away before the rest is there."""

import io
import zipfile
from datetime import date


class Archive:
    """A ZIP file in the making. Its members stay as they are: PDFs are compressed already."""

    def __init__(self) -> None:
        self._out = _Outflow()
        self._zip = zipfile.ZipFile(self._out, "w", zipfile.ZIP_STORED)

    @property
    def waiting(self) -> int:
        """How many bytes can be taken away."""
        return len(self._out.written)

    def add(self, name: str, on: date, content: bytes) -> None:
        """Add a member, said to be of that day."""
        self._zip.writestr(zipfile.ZipInfo(name, (on.year, on.month, on.day, 0, 0, 0)), content)

    def take(self) -> bytes:
        """Take away what is done."""
        done = bytes(self._out.written)
        self._out.written.clear()
        return done

    def end(self) -> bytes:
        """Finish it and take away the rest."""
        self._zip.close()
        return self.take()


class _Outflow(io.RawIOBase):
    """Takes what is written, and cannot go back."""

    def __init__(self) -> None:
        self.written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, content: object) -> int:
        size = len(self.written)
        self.written += memoryview(content)  # type: ignore[arg-type]
        return len(self.written) - size
