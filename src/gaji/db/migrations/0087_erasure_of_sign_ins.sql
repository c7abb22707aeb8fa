-- Entries about the sign-in of an erased person (passkeys, two-step sign-in, single sign-on, API keys, changes of email) are redacted
-- like those of the user.

-- As in 0081, without the ID of a passkey, which identifies its device.
CREATE OR REPLACE FUNCTION without_personal_values(row_values jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_object_agg(key, CASE WHEN key IN ('id', 'role', 'type', 'short_name', 'status')
                                        OR (right(key, 3) = '_id' AND key NOT IN ('external_id', 'credential_id'))
                                 THEN value ELSE 'null' END)
    FROM jsonb_each(row_values)
$$;

CREATE OR REPLACE FUNCTION redact_audit_entries(for_client bigint, for_employee bigint, entries bigint[])
RETURNS TABLE (entry_id bigint, original_digest bytea, redacted_digest bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
DECLARE
    of_account bigint;
BEGIN
    IF NOT coalesce(for_client = ANY (allowed_clients()), false) THEN
        RETURN;
    END IF;
    PERFORM begin_maintenance();
    IF NOT EXISTS (SELECT FROM erased_employees e WHERE e.client_id = for_client AND e.employee_id = for_employee) THEN
        RETURN;
    END IF;
    of_account := (SELECT c.account_id FROM clients c WHERE c.id = for_client);
    RETURN QUERY
    WITH chosen AS MATERIALIZED (
        SELECT l.id, audit_entry_digest(l) AS digest FROM audit_log l
        WHERE l.id = ANY (entries)
          AND (l.client_id = for_client
               OR (l.client_id IS NULL AND l.account_id = of_account AND split_part(l.action, '.', 1) IN (
                   'users', 'second_factors', 'passkeys', 'single_sign_on_identities', 'api_keys', 'email_changes')))
    ), redacted AS (
        UPDATE audit_log l SET before = without_personal_values(l.before), after = without_personal_values(l.after)
        FROM chosen c WHERE l.id = c.id
        RETURNING l.id, c.digest, audit_entry_digest(l) AS new_digest, coalesce(l.account_id, 0) AS account
    )
    INSERT INTO audit_redactions AS r (entry_id, account_id, original_digest, redacted_digest)
    SELECT id, account, digest, new_digest FROM redacted
    ON CONFLICT (entry_id) DO UPDATE SET redacted_digest = excluded.redacted_digest, key_number = NULL, hash = NULL
    RETURNING r.entry_id, r.original_digest, r.redacted_digest;
END $$;
