-- An account can require two-step sign-in of its users. Users whose only role is employee are exempt.

ALTER TABLE accounts ADD COLUMN two_step_required boolean NOT NULL DEFAULT false;

-- As in 0055, with the requirement and whether the user does not meet it yet.
DROP FUNCTION session_of(bytea, interval);
CREATE FUNCTION session_of(presented_hash bytea, longest_pause interval)
RETURNS TABLE (user_id bigint, account_id bigint, access_version bigint, administrator boolean, email text, name text,
               account_name text, two_step_required boolean, two_step_missing boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    UPDATE console_sessions s SET last_seen_at = now()
    WHERE s.token_hash = presented_hash AND s.last_seen_at < now() - interval '1 minute'
          AND s.last_seen_at > now() - longest_pause;
    RETURN QUERY
    SELECT u.id, u.account_id, a.version, u.administrator, u.email, u.name, c.name, required.is_required,
           required.is_required AND NOT EXISTS (SELECT FROM second_factors f WHERE f.id = u.id)
    FROM console_sessions s JOIN users u ON u.id = s.user_id JOIN user_access a ON a.user_id = u.id
         JOIN accounts c ON c.id = u.account_id
         CROSS JOIN LATERAL (
             SELECT c.two_step_required AND (
                 u.administrator
                 OR EXISTS (SELECT FROM memberships m WHERE m.user_id = u.id AND m.role <> 'employee')) AS is_required
         ) AS required
    WHERE s.token_hash = presented_hash AND NOT s.half AND s.expires_at > now()
          AND s.last_seen_at > now() - longest_pause AND u.disabled_at IS NULL;
END $$;

-- False if the caller is not an administrator of the account.
CREATE FUNCTION require_two_step(required boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    UPDATE accounts SET two_step_required = required, updated_at = now()
    WHERE id = current_account() AND EXISTS (
        SELECT FROM users WHERE users.id = current_user_id() AND administrator AND disabled_at IS NULL);
    RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION session_of(bytea, interval), require_two_step(boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION session_of(bytea, interval), require_two_step(boolean) TO gaji_app;
