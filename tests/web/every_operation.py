"""The table of every operation: how each is called, and what another tenant gets when it calls it.

A new operation that is missing here fails tests/web/test_tenancy.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from gaji.web.app import OPERATIONS
from gaji.web.operations import Operation
from tests.running import Member


class Foreign(Enum):
    """What a caller of another account gets for the first tenant's path."""

    NOT_FOUND = "the record does not exist for this caller"
    OWN = "the same operation on the caller's own records"
    SHARED = "the same answer for everybody"


@dataclass(frozen=True)
class Row:
    """How an operation is called: its body, and the words in its path that are not identifiers."""

    foreign: Foreign = Foreign.NOT_FOUND
    body: Any = None
    words: Mapping[str, str] = field(default_factory=dict)


TABLE: Mapping[str, Row] = {
    "GET /clients": Row(Foreign.OWN),
    "POST /clients": Row(Foreign.OWN, {"name": "Another company"}),
    "GET /clients/{client_id}": Row(),
    "PATCH /clients/{client_id}": Row(body={"name": "Changed"}),
    "GET /clients/{client_id}/pay_points": Row(),
    "POST /clients/{client_id}/pay_points": Row(body={"name": "Added"}),
    "PATCH /pay_points/{pay_point_id}": Row(body={"name": "Changed"}),
    "DELETE /pay_points/{pay_point_id}": Row(),
    "GET /constants": Row(Foreign.SHARED),
    "GET /constants/{list_name}": Row(Foreign.SHARED, words={"list_name": "gender"}),
}

MARK = "Belongs to the first tenant"
"""Stands in every record of `tenant_with_records`."""


def title(operation: Operation) -> str:
    """The operation as the table names it."""
    return f"{operation.method} {operation.path}"


def tenant_with_records(member: Member) -> dict[str, int]:
    """One record of every kind in the member's account; gives the identifiers that paths are made with."""
    client_id = member.new_client(name=MARK)
    return {"client_id": client_id, "pay_point_id": member.new_pay_point(client_id, name=MARK)}


def path(operation: Operation, ids: Mapping[str, int]) -> str:
    """The path of an operation on these records."""
    return operation.path.format(**ids, **TABLE[title(operation)].words)


READS = [operation for operation in OPERATIONS if operation.method == "GET"]
WRITES = [operation for operation in OPERATIONS if operation.writes]
