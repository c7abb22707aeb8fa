-- What is stored about an employee in tables that the application cannot read, or only in part: the sign-in, its sessions and keys,
-- access events, and mail. For a transaction that sees the client. Hashes and secrets are left out.
CREATE FUNCTION personal_records(for_client bigint, for_employee bigint) RETURNS TABLE (source text, record jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    of_account bigint;
    person employees;
    own_users bigint[];
BEGIN
    IF NOT coalesce(for_client = ANY (allowed_clients()), false) THEN
        RETURN;
    END IF;
    PERFORM begin_maintenance();
    of_account := (SELECT c.account_id FROM clients c WHERE c.id = for_client);
    SELECT * INTO person FROM employees e WHERE e.client_id = for_client AND e.id = for_employee;
    own_users := ARRAY(SELECT m.user_id FROM memberships m
                       WHERE m.client_id = for_client AND m.employee_id = for_employee);
    RETURN QUERY
    SELECT 'users', to_jsonb(u) - 'password_hash' FROM users u WHERE u.id = ANY (own_users)
    UNION ALL
    SELECT 'console_sessions', to_jsonb(s) - 'token_hash' FROM console_sessions s WHERE s.user_id = ANY (own_users)
    UNION ALL
    SELECT 'api_keys', to_jsonb(k) - 'key_hash' FROM api_keys k WHERE k.user_id = ANY (own_users)
    UNION ALL
    SELECT 'sign_ins', to_jsonb(a) FROM access_events a WHERE a.account_id = of_account AND a.user_id = ANY (own_users)
    UNION ALL -- Where others were when they read the record is about them.
    SELECT 'access_events', to_jsonb(a) - 'address' - 'user_agent' FROM access_events a
    WHERE a.account_id = of_account AND a.path ~ ('(^|/)employees/' || for_employee || '($|[/.?])')
      AND a.user_id <> ALL (own_users)
    UNION ALL
    SELECT 'outgoing_mail', jsonb_set(to_jsonb(m), '{parameters}', m.parameters - 'nonce') FROM outgoing_mail m
    WHERE m.account_id = of_account
      AND (lower(m.recipient) = lower(person.email)
           OR lower(m.recipient) IN (SELECT lower(u.email) FROM users u WHERE u.id = ANY (own_users))
           OR (m.parameters ->> 'path' LIKE '/companies/' || for_client || '/%'
               AND m.parameters ->> 'employee' IN (person.first_name, person.first_name || ' ' || person.last_name,
                                                   person.last_name || ' ' || person.first_name)));
END $$;
REVOKE ALL ON FUNCTION personal_records(bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION personal_records(bigint, bigint) TO gaji_app;
