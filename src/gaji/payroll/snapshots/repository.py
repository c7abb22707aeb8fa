"""SQL that writes snapshots. A row exists exactly as long as its payslip or run is finalised.

All payslips of a run are copied by one statement inside the database: no row passes through the application, and
encrypted account numbers stay sealed for the row that they were copied from.
"""

from collections.abc import AsyncIterator, Sequence

import asyncpg

from gaji.db.chunks import fetch_chunks
from gaji.db.tenancy import Transaction

CHUNK_SIZE = 1000

_COLUMNS = """k.id, k.profile_id, k.employee_id, k.payslip_id, k.type, k.inputs, k.skip, k.deleted,
    trim_scale(k.multiplier)::text, k.created_at, k.updated_at"""
CALCULATION = f"""CASE WHEN k.history IS NULL THEN json_build_array({_COLUMNS})
    ELSE json_build_array({_COLUMNS}, k.history) END"""

_INSERT_RUN = f"""
    INSERT INTO payment_run_snapshots (client_id, payment_run_id, employer, uen, unit_no, complex, st_name, postal_code,
        bank_id, account_name, company_id, account_number_sealed, account_number_masked, catalogue_version, accounts,
        split_mode, splits, calculations)
    SELECT c.id, $2, c.name, c.uen, c.unit_no, c.complex, c.st_name, c.postal_code, c.bank_id, c.account_name,
        c.company_id, c.account_number_sealed, c.account_number_masked, $3, $4, $5, $6,
        coalesce((SELECT json_agg({CALCULATION} ORDER BY k.id) FROM calculations k
                  WHERE k.client_id = $1 AND k.employee_id IS NULL), '[]')
    FROM clients c WHERE c.id = $1"""

# Lookups by index for each payslip: a small run of a large client must not read all its calculations. They compare with
# `p.client_id` and not with $1: otherwise PostgreSQL reads all of them for each payslip of a client that seems to be
# empty, because no ANALYZE has seen it.
_INSERT_PAYSLIPS = f"""
    INSERT INTO payslip_snapshots (client_id, payslip_id, employee_id, number, first_name, last_name, name_format,
        birthdate, identity_masked, job_title, pay_point, joined, payment_method, bank_id, branch_code,
        account_number_sealed, account_number_masked, paynow_sealed, paynow_masked, withheld, taken_on_cpf_employee,
        taken_on_cpf_employer, shares,
        profiles, calculations, regular_hours)
    SELECT p.client_id, p.id, p.employee_id, e.number, e.first_name, e.last_name, e.name_format,
        e.birthdate, coalesce(e.nric_masked, e.fin_masked, e.malaysian_ic_masked, e.passport_number_masked),
        e.job_title, o.name,
        (SELECT max(d.start_date) FROM service_periods d
         WHERE d.client_id = p.client_id AND d.employee_id = p.employee_id AND d.start_date <= p.date),
        e.payment_method, e.bank_id, e.branch_code, e.account_number_sealed, e.account_number_masked,
        e.paynow_sealed, e.paynow_masked,
        p.employee_id = ANY ($4::bigint[]), b.cpf_employee, b.cpf_employer,
        CASE $3::text
        WHEN 'pay_point' THEN CASE WHEN e.pay_point_id IS NOT NULL THEN json_build_object(e.pay_point_id, 10000) END
        WHEN 'employee' THEN (SELECT json_object_agg(a.key, s.share) FROM employee_accounting_splits s
                              JOIN accounting_splits a ON a.client_id = s.client_id AND a.id = s.split_id
                              WHERE s.client_id = p.client_id AND s.employee_id = p.employee_id)
        END,
        (SELECT json_agg(json_build_array(g.profile_id, g.calculations) ORDER BY g.id) FROM profile_mappings g
         WHERE g.client_id = p.client_id AND g.employee_id = p.employee_id),
        (SELECT json_agg({CALCULATION} ORDER BY k.id) FROM calculations k
         WHERE k.client_id = p.client_id AND k.employee_id = p.employee_id
           AND (k.payslip_id IS NULL OR k.payslip_id = p.id)),
        (SELECT json_build_array(h.id, h.inputs_history, h.created_at, h.updated_at) FROM inherited_calculations h
         WHERE h.client_id = p.client_id AND h.employee_id = p.employee_id AND h.short_name = 'week_hours'
           AND (SELECT regular_hours_v2 FROM clients WHERE id = $1))
    FROM payslips p
    CROSS JOIN LATERAL (SELECT * FROM employees WHERE client_id = p.client_id AND id = p.employee_id OFFSET 0) e
    LEFT JOIN LATERAL (
        SELECT * FROM pay_points WHERE client_id = p.client_id AND id = e.pay_point_id OFFSET 0) o ON true
    LEFT JOIN LATERAL (
        SELECT * FROM take_on_balances WHERE client_id = p.client_id AND employee_id = p.employee_id
            AND year = extract(year FROM p.date) OFFSET 0) b ON true
    WHERE p.client_id = $1 AND p.payment_run_id = $2 AND p.finalised"""

