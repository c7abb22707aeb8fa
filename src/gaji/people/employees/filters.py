"""Filters of employees: by attribute, identifier, words, wave and state."""

import re
from collections.abc import Sequence
from typing import Any

from gaji.core import clock
from gaji.core.errors import Forbidden
from gaji.core.vault import Vault
from gaji.db.json_lists import Filters
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Caller

MAX_WORDS = 8
MAX_QUERY_LENGTH = 200
SERVING, LEFT = "serving", "left"
IDENTIFIERS = ("nric", "fin")

IN_SERVICE = """EXISTS (SELECT FROM service_periods s WHERE s.client_id = $1 AND s.employee_id = e.id
    AND (s.end_date IS NULL OR s.end_date >= {}))"""
# Because of OFFSET, PostgreSQL looks at the service of each employee. It would otherwise read that of all employees.
IN_SERVICE_OF_FEW = """EXISTS (SELECT FROM service_periods s WHERE s.client_id = e.client_id AND s.employee_id = e.id
    AND (s.end_date IS NULL OR s.end_date >= {}) OFFSET 0)"""
IN_WAVE = """e.id IN (SELECT w.employee_id FROM wave_periods w
    WHERE w.client_id = $1 AND w.wave_id = {} AND w.end_date IS NULL)"""
# Comparing IDs first reads the other columns of matches only, which takes two thirds of the time.
MATCHES_WORDS = """e.id = ANY (ARRAY(SELECT m.id FROM employees m
    WHERE m.client_id = $1 AND m.searched LIKE ALL ({}::text[])))"""
CONDITIONS = {
    "id": "e.id = {}",
    "ids": ids_condition("e.id"),
    "number": "e.number = {}",
    "nric": "e.nric_lookup = {}",
    "fin": "e.fin_lookup = {}",
    "email": "e.email = {}",
    "external_id": "e.external_id = {}",
    "search": MATCHES_WORDS,
    "wave_id": IN_WAVE,
    "pay_point_id": "e.pay_point_id = {}",
    SERVING: IN_SERVICE,
    LEFT: f"NOT {IN_SERVICE}",
}
"""The SQL condition of each filter. $1 is the client."""
UNIQUE = {"id", "number", "nric", "fin", "external_id"}
"""The filters that at most one employee of a client matches."""
LOOKUPS = UNIQUE | {"ids", "email"}
"""The filters that an index answers. A list with one of them and nothing else has a statement of its own."""
WILDCARDS = re.compile(r"([%_\\])")


def condition_values(caller: Caller, vault: Vault, client_id: int, filters: Filters) -> dict[str, Any]:
    """Return the values of the SQL conditions. Raises Forbidden if the caller must not search by identifiers."""
    values = dict(filters)
    for name in IDENTIFIERS:
        if name in values:
            values[name] = identifier_hash(caller, vault, client_id, name, values[name])
    if "search" in values:
        values["search"] = search_patterns(values["search"])
    if "state" in values:
        values[values["state"]] = clock.today()
    return values


def identifier_hash(caller: Caller, vault: Vault, client_id: int, name: str, value: str) -> bytes:
    """Return the hash to search for an identifier by. Raises Forbidden if identifiers are hidden from the caller."""
    require_visible_identifiers(caller, name)
    return vault.identifier_hash(client_id, name, value)


def require_visible_identifiers(caller: Caller, name: str) -> None:
    """Raise Forbidden if identifiers are hidden from the caller, who could otherwise find them by trying."""
    if caller.hide_identifiers:
        raise Forbidden(f"This API key hides identifiers and cannot search by {name}")


def search_patterns(query: str) -> list[str]:
    """Return the LIKE patterns that `employees.searched` must match, one for each word of a query."""
    return word_patterns(search_words(query))


def name_patterns(query: str) -> list[str]:
    """Return the LIKE patterns of names, after a space, in which each word of a query begins a word."""
    return ["% " + WILDCARDS.sub(r"\\\1", word) + "%" for word in search_words(query)]


def search_words(query: str) -> list[str]:
    """Return the words of a query, in lower case."""
    return query[:MAX_QUERY_LENGTH].replace("\0", "").lower().split()[:MAX_WORDS]


def word_patterns(words: Sequence[str]) -> list[str]:
    """Return the LIKE pattern of each word.

    Words with digits come first. They match the fewest employees, so most rows are compared with one pattern only.
    """
    return ["%" + WILDCARDS.sub(r"\\\1", word) + "%" for word in sorted(words, key=str.isalpha)]
