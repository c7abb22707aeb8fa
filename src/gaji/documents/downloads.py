"""Who downloaded a file, and when."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import asyncpg

from gaji.core import json_schemas
from gaji.core.clock import SINGAPORE
from gaji.core.field_types import JsonSchema
from gaji.documents.schemas import COUNT

WHO_AND_WHEN = """d.downloads, d.downloaded_at, d.last_downloaded_at,
    coalesce(nullif(f.name, ''), f.email) AS downloaded_by, coalesce(nullif(l.name, ''), l.email) AS last_downloaded_by
    FROM {table} d LEFT JOIN users f ON f.id = d.downloaded_by LEFT JOIN users l ON l.id = d.last_downloaded_by"""
"""The columns of `DownloadHistory`, and the table with its users. Add a condition on `d`."""

PERSON: JsonSchema = {"type": ["string", "null"], "description": "The name or email address of the user."}
DOWNLOAD_PROPERTIES: dict[str, JsonSchema] = {
    "downloaded_at": json_schemas.TIMESTAMP,
    "downloaded_by": PERSON,
    "last_downloaded_at": json_schemas.TIMESTAMP,
    "last_downloaded_by": PERSON,
    "downloads": COUNT,
}
DOWNLOAD_EXAMPLE: dict[str, Any] = {
    "downloaded_at": "2026-02-03T10:30:00.000000+08:00",
    "downloaded_by": "Mei Ling Tan",
    "last_downloaded_at": "2026-02-03T10:30:00.000000+08:00",
    "last_downloaded_by": "Mei Ling Tan",
    "downloads": 1,
}


@dataclass(frozen=True, slots=True)
class DownloadHistory:
    """The first and the last download of a file, and how often it was downloaded."""

    downloaded_at: datetime
    downloaded_by: str | None
    last_downloaded_at: datetime
    last_downloaded_by: str | None
    downloads: int

    def to_json(self) -> dict[str, Any]:
        """Return the fields that the API returns."""
        return {
            "downloaded_at": _timestamp(self.downloaded_at),
            "downloaded_by": self.downloaded_by,
            "last_downloaded_at": _timestamp(self.last_downloaded_at),
            "last_downloaded_by": self.last_downloaded_by,
            "downloads": self.downloads,
        }


def download_history(row: asyncpg.Record) -> DownloadHistory:
    """Build the history from a row with the columns of `WHO_AND_WHEN`."""
    return DownloadHistory(
        row["downloaded_at"],
        row["downloaded_by"],
        row["last_downloaded_at"],
        row["last_downloaded_by"],
        row["downloads"],
    )


def _timestamp(moment: datetime) -> str:
    return moment.astimezone(SINGAPORE).isoformat(timespec="microseconds")
