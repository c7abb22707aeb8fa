"""Payslip queries that other resources may use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import asyncpg
import msgspec

from gaji.db.tenancy import Transaction
from gaji.law.months import Month

TOTALS = ("total", "nett_pay")
# A draft that no longer applies is withdrawn, not deleted: if the change is undone, its entries return.
VISIBLE = "NOT withdrawn"


@dataclass(frozen=True)
class PayslipRef:
    """The owner and the state of a payslip."""

    client_id: int
    employee_id: int
    date: date
    finalised: bool
    special: bool
    corrects: int | None
    """The payslip that it corrects, if its run is a correction run."""


class StoredLines(msgspec.Struct):
    """The lines of a payslip as they are stored."""

    income: list[tuple[str | int, str]] = []
    deduction: list[tuple[str | int, str]] = []
    grand_total: list[tuple[str, str]] = []
    sideline: list[tuple[str, list[tuple[str | int, str]]]] = []
    leave_payments: dict[str, dict[str, int | float | str]] = {}

    def amounts_by_item(self) -> dict[str, str]:
        """Return the amount of each item. Totals are not items."""
        groups = (self.income, self.deduction, *(group for _, group in self.sideline))
        return {str(item): amount for lines in groups for item, amount in lines if item not in TOTALS}


@dataclass(frozen=True)
class PayslipOutputs:
    """The amounts of a payslip by item, and the rules version that they were calculated with."""

    amounts: Mapping[str, str] = field(default_factory=dict)
    rules_version: str | None = None


_decoder = msgspec.json.Decoder(StoredLines)


async def load_payslip_dates(tx: Transaction, client_id: int, payslip_ids: Sequence[int]) -> dict[int, date]:
    """Load the dates of payslips by ID."""
    rows = await tx.fetch(
        "SELECT id, date FROM payslips WHERE client_id = $1 AND id = ANY ($2::bigint[])", client_id, payslip_ids
    )
    return {row["id"]: row["date"] for row in rows}


async def load_payslip_periods(
    tx: Transaction, client_id: int, payslip_ids: Sequence[int]
) -> dict[int, tuple[date, date]]:
    """Load the first and the last day of the periods of payslips by ID."""
    rows = await tx.fetch(
        "SELECT id, start_date, date FROM payslips WHERE client_id = $1 AND id = ANY ($2::bigint[])",
        client_id,
        payslip_ids,
    )
    return {row["id"]: (row["start_date"], row["date"]) for row in rows}


async def list_corrections(tx: Transaction, client_id: int, employee_id: int, payslip_id: int) -> list[int]:
    """List the finalised payslips that correct a payslip of an employee, the first one first."""
    rows = await tx.fetch(
        "SELECT id FROM payslips WHERE client_id = $1 AND employee_id = $2 AND corrects = $3 AND finalised ORDER BY id",
        client_id,
        employee_id,
        payslip_id,
    )
    return [row["id"] for row in rows]


async def load_payslip_ref(tx: Transaction, payslip_id: int) -> PayslipRef | None:
    """Load the owner and the state of a payslip that the caller may see."""
    row = await tx.fetchrow(
        f"SELECT client_id, employee_id, date, finalised, special, corrects FROM payslips WHERE id = $1 AND {VISIBLE}",
        payslip_id,
    )
    return PayslipRef(**row) if row else None


async def load_outputs(tx: Transaction, client_id: int, payslip_id: int) -> PayslipOutputs:
    """Return the amounts of a payslip's last calculation."""
    row = await tx.fetchrow(
        "SELECT lines, rules_version FROM payslips WHERE client_id = $1 AND id = $2", client_id, payslip_id
    )
    if row is None or not row["lines"]:
        return PayslipOutputs()
    return PayslipOutputs(_decoder.decode(row["lines"]).amounts_by_item(), row["rules_version"])


async def load_current_draft_id(tx: Transaction, client_id: int, employee_id: int) -> int | None:
    """Return the id of an employee's regular draft."""
    payslip_id: int | None = await tx.fetchval(
        f"SELECT id FROM payslips WHERE client_id = $1 AND employee_id = $2 AND NOT special AND NOT finalised "
        f"AND {VISIBLE} ORDER BY date LIMIT 1",
        client_id,
        employee_id,
    )
    return payslip_id


