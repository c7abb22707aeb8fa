-- Older servers: stop
-- Owners keep a user of the account from signing in, end the user's sessions in it, and revoke the user's keys.

-- `disabled_by` is null if the operator disabled the user. Then only the operator enables the user again.
ALTER TABLE users ADD COLUMN disabled_by bigint, ADD COLUMN signed_out_at timestamptz;

-- Whether one user may do this to another: an owner of all companies of that user. Only administrators may do it to
-- administrators. What the user has in other accounts does not matter, because nothing of it changes.
CREATE FUNCTION may_restrict_user(actor bigint, of_user bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM users a JOIN users u ON u.account_id = a.account_id
        WHERE a.id = actor AND u.id = of_user AND a.id <> u.id AND a.disabled_at IS NULL
              AND (a.administrator OR NOT u.administrator)
              AND NOT EXISTS (SELECT FROM memberships role
                              WHERE role.user_id = u.id
                                    AND NOT EXISTS (SELECT FROM memberships own WHERE own.client_id = role.client_id
                                                    AND own.user_id = a.id AND own.role = 'owner')))
$$;

-- Returns the number of sessions or keys that ended, or null if the current user may not do this.
CREATE FUNCTION restrict_user(of_user bigint, restriction text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    ended integer;
BEGIN
    PERFORM begin_maintenance();
    IF NOT may_restrict_user(current_user_id(), of_user) THEN
        RETURN NULL;
    END IF;
    IF restriction = 'disable' THEN
        UPDATE users SET disabled_at = now(), disabled_by = current_user_id(), updated_at = now()
        WHERE id = of_user AND disabled_at IS NULL;
    ELSIF restriction = 'enable' THEN
        UPDATE users SET disabled_at = NULL, disabled_by = NULL, updated_at = now()
        WHERE id = of_user AND (disabled_at IS NULL OR disabled_by IS NOT NULL);
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
    ELSIF restriction = 'sign-out' THEN
        UPDATE users SET signed_out_at = now(), updated_at = now() WHERE id = of_user;
    END IF;
    IF restriction = 'revoke-keys' THEN
        UPDATE api_keys SET revoked_at = now(), updated_at = now() WHERE user_id = of_user AND revoked_at IS NULL;
        GET DIAGNOSTICS ended = ROW_COUNT;
    ELSIF restriction IN ('disable', 'sign-out') THEN
        DELETE FROM console_sessions WHERE acting_user_id = of_user;
        GET DIAGNOSTICS ended = ROW_COUNT;
        -- Sessions have no trigger for the audit log.
        INSERT INTO audit_log (account_id, user_id, key_id, request_id, actor, action, row_id, before)
        VALUES (current_account(), current_user_id(), setting('key')::bigint, setting('request'),
                coalesce(setting('actor'), acting_role()), 'console_sessions.delete', of_user,
                jsonb_build_object('user_id', of_user, 'sessions', ended));
    END IF;
    RETURN coalesce(ended, 0);
END $$;

-- As in 0093, and not for sessions that began before the user was signed out on all devices.
CREATE OR REPLACE FUNCTION switch_account(
    presented_hash bytea, to_account bigint, new_token_hash bytea, longest_pause interval)
RETURNS TABLE (outcome text, acting_user_id bigint, sign_in_key text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
DECLARE
    target bigint;
BEGIN
    PERFORM begin_maintenance();
    SELECT u.id INTO target
    FROM console_sessions s JOIN users u ON u.id IN (SELECT users_of_person(s.user_id))
    WHERE s.token_hash = presented_hash AND NOT s.half AND s.method = 'local' AND s.expires_at > now()
          AND s.last_seen_at > now() - longest_pause AND u.account_id = to_account AND u.disabled_at IS NULL
          AND has_any_role(u.id) AND (u.signed_out_at IS NULL OR s.created_at > u.signed_out_at)
    FOR UPDATE OF s;
    IF target IS NULL THEN
        RETURN;
    END IF;
    IF requires_single_sign_on(target) THEN
        RETURN QUERY SELECT 'single_sign_on', target, o.sign_in_key FROM single_sign_on o WHERE o.id = to_account;
        RETURN;
    END IF;
    UPDATE console_sessions SET token_hash = new_token_hash, acting_user_id = target WHERE token_hash = presented_hash;
    RETURN QUERY SELECT 'switched', target, NULL::text;
END $$;

REVOKE ALL ON FUNCTION restrict_user(bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION restrict_user(bigint, text) TO gaji_app;
