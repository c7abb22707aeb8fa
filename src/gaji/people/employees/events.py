"""Employee events."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EmployeesChanged:
    """Employees were created, or something that their payslips depend on changed."""

    client_id: int
    employee_ids: tuple[int, ...]


@dataclass(frozen=True)
class TaxDetailsChanged:
    """The names, services or opening balances of employees changed, or others that tax forms of any year show."""

    client_id: int
    employee_ids: tuple[int, ...]


@dataclass(frozen=True)
class TaxRecordsChanged:
    """Benefits in kind or share gains of an employee changed."""

    client_id: int
    employee_id: int
    years: frozenset[int]
    """The years of income of the record, before and after the change."""
