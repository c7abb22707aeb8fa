"""Take the snapshots of a run that is being finalised, and remove those of a run that is unfinalised."""

from datetime import date
from typing import Any

from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.payroll.accounting.queries import load_ledger
from gaji.payroll.accounting.splits import load_split_settings
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payslips.catalogues import save_catalogue_version
from gaji.payroll.payslips.statutory_totals import load_nett_pays
from gaji.payroll.snapshots import differences, repository
from gaji.people.service_periods.queries import is_subject_to_clearance, load_clearance_terms


async def take_snapshots(
    tx: Transaction, client_id: int, run_id: int, payment_date: date | None
) -> dict[str, Any] | None:
    """Store what the finalised payslips of a run show now. Returns what differs from the previous finalisation.

    `payment_date` is the day that is set as the one on which the run will be paid.
    """
    catalogue = await load_catalogue(tx, client_id)
    await save_catalogue_version(tx, client_id, catalogue)
    ledger = await load_ledger(tx, client_id, catalogue)
    splits = await load_split_settings(tx, client_id)
    await repository.insert_run(
        tx,
        client_id,
        run_id,
        catalogue.version,
        json_text({item: [o.category, o.debit, o.credit] for item, o in ledger.overrides.items()}),
        splits.mode,
        json_text(list(splits.names.items())),
    )
    terms = await load_clearance_terms(tx, client_id, None)
    withheld = [
        pay.employee_id
        for pay in await load_nett_pays(tx, client_id, run_id)
        if is_subject_to_clearance(terms.get(pay.employee_id, ()), pay.period_end, pay.pay_date, payment_date)
    ]
    await repository.insert_payslips(tx, client_id, run_id, splits.mode, withheld)
    return await differences.save_differences(tx, client_id, run_id)


async def withhold(tx: Transaction, client_id: int, payslip_id: int) -> None:
    """Withhold the payment of a finalised payslip, as if it had been withheld when its run was finalised."""
    await repository.withhold(tx, client_id, payslip_id)


async def reopen(tx: Transaction, client_id: int, run_id: int) -> None:
    """Remove the snapshots of a run before its payslips become drafts again."""
    await repository.reopen(tx, client_id, run_id)
