"""SQL for the erasure of employees."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, NamedTuple

import msgspec

from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.privacy.audit_trail import ENTRIES_ABOUT_EMPLOYEE
from gaji.privacy.tables import PAYSLIPS_OF_EMPLOYEE

NO_BANK = """bank_id = NULL, branch_code = NULL, account_number_sealed = NULL, account_number_masked = NULL,
    paynow_sealed = NULL, paynow_masked = NULL, payment_method = 'cash'"""
NUMBER = """'erased-' || $2::bigint || CASE WHEN EXISTS (
    SELECT FROM employees o WHERE o.client_id = $1 AND o.number = 'erased-' || $2::bigint AND o.id <> $2)
    THEN '-' || gen_random_uuid() ELSE '' END"""
"""The number of an erased employee. Someone else may have the usual one."""
NAMES = f"""number = {NUMBER}, first_name = 'Erased employee', last_name = $2::bigint::text,
    name_format = 1, birthdate = '1900-01-01', job_title = NULL"""
STATEMENTS = (
    f"""UPDATE employees SET {NAMES}, {NO_BANK}, legal_status = 'CITIZEN', nationality = NULL, pr_date = NULL,
            citizenship_date = NULL, pr_cpf_rates = 'GG', gender = 'M', race = 'OTHER', religion = 'NONE',
            work_pass = NULL, pass_from = NULL, pass_to = NULL, email = NULL, physical_address = NULL,
            custom_fields = '{{}}', metadata = '{{}}', external_id = NULL, days_in_singapore = '{{}}',
            nric_sealed = NULL, nric_masked = NULL, nric_lookup = NULL, fin_sealed = NULL, fin_masked = NULL,
            fin_lookup = NULL, malaysian_ic_sealed = NULL, malaysian_ic_masked = NULL, passport_number_sealed = NULL,
            passport_number_masked = NULL, business_owner = false, enabling_employment_credit_from = NULL,
            enabling_new_hire = false, uplifting_employment_credit_from = NULL,
            updated_at = greatest(clock_timestamp(), updated_at)
        WHERE client_id = $1 AND id = $2""",
    f"""UPDATE payslip_snapshots SET {NAMES}, {NO_BANK}, identity_masked = NULL
        WHERE client_id = $1 AND employee_id = $2""",
    "UPDATE payslips SET remarks = '{}', attention = '{}' WHERE client_id = $1 AND employee_id = $2",
    "UPDATE reopened_payslips SET number = 'erased-' || $2 WHERE client_id = $1 AND employee_id = $2",
    f"""UPDATE calculations SET external_id = NULL, metadata = '{{}}'
        WHERE client_id = $1 AND (employee_id = $2 OR payslip_id IN ({PAYSLIPS_OF_EMPLOYEE}))""",
    "DELETE FROM medical_certificates WHERE client_id = $1 AND employee_id = $2",
    "DELETE FROM children WHERE client_id = $1 AND employee_id = $2",
    "DELETE FROM invitations WHERE client_id = $1 AND employee_id = $2",
    "DELETE FROM approvals WHERE client_id = $1 AND employee_id = $2",
    "UPDATE leave_requests SET reason = '', answer = '' WHERE client_id = $1 AND employee_id = $2",
    "UPDATE leave_adjustments SET reason = '' WHERE client_id = $1 AND employee_id = $2",
    "UPDATE benefits_in_kind SET description = '', address = NULL WHERE client_id = $1 AND employee_id = $2",
    """UPDATE service_periods SET termination_code = 99
       WHERE client_id = $1 AND employee_id = $2 AND end_date IS NOT NULL""",
    """DELETE FROM tax_certificate_files f WHERE f.client_id = $1 AND f.year IN (
           SELECT v.year FROM tax_certificate_versions v WHERE v.client_id = $1 AND v.employee_id = $2)""",
    *(
        f"""UPDATE {table} SET identifier_sealed = NULL, identifier_masked = NULL
            WHERE client_id = $1 AND employee_id = $2"""
        for table in ("tax_certificates", "tax_certificate_versions")
    ),
    "DELETE FROM report_runs WHERE client_id = $1 AND $2::bigint IS NOT NULL",
    "DELETE FROM payslip_bundles WHERE client_id = $1 AND $2::bigint IS NOT NULL",
    "DELETE FROM employee_imports WHERE client_id = $1 AND $2::bigint IS NOT NULL",
)
"""What replaces personal values of the client $1 and the employee $2. Figures, dates of leave and service stay."""
DOCUMENTS = (
    ("payslips", "id", "inputs", "employee_id = $2"),
    ("payslip_snapshots", "payslip_id", "calculations", "employee_id = $2"),
    ("calculations", "id", "inputs", f"(employee_id = $2 OR payslip_id IN ({PAYSLIPS_OF_EMPLOYEE}))"),
    ("calculations", "id", "history", f"(employee_id = $2 OR payslip_id IN ({PAYSLIPS_OF_EMPLOYEE}))"),
    ("retro_proposals", "id", "differences", "employee_id = $2"),
    (
        "payment_run_snapshots",
        "payment_run_id",
        "differences",
        "payment_run_id IN (SELECT p.payment_run_id FROM payslips p WHERE p.client_id = $1 AND p.employee_id = $2)",
    ),
    ("tax_certificates", "id", "content", "employee_id = $2"),
    ("tax_certificate_versions", "id", "content", "employee_id = $2"),
)
"""Stored JSON about employees: table, key, column, and the condition on its rows."""


class ErasureCandidate(NamedTuple):
    """What decides on when an employee can be erased."""

    last_service_date: date | None
    """None while the employee is in service."""
    last_pay_year: int
    """The last calendar year with pay or a tax certificate."""
    has_open_payslips: bool
    """Whether a payslip of a pay run is not finalised."""


async def load_candidate(tx: Transaction, client_id: int, employee_id: int) -> ErasureCandidate:
    """Load what decides on when an employee can be erased."""
    row = await tx.fetchrow(
        """SELECT (SELECT CASE WHEN bool_and(s.end_date IS NOT NULL) THEN max(s.end_date) END
                   FROM service_periods s WHERE s.client_id = $1 AND s.employee_id = $2) AS last_service_date,
                  greatest(1900,
                    (SELECT max(extract(year FROM greatest(p.date, p.pay_date)))::int FROM payslips p
                     WHERE p.client_id = $1 AND p.employee_id = $2 AND p.finalised),
                    (SELECT max(t.year) FROM tax_certificates t WHERE t.client_id = $1 AND t.employee_id = $2),
                    (SELECT max(b.year) FROM take_on_balances b WHERE b.client_id = $1 AND b.employee_id = $2),
                    (SELECT max(extract(year FROM g.income_date))::int FROM share_gains g
                     WHERE g.client_id = $1 AND g.employee_id = $2)) AS last_pay_year,
                  EXISTS (SELECT FROM payslips p WHERE p.client_id = $1 AND p.employee_id = $2
                          AND NOT p.finalised AND p.payment_run_id IS NOT NULL) AS has_open_payslips""",
        client_id,
        employee_id,
    )
    return ErasureCandidate(**row)


async def load_erased_at(tx: Transaction, client_id: int, employee_id: int) -> Any:
    """Return when an employee was erased, or None."""
    return await tx.fetchval(
        "SELECT erased_at FROM erased_employees WHERE client_id = $1 AND employee_id = $2", client_id, employee_id
    )


async def has_running_tasks(tx: Transaction, client_id: int) -> bool:
    """Return whether a report, a ZIP file of payslips or an import of the client is not finished."""
    tables = ("report_runs", "payslip_bundles", "employee_imports")
    queued = " OR ".join(f"EXISTS (SELECT FROM {table} WHERE client_id = $1 AND state = 'queued')" for table in tables)
    return bool(await tx.fetchval(f"SELECT {queued}", client_id))


async def mark_erased(tx: Transaction, client_id: int, employee_id: int) -> None:
    """Record that an employee is erased, and delete drafts that belong to no pay run."""
    await tx.execute(
        "INSERT INTO erased_employees (client_id, employee_id, erased_by) VALUES ($1, $2, nullif($3::bigint, 0))",
        client_id,
        employee_id,
        tx.caller.user_id,
    )
    await tx.execute(
        "DELETE FROM payslips WHERE client_id = $1 AND employee_id = $2 AND NOT finalised AND payment_run_id IS NULL",
        client_id,
        employee_id,
    )


async def replace_values(tx: Transaction, client_id: int, employee_id: int, scrub: Callable[[Any], Any]) -> None:
    """Replace all personal values of the client's rows about an employee."""
    for table, key, column, condition in DOCUMENTS:
        await _replace_documents(tx, client_id, employee_id, (table, key, column, condition), scrub)
    for statement in STATEMENTS:
        await tx.execute(statement, client_id, employee_id)