# Each snapshot is looked up by the ID of its payslip (see `db.query_plans`).
_PAYSLIPS_WITH_SNAPSHOTS = """payslips p CROSS JOIN LATERAL (
        SELECT * FROM payslip_snapshots WHERE client_id = p.client_id AND payslip_id = p.id OFFSET 0) s
    WHERE p.client_id = $1 AND p.payment_run_id = $2"""


async def insert_run(
    tx: Transaction,
    client_id: int,
    run_id: int,
    catalogue_version: str,
    accounts_json: str,
    split_mode: str,
    splits_json: str,
) -> None:
    """Insert the snapshot of a run."""
    await tx.execute(_INSERT_RUN, client_id, run_id, catalogue_version, accounts_json, split_mode, splits_json)


async def insert_payslips(
    tx: Transaction, client_id: int, run_id: int, split_mode: str, withheld_employee_ids: Sequence[int]
) -> None:
    """Insert the snapshots of all finalised payslips of a run."""
    await tx.execute(_INSERT_PAYSLIPS, client_id, run_id, split_mode, withheld_employee_ids)


async def withhold(tx: Transaction, client_id: int, payslip_id: int) -> None:
    """Mark the payment of a finalised payslip as withheld."""
    await tx.execute(
        "UPDATE payslip_snapshots SET withheld = true WHERE client_id = $1 AND payslip_id = $2", client_id, payslip_id
    )


async def reopen(tx: Transaction, client_id: int, run_id: int) -> None:
    """Delete the snapshots of a run, and keep the lines of its payslips to compare them with the next finalisation."""
    await tx.execute(
        "INSERT INTO reopened_payslips (client_id, payment_run_id, payslip_id, employee_id, number, lines) "
        f"SELECT $1, $2, s.payslip_id, s.employee_id, s.number, p.lines FROM {_PAYSLIPS_WITH_SNAPSHOTS}",
        client_id,
        run_id,
    )
    await tx.execute(
        "DELETE FROM payslip_snapshots WHERE client_id = $1 AND payslip_id = ANY (ARRAY("
        "SELECT payslip_id FROM reopened_payslips WHERE client_id = $1 AND payment_run_id = $2))",
        client_id,
        run_id,
    )
    await tx.execute(
        "DELETE FROM payment_run_snapshots WHERE client_id = $1 AND payment_run_id = $2",
        client_id,
        run_id,
    )


async def was_reopened(tx: Transaction, client_id: int, run_id: int) -> bool:
    """Return whether a run was finalised before, with at least one payslip."""
    reopened: bool = await tx.fetchval(
        "SELECT EXISTS (SELECT FROM reopened_payslips WHERE client_id = $1 AND payment_run_id = $2)", client_id, run_id
    )
    return reopened


def iterate_changed(tx: Transaction, client_id: int, run_id: int) -> AsyncIterator[list[asyncpg.Record]]:
    """Iterate over the payslips whose lines differ from the previous finalisation, by ID. Null where there is none."""
    query = (
        "SELECT coalesce(n.payslip_id, b.payslip_id) AS payslip_id, "
        "coalesce(n.employee_id, b.employee_id) AS employee_id, coalesce(n.number, b.number) AS number, "
        "b.lines AS before, n.lines AS after FROM "
        f"(SELECT s.payslip_id, s.employee_id, s.number, p.lines FROM {_PAYSLIPS_WITH_SNAPSHOTS}) n "
        "FULL JOIN (SELECT * FROM reopened_payslips WHERE client_id = $1 AND payment_run_id = $2) b "
        "ON b.payslip_id = n.payslip_id WHERE b.lines::text IS DISTINCT FROM n.lines::text ORDER BY 1"
    )
    return fetch_chunks(tx, CHUNK_SIZE, query, client_id, run_id)


async def save_differences(tx: Transaction, client_id: int, run_id: int, differences_json: str) -> None:
    """Save what differs from the previous finalisation, whose lines are no longer needed."""
    await tx.execute(
        "UPDATE payment_run_snapshots SET differences = $3 WHERE client_id = $1 AND payment_run_id = $2",
        client_id,
        run_id,
        differences_json,
    )
    await tx.execute("DELETE FROM reopened_payslips WHERE client_id = $1 AND payment_run_id = $2", client_id, run_id)