async def list_draft_ends(tx: Transaction, client_id: int, employee_id: int, last_day: date) -> list[date]:
    """List the last days of the periods of an employee's drafts that begin up to a day, in order."""
    rows = await tx.fetch(
        f"SELECT DISTINCT date FROM payslips WHERE client_id = $1 AND employee_id = $2 AND start_date <= $3 "
        f"AND NOT finalised AND {VISIBLE} ORDER BY date",
        client_id,
        employee_id,
        last_day,
    )
    return [row["date"] for row in rows]


async def load_draft_months(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, frozenset[Month]]:
    """Load the months of the days of employees' regular drafts, by employee. Those without a draft are left out."""
    rows = await tx.fetch(
        f"SELECT employee_id, start_date, date FROM payslips WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) "
        f"AND NOT special AND NOT finalised AND {VISIBLE}",
        client_id,
        employee_ids,
    )
    months: dict[int, frozenset[Month]] = {}
    for row in rows:
        days = {Month.from_date(row["start_date"]), Month.from_date(row["date"])}
        months[row["employee_id"]] = months.get(row["employee_id"], frozenset()) | days
    return months


async def load_draft_ids(tx: Transaction, client_id: int, employee_ids: Sequence[int], end: date) -> dict[int, int]:
    """Load the IDs of the regular drafts of employees whose period ends on a day, by employee."""
    rows = await tx.fetch(
        f"SELECT employee_id, id FROM payslips WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) AND date = $3 "
        f"AND NOT special AND NOT finalised AND {VISIBLE}",
        client_id,
        employee_ids,
        end,
    )
    return {row["employee_id"]: row["id"] for row in rows}


async def is_item_used(tx: Transaction, client_id: int, item: str) -> bool:
    """Return whether an item occurs on any payslip of a client. Scans all of them."""
    is_used: bool = await tx.fetchval(
        "SELECT EXISTS (SELECT FROM payslips WHERE client_id = $1 AND jsonb_path_exists(lines::jsonb, "
        "'strict $.**[0] ? (@ == $item)', jsonb_build_object('item', $2::text), true))",
        client_id,
        item,
    )
    return is_used


async def load_without_item(
    tx: Transaction, client_id: int, payment_run_id: int, employee_ids: Sequence[int], item: str
) -> list[int]:
    """Return the given employees of a run whose payslip takes the foreign worker levy and lacks a pay item, by ID.

    It is the last regular payslip of a month, or the first one, which also has the levy of the month of joining.
    """
    rows = await tx.fetch(
        "SELECT employee_id FROM payslips WHERE client_id = $1 AND payment_run_id = $2 "
        f"AND employee_id = ANY ($3::bigint[]) AND {VISIBLE} AND NOT special AND inputs IS NOT NULL "
        "AND position('\"' || $4 || '\"' IN inputs::text) = 0 AND (coalesce(inputs ->> 'last_of_month', "
        "inputs -> 'period' ->> 'last_of_month', 'true')::boolean "
        "OR coalesce(inputs ->> 'takes_previous_levy', 'false')::boolean) ORDER BY employee_id",
        client_id,
        payment_run_id,
        employee_ids,
        item,
    )
    return [row["employee_id"] for row in rows]


async def load_levies_after_service(tx: Transaction, client_id: int, payment_run_id: int) -> list[asyncpg.Record]:
    """Load the levies of a run that are charged for days after the last day of service, by employee.

    Levies that were entered as an amount do not depend on days.
    """
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT * FROM (SELECT employee_id, levy, (inputs ->> 'leaving')::date AS last_day, "
        "(inputs -> 'person' ->> 'pass_to')::date AS pass_to, "
        "(date_trunc('month', (inputs -> 'period' ->> 'end')::date) + interval '1 month - 1 day')::date AS month_end "
        f"FROM payslips WHERE client_id = $1 AND payment_run_id = $2 AND {VISIBLE} AND levy > 0 AND inputs IS NOT NULL "
        "AND inputs -> 'calculations' -> 'foreign_worker_levy' -> 'inputs' ->> 'amount' IS NULL) leavers "
        "WHERE last_day < least(month_end, coalesce(pass_to, month_end)) ORDER BY employee_id",
        client_id,
        payment_run_id,
    )
    return rows
