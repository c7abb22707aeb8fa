"""What others tell certificates: that something they go by has changed."""

from gaji.db.tenancy import Transaction
from gaji.documents.tax_certificates import repository
from gaji.documents.tax_certificates.figures import dates_that_decide
from gaji.engine import catalogue as engine
from gaji.payroll.payslips import tax_years

DATED_BY = dates_that_decide(engine.build_catalogue())
"""Only items of the system have such dates; a client's own have none."""


async def invalidate_for_run(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """A run was finalised, or is no longer: certificates of its employees change, for the years that it is about."""
    await repository.hold(tx, client_id)
    for year in await repository.years(tx, client_id):
        employee_ids = await tax_years.load_run_employees(tx, client_id, payment_run_id, year, DATED_BY)
        await repository.mark(tx, client_id, year, employee_ids)


async def invalidate_all(tx: Transaction, client_id: int) -> None:
    """A custom item goes to another box: any certificate of the client may have other figures."""
    await repository.hold(tx, client_id)
    for year in await repository.years(tx, client_id):
        await repository.mark(tx, client_id, year)
