-- Employees whose personal data was erased. Their payslips and certificates stay as figures.
CREATE TABLE erased_employees (
    client_id bigint NOT NULL REFERENCES clients,
    employee_id bigint NOT NULL,
    erased_at timestamptz NOT NULL DEFAULT now(),
    -- The user, or null for the task that enforces retention periods.
    erased_by bigint,
    PRIMARY KEY (client_id, employee_id),
    FOREIGN KEY (client_id, employee_id) REFERENCES employees ON DELETE CASCADE
);
CALL protect_employee_rows('erased_employees', 'employee_id');
-- What was erased stays so.
REVOKE UPDATE, DELETE ON erased_employees FROM gaji_app;

-- Entries of the audit log whose values were erased. The links of the chains cover the digest of the original contents. The hash,
-- made with the key of the chains, confirms that Gaji itself replaced these contents by what is there now.
CREATE TABLE audit_redactions (
    entry_id bigint PRIMARY KEY,
    account_id bigint NOT NULL,
    original_digest bytea NOT NULL,
    redacted_digest bytea NOT NULL,
    key_number integer,
    hash bytea
);
CALL protect('audit_redactions', 'false');

CREATE FUNCTION audit_entry_digest(l audit_log) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(convert_to(jsonb_build_array(
        l.id, (extract(epoch FROM l.at) * 1000000)::bigint, l.account_id, l.client_id, l.user_id, l.key_id,
        l.request_id, l.actor, l.action, l.row_id, l.before, l.after)::text, 'UTF8'))
$$;

-- The values of an entry without those about a person: IDs, roles and kinds stay.
CREATE FUNCTION without_personal_values(row_values jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_object_agg(key, CASE WHEN key IN ('id', 'role', 'type', 'short_name', 'status')
                                        OR (right(key, 3) = '_id' AND key <> 'external_id') THEN value ELSE 'null' END)
    FROM jsonb_each(row_values)
$$;

-- Erases the values of entries about an erased employee of a client that the transaction sees. The caller signs the result.
CREATE FUNCTION redact_audit_entries(for_client bigint, for_employee bigint, entries bigint[])
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
               OR (l.client_id IS NULL AND l.account_id = of_account AND l.action LIKE 'users.%'))
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

CREATE FUNCTION sign_audit_redactions(entries bigint[], hashes bytea[], used_key integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    UPDATE audit_redactions r SET hash = s.signed, key_number = used_key
    FROM unnest(entries, hashes) AS s (entry, signed) WHERE r.entry_id = s.entry AND r.hash IS NULL;
END $$;

-- The entry about the erasure itself. It has the number of entries whose values were erased.
CREATE FUNCTION record_erasure(for_client bigint, for_employee bigint, redacted_entries bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    INSERT INTO audit_log (account_id, client_id, user_id, key_id, request_id, actor, action, row_id, after)
    SELECT coalesce(current_account(), c.account_id), c.id, current_user_id(), setting('key')::bigint,
           setting('request'), coalesce(setting('actor'), acting_role()), 'employees.erase', for_employee,
           jsonb_build_object('redacted_entries', redacted_entries)
    FROM clients c JOIN erased_employees e ON e.client_id = c.id AND e.employee_id = for_employee
    WHERE c.id = for_client AND c.id = ANY (allowed_clients());
END $$;

-- Deletes what is not a client's row: mail to or about the employee, stored responses to requests about them, and their sign-in unless
-- it has another role. Returns the users that were deleted.
CREATE FUNCTION erase_account_records(for_client bigint, for_employee bigint) RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    own_users bigint[];
    mail bigint[];
BEGIN
    IF NOT coalesce(for_client = ANY (allowed_clients()), false) THEN
        RETURN;
    END IF;
    mail := ARRAY(SELECT (p.record ->> 'id')::bigint FROM personal_records(for_client, for_employee) p
                  WHERE p.source = 'outgoing_mail');
    PERFORM begin_maintenance();
    IF NOT EXISTS (SELECT FROM erased_employees e WHERE e.client_id = for_client AND e.employee_id = for_employee) THEN
        RETURN;
    END IF;
    DELETE FROM outgoing_mail m WHERE m.id = ANY (mail);
    DELETE FROM idempotent_answers a
    WHERE a.path ~ ('/employees/' || for_employee || '($|[/.?])')
       OR a.path ~ ('/clients/' || for_client || '/(employees|bulk_input)');
    own_users := ARRAY(
        SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE m.client_id = for_client AND m.employee_id = for_employee AND NOT u.administrator
          AND NOT EXISTS (SELECT FROM memberships o WHERE o.user_id = m.user_id
                          AND (o.client_id, o.role) <> (for_client, 'employee')));
    DELETE FROM memberships m WHERE m.client_id = for_client AND m.employee_id = for_employee;
    DELETE FROM access_events a WHERE a.user_id = ANY (own_users);
    DELETE FROM users u WHERE u.id = ANY (own_users);
    RETURN QUERY SELECT unnest(own_users);
END $$;

REVOKE ALL ON FUNCTION audit_entry_digest(audit_log), redact_audit_entries(bigint, bigint, bigint[]),
    sign_audit_redactions(bigint[], bytea[], integer), record_erasure(bigint, bigint, bigint),
    erase_account_records(bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION redact_audit_entries(bigint, bigint, bigint[]), sign_audit_redactions(bigint[], bytea[], integer),
    record_erasure(bigint, bigint, bigint), erase_account_records(bigint, bigint) TO gaji_app;

-- Links of entries whose values were erased before they got one cover the original contents.
CREATE OR REPLACE FUNCTION entries_without_link(max_entries integer)
RETURNS TABLE (entry_id bigint, account_id bigint, digest bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    state audit_chain_state;
    first_id bigint;
BEGIN
    PERFORM begin_maintenance();
    SELECT * INTO state FROM audit_chain_state;
    first_id := (SELECT min(l.id) FROM audit_log l WHERE l.id > state.chained_through AND l.id <= state.next_through);
    RETURN QUERY
    SELECT l.id, coalesce(l.account_id, 0), coalesce(r.original_digest, sha256(convert_to(jsonb_build_array(
               l.id, (extract(epoch FROM l.at) * 1000000)::bigint, l.account_id, l.client_id, l.user_id, l.key_id,
               l.request_id, l.actor, l.action, l.row_id, l.before, l.after)::text, 'UTF8')))
    FROM audit_log l LEFT JOIN audit_redactions r ON r.entry_id = l.id
    WHERE l.id >= first_id AND l.id < first_id + max_entries AND l.id <= state.next_through
      AND l.id > coalesce((SELECT h.entry_id FROM audit_heads h WHERE h.account_id = coalesce(l.account_id, 0)), 0)
    ORDER BY l.id;
END $$;