async def _replace_documents(
    tx: Transaction, client_id: int, employee_id: int, source: tuple[str, str, str, str], scrub: Callable[[Any], Any]
) -> None:
    table, key, column, condition = source
    rows = await tx.fetch(
        f"SELECT {key} AS id, {column}::text AS document FROM {table} "
        f"WHERE client_id = $1 AND {condition} AND {column} IS NOT NULL",
        client_id,
        employee_id,
    )

    def scrub_all() -> list[tuple[int, int, str]]:
        documents = ((row["id"], scrub(msgspec.json.decode(row["document"]))) for row in rows)
        return [(client_id, row_id, msgspec.json.encode(document).decode()) for row_id, document in documents]

    await tx.executemany(
        f"UPDATE {table} SET {column} = $3 WHERE client_id = $1 AND {key} = $2",
        await run_in_thread_if_many(len(rows), scrub_all),
    )


async def list_users_to_erase(tx: Transaction, client_id: int, employee_id: int) -> list[int]:
    """Return the users who are deleted with the employee, because they have no other role in the account."""
    rows = await tx.fetch("SELECT user_id FROM users_to_erase($1, $2) AS user_id", client_id, employee_id)
    return [row["user_id"] for row in rows]


async def erase_account_records(tx: Transaction, client_id: int, employee_id: int) -> None:
    """Delete mail, stored responses, and the employee's sign-in unless it has another role."""
    await tx.execute("SELECT erase_account_records($1, $2)", client_id, employee_id)


async def list_entries(tx: Transaction, client_id: int, employee_id: int, user_ids: Sequence[int]) -> list[int]:
    """Return the entries of the audit log about an employee."""
    query = f"WITH {ENTRIES_ABOUT_EMPLOYEE} SELECT id FROM entries ORDER BY id"
    return [row["id"] for row in await tx.fetch(query, client_id, employee_id, list(user_ids))]


async def record_erasure(tx: Transaction, client_id: int, employee_id: int, redacted_entries: int) -> None:
    """Add the entry about the erasure to the audit log."""
    await tx.execute("SELECT record_erasure($1, $2, $3)", client_id, employee_id, redacted_entries)
