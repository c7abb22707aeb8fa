"""Children of employees: as far as leave depends on them, and as records."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from gaji.core.threads import run_in_thread_if_many
from gaji.core.validation import Record
from gaji.db.query_plans import each_id
from gaji.db.tenancy import Transaction
from gaji.engine.leave.children import Child, Relationship
from gaji.people.children.schemas import CHILD, CITIZEN

FAMILIES = """SELECT c.employee_id, e.gender, c.birthdate, c.citizenship, c.relationship, c.adoption_date,
    c.shared_parental_weeks, c.leave_from FROM {children} c
    JOIN employees e ON e.client_id = c.client_id AND e.id = c.employee_id ORDER BY c.employee_id, c.birthdate, c.id"""


@dataclass(frozen=True)
class Family:
    """An employee's children, and whether the employee is their mother."""

    is_mother: bool
    children: Sequence[Child]


@dataclass(frozen=True)
class StoredChild:
    """A child, with its writable attributes."""

    id: int
    employee_id: int
    record: Record


async def load_children(
    tx: Transaction, client_id: int, employee_ids: Sequence[int] | None = None
) -> list[StoredChild]:
    """Load the children of employees, of the whole client by default, in the order of employees and IDs."""
    names = [attribute.name for attribute in CHILD.attributes]
    rows = await tx.fetch(
        f"SELECT id, employee_id, {', '.join(names)} FROM children "
        "WHERE client_id = $1 AND ($2::bigint[] IS NULL OR employee_id = ANY ($2)) ORDER BY employee_id, id",
        client_id,
        employee_ids,
    )
    return await run_in_thread_if_many(
        len(rows),
        lambda: [StoredChild(row["id"], row["employee_id"], {name: row[name] for name in names}) for row in rows],
    )


async def load_families(
    tx: Transaction, client_id: int, employee_ids: Sequence[int] | None = None
) -> dict[int, Family]:
    """Load the children of employees by employee, of the whole client by default. Others are left out."""
    if employee_ids is None:
        of_client = "(SELECT * FROM children WHERE client_id = $1)"
        rows = await tx.fetch(FAMILIES.format(children=of_client), client_id)
    else:
        query = "SELECT * FROM children WHERE client_id = ids.client_id AND employee_id = ids.id"
        rows = await tx.fetch(FAMILIES.format(children=each_id("$2", query)), client_id, employee_ids)
    children: dict[int, list[Child]] = defaultdict(list)
    mothers: dict[int, bool] = {}
    for row in rows:
        mothers[row["employee_id"]] = row["gender"] == "F"
        children[row["employee_id"]].append(
            Child(
                row["birthdate"],
                row["citizenship"] == CITIZEN,
                Relationship(row["relationship"]),
                row["adoption_date"],
                row["shared_parental_weeks"],
                row["leave_from"],
            )
        )
    return {employee_id: Family(mothers[employee_id], tuple(listed)) for employee_id, listed in children.items()}
