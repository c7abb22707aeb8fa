"""Events of employees."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EmployeesChanged:
    """Something that the payslips of employees depend on changed: they were added, or their attributes or service."""

    client_id: int
    employee_ids: tuple[int, ...]
