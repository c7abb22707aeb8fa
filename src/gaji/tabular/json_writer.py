"""Report rows as one JSON array."""

from typing import IO


class JsonRowWriter:
    """Writes rows as JSON."""

    def __init__(self, file: IO[bytes], keys: list[str]) -> None:
        self._file = file
        self._separator = b"["

    async def write(self, rows: str) -> None:
        """Write rows."""
        self._file.write(self._separator)
        self._file.write(rows.encode())
        self._separator = b","

    async def finish(self) -> None:
        """Close the array."""
        self._file.write(b"[]" if self._separator == b"[" else b"]")
