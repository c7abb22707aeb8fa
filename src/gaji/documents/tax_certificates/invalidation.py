"""Mark certificates as out of date when their inputs change."""

from collections.abc import Collection

from gaji.db.tenancy import Transaction
from gaji.documents.tax_certificates import repository
from gaji.documents.tax_certificates.figures import tax_year_inputs
from gaji.engine import catalogue as engine
from gaji.payroll.payslips import tax_years

TAX_YEAR_INPUTS = tax_year_inputs(engine.build_catalogue())
"""Only built-in calculation types have inputs that determine the tax year."""


async def invalidate_for_run(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Mark the certificates of a run's employees after the run was finalised or reopened."""
    await repository.lock_certificates(tx, client_id)
    for year in await repository.list_years(tx, client_id):
        employee_ids = await tax_years.load_run_employees(tx, client_id, payment_run_id, year, TAX_YEAR_INPUTS)
        await repository.mark_dirty(tx, client_id, year, employee_ids)


async def invalidate_for_employee(tx: Transaction, client_id: int, employee_id: int, years: Collection[int]) -> None:
    """Mark the certificates of an employee after records of some years changed."""
    await repository.lock_certificates(tx, client_id)
    for year in sorted(years):
        await repository.mark_dirty(tx, client_id, year, [employee_id])


async def invalidate_all(tx: Transaction, client_id: int) -> None:
    """Mark all certificates of a client after a custom item was moved to another box."""
    await repository.lock_certificates(tx, client_id)
    for year in await repository.list_years(tx, client_id):
        await repository.mark_dirty(tx, client_id, year)
