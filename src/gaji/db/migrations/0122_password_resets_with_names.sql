-- Older servers: continue
-- Links to set a password also tell the user's name, which the new password must not consist of.
DROP FUNCTION password_reset_of(bytea);
CREATE FUNCTION password_reset_of(presented_hash bytea) RETURNS TABLE (user_id bigint, email text, name text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT u.id, u.email, u.name FROM password_resets r JOIN users u ON u.id = r.user_id
    WHERE r.token_hash = presented_hash AND r.expires_at > now() AND is_active_person(u.id)
          AND (r.made_by IS NULL OR may_reset_password(r.made_by, r.user_id)) AND NOT must_use_single_sign_on(u.id);
END $$;

REVOKE ALL ON FUNCTION password_reset_of(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION password_reset_of(bytea) TO gaji_app;
