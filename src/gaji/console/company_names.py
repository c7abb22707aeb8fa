"""The names of companies on pages and in ZIP files."""

import re
from collections.abc import Iterable
from typing import Final

from gaji.company.clients.service import ClientMembership

UNSAFE_CHARACTERS: Final = re.compile(r"[^\w .()&-]+")
"""Characters that are not in names of folders."""


def company_name(company: ClientMembership) -> str:
    """Return the name of a company, with its UEN if another of the user's companies has the same name.

    >>> company_name(ClientMembership(1, "Bedok Tailors", "owner", uen="202699999E", has_repeated_name=True))
    'Bedok Tailors · UEN 202699999E'
    """
    return f"{company.name} · UEN {company.uen}" if company.has_repeated_name and company.uen else company.name


def company_folders(companies: Iterable[ClientMembership]) -> dict[int, str]:
    """Return the folders of companies by ID: their names with their UEN. Folders that would be the same get a number.

    Give all companies of the user, so that the folders of a company stay the same.
    """
    folders: dict[int, str] = {}
    used: set[str] = set()
    for company in companies:
        name = UNSAFE_CHARACTERS.sub(" ", company.name).strip(" .") or "Company"
        folder = first = f"{name} ({company.uen})" if company.uen else name
        number = 1
        while folder.casefold() in used:  # Windows does not distinguish upper and lower case.
            number += 1
            folder = f"{first} ({number})"
        used.add(folder.casefold())
        folders[company.id] = folder
    return folders
