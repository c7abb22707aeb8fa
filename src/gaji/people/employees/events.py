"""Employee events."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EmployeesChanged:
    """Employees were created, or something that their payslips depend on changed."""

    client_id: int
    employee_ids: tuple[int, ...]
