"""ZIP files with a folder for each company."""

import io
import zipfile
from collections.abc import Iterable, Sequence

MISSING_FILES = "Not included.txt"


def build_zip(contents: Iterable[tuple[str, bytes]], missing: Sequence[str] = ()) -> bytes:
    """Return a ZIP file with contents by path, and a list of what is missing, if anything is."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for path, data in contents:
            package.writestr(path, data)
        if missing:
            package.writestr(MISSING_FILES, "\n".join(missing))
    return buffer.getvalue()
