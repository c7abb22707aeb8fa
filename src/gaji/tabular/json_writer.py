"""Rows as one JSON array."""

from typing import IO


class JsonRows:
    """Writes them."""

    def __init__(self, file: IO[bytes], keys: list[str]) -> None:
        self._file = file
        self._before = b"["

    async def write(self, rows: str) -> None:
        """Write some rows."""
        self._file.write(self._before)
        self._file.write(rows.encode())
        self._before = b","

    async def end(self) -> None:
        """Close the array."""
        self._file.write(b"[]" if self._before == b"[" else b"]")
