"""ZIP files with a folder for each company."""

import io
import zipfile
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta

MISSING_FILES = "Not included.txt"
COUNTS_AGAIN_AFTER = timedelta(minutes=1)
"""The ZIP is requested after its files were recorded as downloaded. Only a later download counts again."""


def build_zip(contents: Iterable[tuple[str, bytes]], missing: Sequence[str] = ()) -> bytes:
    """Return a ZIP file with contents by path, and a list of what is missing, if anything is.

    Banks can expect the same name for several files. The others are in numbered folders.
    """
    buffer = io.BytesIO()
    used: set[str] = set()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for wanted, data in contents:
            path = _unused_path(wanted, used)
            used.add(path.casefold())
            package.writestr(path, data)
        if missing:
            package.writestr(MISSING_FILES, "\n".join(missing))
    return buffer.getvalue()


def _unused_path(path: str, used: Collection[str]) -> str:
    """Return a path that no other file has. Windows does not distinguish upper and lower case.

    >>> _unused_path("Bakery/PAIDE01.txt", {"bakery/paide01.txt"})
    'Bakery/2/PAIDE01.txt'
    """
    folder, _, name = path.rpartition("/")
    number, unused = 1, path
    while unused.casefold() in used:
        number += 1
        unused = f"{folder}/{number}/{name}"
    return unused
