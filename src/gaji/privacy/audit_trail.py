"""The entries of the audit log that are about one employee."""

from gaji.audit.queries import OWNED_TABLES

TABLES_OF_EMPLOYEE = "'employees', 'take_on_balances', 'employee_accounting_splits'"
"""Tables whose entries have the ID of the employee as that of their row."""
TABLES_OF_USER = "'users', 'second_factors'"
"""Tables without a client whose entries have the ID of the user as that of their row."""
TABLES_WITH_USER = "'passkeys', 'single_sign_on_identities', 'api_keys', 'email_changes'"
"""Tables without a client whose entries name the user."""
EXISTING_ROWS = " UNION ALL ".join(
    f"SELECT '{table}', t.id FROM {table} t WHERE t.client_id = $1 AND t.employee_id = $2" for table in OWNED_TABLES
)
PERSON = "(l.before ->> 'employee_id' = $2::bigint::text OR l.after ->> 'employee_id' = $2::bigint::text)"
PAYSLIP = "coalesce(l.after ->> 'payslip_id', l.before ->> 'payslip_id')"
ENTRIES_ABOUT_EMPLOYEE = f"""
    payslip_numbers AS MATERIALIZED (
        SELECT p.id::text AS number FROM payslips p WHERE p.client_id = $1 AND p.employee_id = $2),
    own_rows (table_name, id) AS MATERIALIZED (
        SELECT DISTINCT split_part(l.action, '.', 1), l.row_id FROM audit_log l
        WHERE l.client_id = $1 AND ({PERSON} OR {PAYSLIP} IN (SELECT number FROM payslip_numbers))
        UNION SELECT unnest(ARRAY[{TABLES_OF_EMPLOYEE}]), $2::bigint
        UNION ALL {EXISTING_ROWS}),
    entries AS (
        SELECT l.id FROM audit_log l
        WHERE l.client_id = $1 AND (split_part(l.action, '.', 1), l.row_id) IN (SELECT table_name, id FROM own_rows)
        UNION
        SELECT l.id FROM audit_log l WHERE l.client_id IS NULL AND (
            (split_part(l.action, '.', 1) IN ({TABLES_OF_USER}) AND l.row_id = ANY ($3::bigint[]))
            OR (split_part(l.action, '.', 1), l.row_id) IN (
                SELECT split_part(o.action, '.', 1), o.row_id FROM audit_log o
                WHERE o.client_id IS NULL AND split_part(o.action, '.', 1) IN ({TABLES_WITH_USER})
                  AND coalesce(o.after ->> 'user_id', o.before ->> 'user_id') = ANY ($3::bigint[]::text[]))))"""
"""Common table expressions for the client $1, the employee $2 and the users $3 of the employee: the IDs in `entries`.

An update records changed columns only, so entries are found by the rows that other entries, or the tables, show to be
the employee's.
"""
