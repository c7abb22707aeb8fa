"""Which employee is meant by what was typed."""

from gaji.core.errors import INVALID, Errors
from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant
from gaji.people.employees import directory
from gaji.people.employees.directory import Listed

HINT = "A number, or a part of the name."


async def employee_named(tenant: Tenant, client_id: int, text: str, path: str, faults: Errors) -> Listed | None:
    """The employee with this number, or the only one whom the text fits; otherwise the path has a fault."""
    found, total = await directory.search(tenant, client_id, text, Page(1, 1))
    if found and (total == 1 or found[0].number.lower() == text.lower()):
        return found[0]
    faults.add(path, INVALID, reason=f"fits {total} employees; give the number of one" if found else "fits no employee")
    return None
