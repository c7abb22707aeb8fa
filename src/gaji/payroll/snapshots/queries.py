"""Snapshots as other resources read them. Without a snapshot, the live records apply: the payslip is a draft."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple

import asyncpg
import msgspec

from gaji.company.clients.queries import PayerAccount
from gaji.core.threads import run_in_thread_if_many
from gaji.core.vault import SealedCell
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import StoredValue
from gaji.engine.ledger import AccountOverrides, Ledger
from gaji.payroll.accounting.splits import SplitSettings
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner, DatedChange
from gaji.payroll.calculations.levels import CalculationLevels
from gaji.payroll.calculations.regular_hours.repository import InheritedCalculation
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.payslips.catalogues import load_catalogue_version
from gaji.payroll.profiles.queries import EmployeeProfile
from gaji.people.employees.display_name import NAME_COLUMNS, EmployeeLabel, employee_label

ACCOUNT, PAYNOW = "account_number_sealed", "paynow_sealed"


class CalculationSnapshot(msgspec.Struct, array_like=True):
    """A calculation as it is stored in a snapshot."""

    id: int
    profile_id: int | None
    employee_id: int | None
    payslip_id: int | None
    type: str
    inputs: dict[str, Any]
    skip: bool | None
    deleted: bool
    multiplier: str | None
    created_at: datetime
    updated_at: datetime
    history: dict[str, DatedChange] = {}

    def to_calculation(self, client_id: int) -> Calculation:
        """Return the calculation of a client."""
        return Calculation(
            CalculationOwner(client_id, self.profile_id, self.employee_id, self.payslip_id),
            self.type,
            self.inputs,
            self.skip,
            self.deleted,
            self.multiplier,
            self.id,
            _timestamp(self.created_at),
            _timestamp(self.updated_at),
            self.history,
        )


class PayslipEntry(msgspec.Struct, array_like=True, frozen=True):
    """What was entered for a payslip."""

    inputs: dict[str, StoredValue]
    skip: bool | None = None
    deleted: bool = False
    multiplier: str | None = None


class EntryChange(NamedTuple):
    """What was entered for a payslip when it was finalised, and what is entered now."""

    frozen: PayslipEntry | None
    live: PayslipEntry | None


class RegularHoursSnapshot(msgspec.Struct, array_like=True):
    """The regular hours of an employee as they are stored in a snapshot."""

    id: int
    inputs_history: dict[str, dict[str, Any]]
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class AccountingSnapshot:
    """The accounts and splits of a finalised run."""

    ledger: Ledger
    splits: SplitSettings


@dataclass(frozen=True)
class CalculationsSnapshot:
    """The calculations of a finalised payslip and the accounts of its run."""

    ledger: Ledger
    levels: CalculationLevels


@dataclass(frozen=True, slots=True)
class Payee:
    """How an employee is paid by a finalised payslip."""

    employee: EmployeeLabel
    payment_method: str
    bank_id: int | None
    branch_code: str | None
    account_number: str | None
    paynow: str | None
    """The PayNow number, if the employee is paid by PayNow where the file has it."""
    withheld: bool
    """Whether the payment is withheld for tax clearance."""


# A calculation is an array in the order of `CalculationSnapshot`: 1 is the profile, 4 the type, 11 the history.
# Each payslip is looked up by its ID, because the database has no statistics for a run that was just finalised.
_FIRST_DATES = """
    WITH payslip AS MATERIALIZED (
        SELECT payslip_id AS id, profiles, calculations, regular_hours FROM payslip_snapshots
        WHERE client_id = $1 AND payslip_id = ANY ($2::bigint[])
    ), grouped AS MATERIALIZED (
        SELECT s.id, p.payment_run_id, g.value ->> 0 AS profile_id, g.value -> 1 AS switches
        FROM payslip s CROSS JOIN json_array_elements(s.profiles) g
        CROSS JOIN LATERAL (SELECT payment_run_id FROM payslips WHERE client_id = $1 AND id = s.id OFFSET 0) p
    ), dated AS (
        SELECT p.id, k.value ->> 4 AS type, k.value -> 11 AS history
        FROM payslip p, json_array_elements(p.calculations) k WHERE json_array_length(k.value) > 11
        UNION ALL
        SELECT g.id, k.value ->> 4, k.value -> 11
        FROM grouped g JOIN payment_run_snapshots r ON r.client_id = $1 AND r.payment_run_id = g.payment_run_id,
            json_array_elements(r.calculations) k
        WHERE json_array_length(k.value) > 11 AND k.value ->> 1 = g.profile_id
            AND coalesce((g.switches ->> (k.value ->> 4))::boolean, true)
        UNION ALL
        SELECT p.id, 'week_hours', p.regular_hours -> 1 FROM payslip p WHERE p.regular_hours IS NOT NULL
    )
    SELECT id, type, min(day) AS first FROM dated, json_object_keys(history) day WHERE day <> '' GROUP BY id, type"""

_decode_accounts = msgspec.json.Decoder(dict[str, tuple[str | None, str | None, str | None]]).decode
_decode_splits = msgspec.json.Decoder(list[tuple[str, str]]).decode
_decode_shares = msgspec.json.Decoder(dict[str, int]).decode
_decode_calculations = msgspec.json.Decoder(list[CalculationSnapshot]).decode
_decode_profiles = msgspec.json.Decoder(list[tuple[int, msgspec.Raw]]).decode
_decode_entries = msgspec.json.Decoder(dict[str, PayslipEntry]).decode
_decode_hours = msgspec.json.Decoder(RegularHoursSnapshot).decode


_LATE_ENTRIES = """
    SELECT s.payslip_id, f.entries AS frozen, k.entries AS live FROM payslip_snapshots s
    CROSS JOIN LATERAL (
        SELECT jsonb_object_agg(c->>4, jsonb_build_array(c->5, c->6, c->7, c->8)) AS entries
        FROM json_array_elements(s.calculations) c WHERE (c->>3)::bigint = s.payslip_id) f
    CROSS JOIN LATERAL (
        SELECT jsonb_object_agg(type, jsonb_build_array(inputs, skip, deleted, trim_scale(multiplier)::text)) AS entries
        FROM calculations
        WHERE client_id = s.client_id AND employee_id = s.employee_id AND payslip_id = s.payslip_id) k
    WHERE s.client_id = $1 AND s.payslip_id = ANY ($2::bigint[]) AND f.entries IS DISTINCT FROM k.entries"""


async def load_accounting(tx: Transaction, client_id: int, run_id: int) -> AccountingSnapshot | None:
    """Load the accounts and splits of a run."""
    row = await tx.fetchrow(
        "SELECT catalogue_version, accounts, split_mode, splits FROM payment_run_snapshots "
        "WHERE client_id = $1 AND payment_run_id = $2",
        client_id,
        run_id,
    )
    if row is None:
        return None
    names = dict(_decode_splits(row["splits"]))
    return AccountingSnapshot(await _ledger(tx, client_id, row), SplitSettings(row["split_mode"], names))


async def load_shares(tx: Transaction, client_id: int, run_id: int) -> dict[int, Mapping[str, int]]:
    """Load the shares of the payslips of a run by employee and split. Payslips in no split are left out."""
    rows = await tx.fetch(
        "SELECT employee_id, shares FROM payslip_snapshots "
        "WHERE client_id = $1 AND payslip_id = ANY ($2::bigint[]) AND shares IS NOT NULL",
        client_id,
        await _load_payslip_ids(tx, client_id, run_id),
    )
    return {row["employee_id"]: _decode_shares(row["shares"]) for row in rows}


async def load_calculations(tx: Transaction, client_id: int, payslip_id: int) -> CalculationsSnapshot | None:
    """Load the calculations of a payslip."""
    row = await tx.fetchrow(
        "SELECT p.employee_id, r.catalogue_version, r.accounts, r.calculations AS inherited, "
        "s.profiles, s.calculations AS own, s.regular_hours FROM payslips p "
        "JOIN payslip_snapshots s ON s.client_id = p.client_id AND s.payslip_id = p.id "
        "JOIN payment_run_snapshots r ON r.client_id = p.client_id AND r.payment_run_id = p.payment_run_id "
        "WHERE p.client_id = $1 AND p.id = $2",
        client_id,
        payslip_id,
    )
    return row and CalculationsSnapshot(await _ledger(tx, client_id, row), _levels(client_id, row))


async def load_first_dates(tx: Transaction, client_id: int, payslip_ids: Sequence[int]) -> dict[int, dict[str, date]]:
    """Load the first date on which each calculation of finalised payslips changed, by payslip and type.

    The dates are those of the employee and of the employee's profiles when the payslip was finalised.
    """
    first_dates: dict[int, dict[str, date]] = defaultdict(dict)
    for row in await tx.fetch(_FIRST_DATES, client_id, payslip_ids):
        first_dates[row["id"]][row["type"]] = date.fromisoformat(row["first"])
    return first_dates


async def load_late_entries(
    tx: Transaction, client_id: int, payslip_ids: Sequence[int]
) -> dict[int, dict[str, EntryChange]]:
    """Load what was entered for finalised payslips, or removed, after they were finalised: by payslip and type."""
    rows = await tx.fetch(_LATE_ENTRIES, client_id, payslip_ids)
    return {row["payslip_id"]: _changes(_entries(row["frozen"]), _entries(row["live"])) for row in rows}


def _entries(stored: str | None) -> dict[str, PayslipEntry]:
    return _decode_entries(stored) if stored else {}


def _changes(frozen: Mapping[str, PayslipEntry], live: Mapping[str, PayslipEntry]) -> dict[str, EntryChange]:
    changes = {name: EntryChange(frozen.get(name), live.get(name)) for name in sorted({*frozen, *live})}
    return {name: change for name, change in changes.items() if change.frozen != change.live}


async def load_payees(tx: Transaction, client_id: int, run_id: int) -> dict[int, Payee]:
    """Load how the payslips of a run are paid, by employee. Account numbers are decrypted; they go into files only."""
    columns = ", ".join((*NAME_COLUMNS, "payment_method", "bank_id", "branch_code", ACCOUNT, PAYNOW))
    rows = await tx.fetch(
        f"SELECT employee_id, withheld, {columns} FROM payslip_snapshots "
        "WHERE client_id = $1 AND payslip_id = ANY ($2::bigint[])",
        client_id,
        await _load_payslip_ids(tx, client_id, run_id),
    )

    def decrypt() -> dict[int, Payee]:
        payees: dict[int, Payee] = {}
        for row in rows:
            employee_id = row["employee_id"]
            sealed = [row[ACCOUNT], row[PAYNOW]]
            number, paynow = tx.vault.open_row(client_id, "employees", employee_id, [ACCOUNT, PAYNOW], sealed)
            payees[employee_id] = Payee(
                employee_label(row),
                row["payment_method"],
                row["bank_id"],
                row["branch_code"],
                number,
                paynow,
                row["withheld"],
            )
        return payees

    return await run_in_thread_if_many(len(rows), decrypt)


async def has_payment_method(tx: Transaction, client_id: int, run_id: int, payment_method: str) -> bool:
    """Return whether a payslip of a run is paid by a method: as it was finalised, or else as the employee is now."""
    # Draft: looks for one employee, instead of reading all payslips.
    slips = "FROM payslips p WHERE p.client_id = $1 AND p.payment_run_id = $2 AND NOT p.withdrawn AND p.nett_pay > 0"
    is_used: bool = await tx.fetchval(
        "SELECT CASE WHEN (SELECT finalised FROM payment_runs WHERE client_id = $1 AND id = $2) "
        "THEN EXISTS (SELECT FROM payslip_snapshots WHERE client_id = $1 AND payment_method = $3 "
        f"AND payslip_id = ANY (ARRAY(SELECT p.id {slips}))) "
        "ELSE EXISTS (SELECT FROM employees e WHERE e.client_id = $1 AND e.payment_method = $3 "
        f"AND EXISTS (SELECT {slips} AND p.employee_id = e.id OFFSET 0)) END",
        client_id,
        run_id,
        payment_method,
    )
    return is_used


async def load_payer(tx: Transaction, client_id: int, run_id: int) -> PayerAccount | None:
    """Load the account that a run is paid from. None if the client had none. The number goes into files only."""
    row = await tx.fetchrow(
        f"SELECT bank_id, account_name, company_id, {ACCOUNT} FROM payment_run_snapshots "
        f"WHERE client_id = $1 AND payment_run_id = $2 AND {ACCOUNT} IS NOT NULL",
        client_id,
        run_id,
    )
    if row is None:
        return None
    number = tx.vault.open(row[ACCOUNT], SealedCell(client_id, "clients", client_id, ACCOUNT))
    return PayerAccount(row["bank_id"], number, row["account_name"], row["company_id"])


async def load_differences(tx: Transaction, client_id: int, run_id: int) -> str | None:
    """Return what differs from the previous finalisation of a run, as JSON. None for the first one."""
    differences: str | None = await tx.fetchval(
        "SELECT differences FROM payment_run_snapshots WHERE client_id = $1 AND payment_run_id = $2", client_id, run_id
    )
    return differences


async def _load_payslip_ids(tx: Transaction, client_id: int, run_id: int) -> list[int]:
    """Load the payslips of a run.

    Snapshots are selected by ID. The database has no statistics yet for those of a run that was just finalised, so it
    can choose a join that takes minutes for 10,000 payslips.
    """
    payslip_ids: list[int] | None = await tx.fetchval(
        "SELECT array_agg(id) FROM payslips WHERE client_id = $1 AND payment_run_id = $2", client_id, run_id
    )
    return payslip_ids or []


async def _ledger(tx: Transaction, client_id: int, row: asyncpg.Record) -> Ledger:
    catalogue = await load_catalogue_version(tx, client_id, row["catalogue_version"])
    accounts = _decode_accounts(row["accounts"])
    return Ledger(catalogue, {item: AccountOverrides(*names) for item, names in accounts.items()})


def _levels(client_id: int, row: asyncpg.Record) -> CalculationLevels:
    profiles = [
        EmployeeProfile(profile_id, bytes(switches).decode())
        for profile_id, switches in _decode_profiles(row["profiles"] or "[]")
    ]
    profile_ids = {profile.profile_id for profile in profiles}
    stored = [*_decode_calculations(row["inherited"]), *_decode_calculations(row["own"] or "[]")]
    applicable = [item for item in stored if item.profile_id is None or item.profile_id in profile_ids]
    return CalculationLevels(
        [calculation.to_calculation(client_id) for calculation in sorted(applicable, key=lambda item: item.id)],
        profiles,
        _regular_hours(row["employee_id"], row["regular_hours"]),
    )


def _regular_hours(employee_id: int, stored: str | None) -> InheritedCalculation | None:
    if stored is None:
        return None
    hours = _decode_hours(stored)
    return InheritedCalculation(
        hours.id,
        employee_id,
        WEEK_HOURS,
        hours.inputs_history,
        _timestamp(hours.created_at),
        _timestamp(hours.updated_at),
    )


def _timestamp(moment: datetime) -> str:
    """Return a time as the API shows it."""
    return moment.isoformat(timespec="microseconds")
