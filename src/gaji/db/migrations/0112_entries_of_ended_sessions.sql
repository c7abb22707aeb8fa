-- Older servers: continue
-- As in 0105. The entry for ended sessions gets its ID after the transaction has one: see 0068.

-- Returns the number of sessions or keys that ended, or null if the current user may not do this.
CREATE OR REPLACE FUNCTION restrict_user(of_user bigint, restriction text) RETURNS integer
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
        PERFORM pg_current_xact_id();
        INSERT INTO audit_log (account_id, user_id, key_id, request_id, actor, action, row_id, before)
        VALUES (current_account(), current_user_id(), setting('key')::bigint, setting('request'),
                coalesce(setting('actor'), acting_role()), 'console_sessions.delete', of_user,
                jsonb_build_object('user_id', of_user, 'sessions', ended));
    END IF;
    RETURN coalesce(ended, 0);
END $$;
