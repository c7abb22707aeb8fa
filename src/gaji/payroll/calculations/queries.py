"""Calculation queries for other packages."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime

from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import SYSTEM_TYPES
from gaji.engine.payslip_input import CalculationEntry
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.effective_dates import current_day
from gaji.payroll.calculations.history import calculation_on
from gaji.payroll.calculations.inheritance import CalculationOwner, InputValues
from gaji.payroll.calculations.regular_hours import repository as regular_hours
from gaji.payroll.calculations.regular_hours.history import inputs_on
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.calculations.resolve import BASIC, resolve_entries
from gaji.periods.queries import load_open_periods

PAY_TYPE = SYSTEM_TYPES[BASIC].inputs_by_name["pay_type"]
RecurringInputs = dict[str, InputValues]
"""The own inputs of an employee, by type: those of today, or of the start of the current draft if that is later.
Regular hours are those of today."""


async def load_recurring_inputs(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, RecurringInputs]:
    """Load the current own inputs of employees, by employee."""
    inputs: dict[int, dict[str, InputValues]] = defaultdict(dict)
    owners = [CalculationOwner(client_id, employee_id=employee_id) for employee_id in employee_ids]
    periods = await load_open_periods(tx, client_id, employee_ids)
    today = clock.today().isoformat()
    for stored in (await repository.load_own_calculations(tx, client_id, owners)).values():
        employee_id = stored.owner.employee_id or 0
        if calculation := calculation_on(stored, current_day(periods[employee_id]).isoformat()):
            inputs[employee_id][calculation.type] = calculation.inputs
    for employee_id, history in (await regular_hours.load_histories(tx, client_id, employee_ids)).items():
        inputs[employee_id].pop(WEEK_HOURS, None)
        if hours := inputs_on(history, today):
            inputs[employee_id][WEEK_HOURS] = hours
    return {employee_id: inputs.get(employee_id, {}) for employee_id in employee_ids}


@dataclass(frozen=True)
class PayslipInputs:
    """The inputs of one payslip, by type."""

    entered: Mapping[str, InputValues]
    """Those that were entered for this payslip."""
    inherited: Mapping[str, InputValues]
    """Those that apply if the payslip has none: of the employee, the profiles and the client."""


async def load_payslip_inputs(
    tx: Transaction, client_id: int, payslip_ids: Mapping[int, int], end: date
) -> dict[int, PayslipInputs]:
    """Load the inputs of one regular payslip of each employee, by employee. All their periods end on one day."""
    owners = [CalculationOwner(client_id, employee_id=key, payslip_id=value) for key, value in payslip_ids.items()]
    entered: dict[int, dict[str, InputValues]] = defaultdict(dict)
    for calculation in (await repository.load_own_calculations(tx, client_id, owners)).values():
        if calculation.owner.level == "payslip":
            entered[calculation.owner.employee_id or 0][calculation.type] = calculation.inputs
    entries = await resolve_entries(tx, client_id, [(None, employee_id, False) for employee_id in payslip_ids], end)
    return {
        employee_id: PayslipInputs(entered[employee_id], {name: entry.inputs for name, entry in inherited.items()})
        for employee_id, inherited in zip(payslip_ids, entries, strict=True)
    }


async def load_pay_types(
    tx: Transaction, client_id: int, payslip_ids: Mapping[int, int], days: Mapping[int, tuple[date, date]]
) -> dict[int, Set[str]]:
    """Load the pay types of one regular payslip of each employee, by employee: several if it changes in the period.

    `days` has the first and the last day of the periods by payslip ID. All periods end on one day.
    """
    if not payslip_ids:
        return {}
    keys = [(payslip_id, employee_id, False) for employee_id, payslip_id in payslip_ids.items()]
    paid_days = [days[payslip_id] for payslip_id in payslip_ids.values()]
    entries = await resolve_entries(tx, client_id, keys, paid_days[0][1], [BASIC], paid_days)
    return {
        employee_id: _pay_types(resolved.get(BASIC)) for employee_id, resolved in zip(payslip_ids, entries, strict=True)
    }


def _pay_types(entry: CalculationEntry | None) -> Set[str]:
    parts = [part.inputs for part in entry.parts if part.inputs is not None] if entry else []
    inputs = parts or [entry.inputs if entry else {}]
    return {str(values.get(PAY_TYPE.name) or PAY_TYPE.default) for values in inputs}


async def load_types_in_use(tx: Transaction, client_id: int) -> set[str]:
    """Return the types of the calculations of a client's employees."""
    return await repository.load_employee_types(tx, client_id)


async def load_changed_employees(
    tx: Transaction, client_id: int, payment_run_id: int, since: datetime
) -> dict[int, datetime]:
    """Return when pay items of the employees of a run were last changed, if after a time, by employee."""
    rows = await tx.fetch(
        "SELECT p.employee_id, max(c.updated_at) AS changed_at FROM payslips p JOIN calculations c "
        "ON c.client_id = p.client_id AND c.employee_id = p.employee_id "
        "AND (c.payslip_id IS NULL OR c.payslip_id = p.id) "
        "WHERE p.client_id = $1 AND p.payment_run_id = $2 AND c.updated_at > $3 GROUP BY p.employee_id",
        client_id,
        payment_run_id,
        since,
    )
    return {row["employee_id"]: row["changed_at"] for row in rows}


async def load_changed_runs(
    tx: Transaction, client_ids: Sequence[int], payment_run_ids: Sequence[int], since: Sequence[datetime]
) -> dict[int, datetime]:
    """Return when pay items of the employees of runs were last changed, if after a time of each, by run.

    The sequences are parallel.
    """
    rows = await tx.fetch(
        "SELECT r.id, max(c.updated_at) AS changed_at "
        "FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) AS r(client_id, id, since) "
        "JOIN payslips p ON p.client_id = r.client_id AND p.payment_run_id = r.id "
        "JOIN calculations c ON c.client_id = p.client_id AND c.employee_id = p.employee_id "
        "AND (c.payslip_id IS NULL OR c.payslip_id = p.id) WHERE c.updated_at > r.since GROUP BY r.id",
        client_ids,
        payment_run_ids,
        since,
    )
    return {row["id"]: row["changed_at"] for row in rows}
