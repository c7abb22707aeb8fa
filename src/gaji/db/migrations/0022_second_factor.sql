-- Two steps to sign in, for those who turned it on: the password, then a code from an app or a recovery code. The
-- application has no way to the table but the functions here.

-- One row for each user who turned it on, with the user's own id.
CREATE TABLE second_factors (
    id bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    account_id bigint NOT NULL REFERENCES accounts,
    secret_sealed bytea NOT NULL,
    -- The time step of the newest code that was used: it and those before it are used up.
    last_step bigint NOT NULL,
    -- Of the recovery codes that are left.
    recovery_codes_hash bytea[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CALL protect('second_factors', 'false');
-- Not what changes with each code: that is use, and nobody's edit.
CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE OF recovery_codes_hash ON second_factors
    FOR EACH ROW EXECUTE FUNCTION record_change();

-- A half session is that of someone who gave their password and not yet a code. It is good for that, and for nothing else.
ALTER TABLE console_sessions ADD COLUMN half boolean NOT NULL DEFAULT false;

-- Begins a session of someone whose password was right, unless it is another one by now; then it gives null. Otherwise it
-- tells whether the session is a half one: as long as a code is to be given, there is no other. What was noted of the
-- subjects is forgotten, and of the address that others share the one attempt that was no failure.
DROP FUNCTION begin_session(bigint, text, bytea, interval, bytea, bytea);
CREATE FUNCTION begin_session(of_user bigint, checked_hash text, code_given boolean, new_token_hash bytea, lasting interval,
                              half_lasting interval, subjects bytea[], address bytea)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    is_half boolean;
BEGIN
    PERFORM begin_maintenance();
    DELETE FROM sign_in_attempts WHERE subject_hash = ANY (subjects)
        OR id = (SELECT max(id) FROM sign_in_attempts WHERE subject_hash = address);
    DELETE FROM console_sessions WHERE expires_at < now();
    -- Held, so that a password which changes just now, or two steps that are turned on, end this session too.
    PERFORM FROM users WHERE id = of_user AND password_hash = checked_hash FOR SHARE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    is_half := NOT code_given AND EXISTS (SELECT FROM second_factors WHERE id = of_user);
    INSERT INTO console_sessions (user_id, token_hash, expires_at, half)
    VALUES (of_user, new_token_hash, now() + CASE WHEN is_half THEN half_lasting ELSE lasting END, is_half);
    RETURN is_half;
END $$;

-- The one look-up of a session: at most one row, and none for a session that ended, is a half one, or whose user may not
-- sign in.
CREATE OR REPLACE FUNCTION session_of(presented_hash bytea)
RETURNS TABLE (user_id bigint, account_id bigint, access_version bigint, administrator boolean, email text, name text,
               account_name text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT u.id, u.account_id, a.version, u.administrator, u.email, u.name, c.name
    FROM console_sessions s JOIN users u ON u.id = s.user_id JOIN user_access a ON a.user_id = u.id
         JOIN accounts c ON c.id = u.account_id
    WHERE s.token_hash = presented_hash AND NOT s.half AND s.expires_at > now() AND u.disabled_at IS NULL;
END $$;

-- Whose half session this is, and the password that was right when it began: a change would have ended it.
CREATE FUNCTION half_session_of(presented_hash bytea) RETURNS TABLE (user_id bigint, password_hash text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT u.id, u.password_hash FROM console_sessions s JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = presented_hash AND s.half AND s.expires_at > now() AND u.disabled_at IS NULL;
END $$;

CREATE FUNCTION second_factor_of(of_user bigint)
RETURNS TABLE (secret_sealed bytea, last_step bigint, recovery_codes_hash bytea[], created_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY SELECT f.secret_sealed, f.last_step, f.recovery_codes_hash, f.created_at
                 FROM second_factors f WHERE f.id = of_user;
END $$;

-- Uses up the code of a time step; false when it, or a newer one, was used before.
CREATE FUNCTION use_code(of_user bigint, step bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    UPDATE second_factors SET last_step = step WHERE id = of_user AND last_step < step;
    RETURN FOUND;
END $$;

-- Uses up a recovery code; false when it is none, or was used before.
CREATE FUNCTION use_recovery_code(of_user bigint, code_hash bytea) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance(), set_config('gaji.actor', 'console', true),
            set_config('gaji.user', of_user::text, true);
    UPDATE second_factors SET recovery_codes_hash = array_remove(recovery_codes_hash, code_hash), updated_at = now()
    WHERE id = of_user AND code_hash = ANY (recovery_codes_hash);
    RETURN FOUND;
END $$;

-- Turns two steps on and ends every session of the user. Whoever calls shows what the password was checked against; false
-- when it is another one by now, or two steps are on already.
CREATE FUNCTION turn_on_second_factor(of_user bigint, checked_hash text, sealed bytea, step bigint, code_hashes bytea[])
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance(), set_config('gaji.actor', 'console', true),
            set_config('gaji.user', of_user::text, true);
    PERFORM FROM users WHERE id = of_user AND password_hash = checked_hash FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO second_factors (id, account_id, secret_sealed, last_step, recovery_codes_hash)
    SELECT u.id, u.account_id, sealed, step, code_hashes FROM users u WHERE u.id = of_user
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM console_sessions WHERE user_id = of_user;
    RETURN true;
END $$;

-- Turns two steps off and ends every session of the user; whoever calls shows what the password was checked against.
CREATE FUNCTION turn_off_second_factor(of_user bigint, checked_hash text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance(), set_config('gaji.actor', 'console', true),
            set_config('gaji.user', of_user::text, true);
    PERFORM FROM users WHERE id = of_user AND password_hash = checked_hash FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM second_factors WHERE id = of_user;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM console_sessions WHERE user_id = of_user;
    RETURN true;
END $$;

REVOKE ALL ON FUNCTION begin_session(bigint, text, boolean, bytea, interval, interval, bytea[], bytea), half_session_of(bytea),
    second_factor_of(bigint), use_code(bigint, bigint), use_recovery_code(bigint, bytea),
    turn_on_second_factor(bigint, text, bytea, bigint, bytea[]), turn_off_second_factor(bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION begin_session(bigint, text, boolean, bytea, interval, interval, bytea[], bytea), half_session_of(bytea),
    second_factor_of(bigint), use_code(bigint, bigint), use_recovery_code(bigint, bytea),
    turn_on_second_factor(bigint, text, bytea, bigint, bytea[]), turn_off_second_factor(bigint, text) TO gaji_app;
