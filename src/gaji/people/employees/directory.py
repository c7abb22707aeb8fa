"""Looking people up: what a person types, and who may be meant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from gaji.company.clients.service import require_client
from gaji.core import clock
from gaji.core.errors import INVALID, invalid
from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant, Transaction
from gaji.people.employees import directory_store as store
from gaji.people.employees.display_name import EmployeeLabel, full_name

MOST_WORDS = 8
MOST_CHARACTERS = 200
PASS_ENDS_WITHIN = timedelta(days=60)


@dataclass(frozen=True)
class EmployeeRow:
    """Someone in the directory."""

    id: int
    number: str
    name: str
    job_title: str | None
    legal_status: str
    wave_id: int
    start_date: date
    end_date: date | None

    @property
    def has_left(self) -> bool:
        """Whether their last day is over."""
        return self.end_date is not None and self.end_date < clock.today()


@dataclass(frozen=True)
class Headcount:
    """How many people there are."""

    total: int
    in_service: int
    joining: int
    leaving: int


async def search_employees(
    tenant: Tenant, client_id: int, typed: str, page: Page, *, state: str = "", wave_id: int | None = None
) -> tuple[list[EmployeeRow], int]:
    """A page of the people of a client in whose name, number, job or email every typed word is; and how many."""
    if state not in store.STATES:
        raise invalid("state", INVALID, reason=f"must be one of {', '.join(filter(None, store.STATES))}")
    words = typed[:MOST_CHARACTERS].replace("\0", "").lower().split()[:MOST_WORDS]
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        rows, total = await store.search(tx, client_id, words, clock.today(), state, wave_id, page)
    return [
        EmployeeRow(
            row["id"],
            row["number"],
            full_name(row["first_name"], row["last_name"], row["name_format"]),
            row["job_title"],
            row["legal_status"],
            row["wave_id"],
            row["start_date"],
            row["end_date"],
        )
        for row in rows
    ], total


async def load_employee_labels(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> Mapping[int, EmployeeLabel]:
    """Who these employees are, by id."""
    rows = await store.names(tx, client_id, employee_ids)
    return {row["id"]: EmployeeLabel(row["number"], full_name(*row[2:5])) for row in rows}


async def load_names_by_number(tx: Transaction, client_id: int, numbers: Sequence[str]) -> Mapping[str, str]:
    """What those with these numbers are called."""
    rows = await store.names_by_number(tx, client_id, numbers)
    return {row["number"]: full_name(*row[2:5]) for row in rows}


async def load_headcount(tx: Transaction, client_id: int) -> Headcount:
    """How many people a client has."""
    return Headcount(*await store.heads(tx, client_id, clock.today()))


async def list_expiring_passes(tx: Transaction, client_id: int) -> list[tuple[int, EmployeeLabel, date]]:
    """People in service whose work pass has ended or ends soon: their id, who they are, and its last day."""
    today = clock.today()
    rows = await store.passes_ending(tx, client_id, today + PASS_ENDS_WITHIN, today)
    return [(row["id"], EmployeeLabel(row["number"], full_name(*row[2:5])), row["pass_to"]) for row in rows]
