"""Finding an employee by number or by part of the name."""

from gaji.core.errors import ErrorCode, Errors
from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Tenant
from gaji.people.employees import directory
from gaji.people.employees.directory import EmployeeRow

NO_MATCH = ErrorCode("no_employee_matches", "matches no employee")
SEVERAL_MATCH = ErrorCode("several_employees_match", "matches {count} employees; enter the employee number")


async def find_employee(tenant: Tenant, client_id: int, text: str, path: str, errors: Errors) -> EmployeeRow | None:
    """Return the employee with this number, or the only one that the text matches. Otherwise, add an error."""
    employees, total = await directory.search_employees(tenant, client_id, text, ListPage(1, 1))
    if employees and (total == 1 or employees[0].number.lower() == text.lower()):
        return employees[0]
    if employees:
        errors.add(path, SEVERAL_MATCH, count=total)
    else:
        errors.add(path, NO_MATCH)
    return None
