"""Recent payslips in employee lists. The payroll layer provides them."""

from collections.abc import Awaitable, Mapping, Sequence, Set
from typing import Protocol

from gaji.core.providers import Provider
from gaji.db.tenancy import Transaction


class CalculationPending(Exception):
    """Some of the payslips are still being calculated."""


class RecentPayslips(Protocol):
    """The last payslips of employees as JSON, and the rules versions that they were calculated with."""

    @property
    def by_employee(self) -> Mapping[int, list[str]]: ...

    @property
    def rules_versions(self) -> Set[str]: ...


load_recent_payslips: Provider[[Transaction, int, Sequence[int], bool], Awaitable[RecentPayslips]] = Provider(
    "load_recent_payslips"
)
"""Takes the transaction, the client, the employees and whether to include the items. Raises CalculationPending."""
