-- An owner turns off the two-step sign-in of another user, who has lost the phone and the recovery codes. Only for those
-- for whom the owner may make a password link. Passkeys and sessions end. With a kind, a message to the user is queued.
-- Null if the caller may not; false if it is off already.
CREATE FUNCTION reset_second_factor(of_user bigint, of_kind text, with_parameters jsonb) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    IF NOT may_reset_password(current_user_id(), of_user) THEN
        RETURN NULL;
    END IF;
    DELETE FROM second_factors WHERE id = of_user;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM console_sessions WHERE user_id = of_user;
    IF of_kind IS NOT NULL THEN
        INSERT INTO outgoing_mail (account_id, kind, recipient, parameters)
        SELECT account_id, of_kind, email, with_parameters FROM users WHERE id = of_user;
    END IF;
    RETURN true;
END $$;

REVOKE ALL ON FUNCTION reset_second_factor(bigint, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reset_second_factor(bigint, text, jsonb) TO gaji_app;
