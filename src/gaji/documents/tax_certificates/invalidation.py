"""Mark certificates when their inputs change.

There are two marks. `dirty` is what employees see: payslips or records with amounts changed. The other is for every
change that may concern a certificate. Officers' reads compare the certificates that have it (current_certificates.py).
"""

from collections.abc import Collection, Sequence

from gaji.db.tenancy import Transaction
from gaji.documents.tax_certificates import repository
from gaji.documents.tax_certificates.figures import tax_year_inputs
from gaji.engine import catalogue as engine
from gaji.payroll.payslips import tax_years
from gaji.people.employees.queries import list_employee_ids

TAX_YEAR_INPUTS = tax_year_inputs(engine.build_catalogue())
"""Only built-in calculation types have inputs that determine the tax year."""


async def invalidate_for_run(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Mark the certificates of a run's employees after the run was finalised or reopened."""
    await repository.lock_certificates(tx, client_id)
    for year in await repository.list_years(tx, client_id):
        employee_ids = await tax_years.load_run_employees(tx, client_id, payment_run_id, year, TAX_YEAR_INPUTS)
        await _invalidate(tx, client_id, employee_ids, [year])


async def invalidate_for_employee(tx: Transaction, client_id: int, employee_id: int, years: Collection[int]) -> None:
    """Mark the certificates of an employee after records of some years changed."""
    await repository.lock_certificates(tx, client_id)
    await _invalidate(tx, client_id, [employee_id], sorted(years))


async def invalidate_all(tx: Transaction, client_id: int) -> None:
    """Mark all certificates of a client after a custom item was moved to another box."""
    await repository.lock_certificates(tx, client_id)
    employee_ids = await list_employee_ids(tx, client_id)
    await _invalidate(tx, client_id, employee_ids, await repository.list_years(tx, client_id))


async def record_changes(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> None:
    """Mark employees after names, services or opening balances changed, which may concern any year."""
    await repository.lock_certificates(tx, client_id)
    await repository.record_changes(tx, client_id, employee_ids)


async def _invalidate(tx: Transaction, client_id: int, employee_ids: Sequence[int], years: Sequence[int]) -> None:
    for year in years:
        await repository.mark_dirty(tx, client_id, year, employee_ids)
    await repository.record_changes(tx, client_id, employee_ids, years)
