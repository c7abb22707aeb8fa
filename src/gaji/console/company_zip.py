"""ZIP files with a folder for each company."""

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from typing import Final

from gaji.company.clients.service import ClientMembership

UNSAFE_CHARACTERS: Final = re.compile(r"[^\w .()&-]+")
"""Characters that are not in names of folders."""
MISSING_FILES = "Not included.txt"


def company_folder(company: ClientMembership) -> str:
    """Return the name of the folder of a company. Companies of the same name have different folders."""
    return f"{UNSAFE_CHARACTERS.sub(' ', company.name).strip(' .') or 'Company'} ({company.id})"


def build_zip(contents: Iterable[tuple[str, bytes]], missing: Sequence[str] = ()) -> bytes:
    """Return a ZIP file with contents by path, and a list of what is missing, if anything is."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for path, data in contents:
            package.writestr(path, data)
        if missing:
            package.writestr(MISSING_FILES, "\n".join(missing))
    return buffer.getvalue()
