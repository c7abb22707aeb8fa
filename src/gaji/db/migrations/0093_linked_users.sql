-- One person can have roles in several accounts. The user of the first account is the home user: it has the password, the
-- second factors and the changes of email. In each further account the person has a linked user, with roles, API keys and
-- entries of the audit log of its own. A user whose password_hash is empty has no password: linked users, and users who
-- only ever signed in with single sign-on.

SELECT begin_maintenance(), set_config('gaji.audit', 'off', true);

-- Not in the table of users, because owners of an account must not see whether someone has another one.
CREATE TABLE user_links (
    user_id bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    -- A home user is never deleted before its links: transfer_home makes a linked user the home user.
    home_user_id bigint NOT NULL REFERENCES users,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK (user_id <> home_user_id)
);
CREATE INDEX user_links_home ON user_links (home_user_id);
CALL protect('user_links', 'false');

-- Of those with a password, one user has an email. Within an account, one user has it in any case.
DROP INDEX users_email;
CREATE UNIQUE INDEX users_email ON users (lower(email)) WHERE password_hash <> '';
CREATE UNIQUE INDEX users_account_email ON users (account_id, lower(email));
CREATE INDEX users_any_email ON users (lower(email));
DROP INDEX users_account;

-- user_id is who signed in: the home user, or with single sign-on the user of the account. acting_user_id is the user whose
-- roles count.
ALTER TABLE console_sessions ADD COLUMN acting_user_id bigint REFERENCES users ON DELETE CASCADE;
UPDATE console_sessions SET acting_user_id = user_id;
ALTER TABLE console_sessions ALTER COLUMN acting_user_id SET NOT NULL;
CREATE INDEX console_sessions_acting_user ON console_sessions (acting_user_id);

-- The user ID that the authenticator knows, if the passkey came from an earlier home user.
ALTER TABLE passkeys ADD COLUMN handle_id bigint;


-- Rules that no function may break.

CREATE FUNCTION check_user_link() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    IF EXISTS (SELECT FROM user_links WHERE user_id = NEW.home_user_id)
       OR EXISTS (SELECT FROM user_links WHERE home_user_id = NEW.user_id)
       OR EXISTS (SELECT FROM users WHERE id = NEW.user_id AND password_hash <> '')
       OR EXISTS (SELECT FROM second_factors WHERE id = NEW.user_id)
       OR EXISTS (SELECT FROM passkeys WHERE user_id = NEW.user_id)
       OR EXISTS (SELECT FROM users u JOIN users h ON h.account_id = u.account_id
                  WHERE u.id = NEW.user_id AND h.id = NEW.home_user_id) THEN
        RAISE EXCEPTION 'user % cannot be linked to user %', NEW.user_id, NEW.home_user_id
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_user_link BEFORE INSERT OR UPDATE ON user_links
    FOR EACH ROW EXECUTE FUNCTION check_user_link();

-- What belongs to a sign-in belongs to the home user.
CREATE FUNCTION require_home_user() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
DECLARE
    changed jsonb := to_jsonb(NEW);
BEGIN
    PERFORM begin_maintenance();
    IF EXISTS (SELECT FROM user_links
               WHERE user_id = coalesce(changed ->> 'user_id', changed ->> 'id')::bigint) THEN
        RAISE EXCEPTION '% of a linked user', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER require_home_user BEFORE INSERT ON password_resets FOR EACH ROW EXECUTE FUNCTION require_home_user();
CREATE TRIGGER require_home_user BEFORE INSERT ON email_changes FOR EACH ROW EXECUTE FUNCTION require_home_user();
CREATE TRIGGER require_home_user BEFORE UPDATE OF password_hash ON users
    FOR EACH ROW WHEN (NEW.password_hash <> '') EXECUTE FUNCTION require_home_user();

-- Second steps are for those who sign in with a password. Linked users have none, so this holds for them too.
CREATE FUNCTION require_password() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
DECLARE
    changed jsonb := to_jsonb(NEW);
BEGIN
    PERFORM begin_maintenance();
    IF EXISTS (SELECT FROM users WHERE id = coalesce(changed ->> 'user_id', changed ->> 'id')::bigint
               AND password_hash = '') THEN
        RAISE EXCEPTION '% of a user without a password', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER require_password BEFORE INSERT ON second_factors FOR EACH ROW EXECUTE FUNCTION require_password();
CREATE TRIGGER require_password BEFORE INSERT ON passkeys FOR EACH ROW EXECUTE FUNCTION require_password();

-- Linked users have the email of the home user. The entries of the audit log are those of the linked users' accounts.
CREATE FUNCTION copy_email_to_linked_users() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
DECLARE
    of_account text := coalesce(current_setting('gaji.account', true), '');
    of_user text := coalesce(current_setting('gaji.user', true), '');
    linked users;
BEGIN
    PERFORM begin_maintenance();
    FOR linked IN SELECT u.* FROM user_links l JOIN users u ON u.id = l.user_id WHERE l.home_user_id = NEW.id
    LOOP
        PERFORM set_config('gaji.account', linked.account_id::text, true), set_config('gaji.user', linked.id::text, true);
        UPDATE users SET email = NEW.email, updated_at = now() WHERE id = linked.id;
    END LOOP;
    PERFORM set_config('gaji.account', of_account, true), set_config('gaji.user', of_user, true);
    RETURN NULL;
END $$;
CREATE TRIGGER copy_email_to_linked_users AFTER UPDATE OF email ON users
    FOR EACH ROW WHEN (OLD.email <> NEW.email) EXECUTE FUNCTION copy_email_to_linked_users();


-- Who a person is. These are for the functions below, which run in maintenance.

CREATE FUNCTION users_of_person(of_home bigint) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT of_home UNION ALL SELECT l.user_id FROM user_links l WHERE l.home_user_id = of_home
$$;

-- The user who signs in with an email: the one with a password, if there is one. Never a linked user.
CREATE FUNCTION person_with_email(address text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT u.id FROM users u
    WHERE lower(u.email) = lower(address) AND NOT EXISTS (SELECT FROM user_links l WHERE l.user_id = u.id)
    ORDER BY u.password_hash = '', u.id LIMIT 1
$$;

-- Whether a person may sign in at all: as long as one of their users is not disabled.
CREATE FUNCTION is_active_person(of_home bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM users u WHERE u.id IN (SELECT users_of_person(of_home)) AND u.disabled_at IS NULL)
$$;

CREATE FUNCTION has_any_role(of_user bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM users WHERE id = of_user AND administrator)
           OR EXISTS (SELECT FROM memberships WHERE user_id = of_user)
$$;

-- The user that a person acts as after a sign-in without a provider. Null if all accounts require single sign-on.
CREATE FUNCTION first_acting_user(of_home bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT u.id FROM users u
    WHERE u.id IN (SELECT users_of_person(of_home)) AND u.disabled_at IS NULL AND NOT requires_single_sign_on(u.id)
    ORDER BY has_any_role(u.id) DESC, u.id = of_home DESC, u.id LIMIT 1
$$;

-- Whether this person can only sign in with a provider.
CREATE FUNCTION must_use_single_sign_on(of_home bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN first_acting_user(of_home) IS NULL
           AND EXISTS (SELECT FROM users_of_person(of_home) AS of_user WHERE requires_single_sign_on(of_user));
END $$;


-- Sign-in and sessions.

-- As in 0017, for the person with this email. No row for users without a password.
CREATE OR REPLACE FUNCTION password_of(presented_email text) RETURNS TABLE (user_id bigint, password_hash text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY SELECT u.id, u.password_hash FROM users u
                 WHERE u.id = person_with_email(presented_email) AND u.password_hash <> '' AND is_active_person(u.id);
END $$;

-- The same, of the user who signed in.
CREATE FUNCTION password_hash_of(of_user bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN (SELECT u.password_hash FROM users u
            WHERE u.id = of_user AND u.password_hash <> '' AND is_active_person(u.id));
END $$;

-- As in 0022. The session acts as the wanted user of the person, if that is possible. No row if the password was changed.
DROP FUNCTION begin_session(bigint, text, boolean, bytea, interval, interval, bytea[], bytea);
CREATE FUNCTION begin_session(of_user bigint, checked_hash text, code_given boolean, new_token_hash bytea, lasting interval,
                              half_lasting interval, subjects bytea[], address bytea, wanted_user bigint)
RETURNS TABLE (is_partial boolean, acting_user_id bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
DECLARE
    is_half boolean;
    acting bigint;
BEGIN
    PERFORM begin_maintenance();
    DELETE FROM sign_in_attempts WHERE subject_hash = ANY (subjects)
        OR id = (SELECT max(id) FROM sign_in_attempts WHERE subject_hash = address);
    DELETE FROM console_sessions WHERE expires_at < now();
    -- Held, so that a password which changes just now, or two steps that are turned on, end this session too.
    PERFORM FROM users WHERE id = of_user AND password_hash = checked_hash AND password_hash <> '' FOR SHARE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    is_half := NOT code_given AND EXISTS (SELECT FROM second_factors WHERE id = of_user);
    acting := (SELECT u.id FROM users u
               WHERE u.id = wanted_user AND u.id IN (SELECT users_of_person(of_user)) AND u.disabled_at IS NULL
                     AND NOT requires_single_sign_on(u.id));
    -- If no user can be acted as, the session is not found.
    acting := coalesce(acting, first_acting_user(of_user), of_user);
    INSERT INTO console_sessions (user_id, acting_user_id, token_hash, expires_at, half)
    VALUES (of_user, acting, new_token_hash, now() + CASE WHEN is_half THEN half_lasting ELSE lasting END, is_half);
    RETURN QUERY SELECT is_half, acting;
END $$;

-- Begins a session of a user whom the provider of the account has confirmed. It stays in that account.
DROP FUNCTION mark_single_sign_on(bytea, timestamptz);
CREATE FUNCTION begin_single_sign_on_session(of_user bigint, new_token_hash bytea, lasting interval, address bytea,
                                             proved_at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    DELETE FROM sign_in_attempts WHERE id = (SELECT max(id) FROM sign_in_attempts WHERE subject_hash = address);
    DELETE FROM console_sessions WHERE expires_at < now();
    INSERT INTO console_sessions (user_id, acting_user_id, token_hash, expires_at, method, confirmed_at)
    VALUES (of_user, of_user, new_token_hash, now() + lasting, 'single_sign_on', least(proved_at, now()));
END $$;

-- As in 0084, for the acting user. home_user_id is who signed in. Only in a session of their own may a person change how they
-- sign in: whoever controls the provider of an account must not get into another one. The accounts are those that the session
-- can switch between, null if there is one.
DROP FUNCTION session_of(bytea, interval);
CREATE FUNCTION session_of(presented_hash bytea, longest_pause interval)
RETURNS TABLE (user_id bigint, account_id bigint, access_version bigint, administrator boolean, email text, name text,
               account_name text, two_step_required boolean, two_step_missing boolean, method text,
               single_sign_on_required boolean, home_user_id bigint, has_password boolean, can_change_sign_in boolean,
               accounts jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM begin_maintenance();
    UPDATE console_sessions s SET last_seen_at = now()
    WHERE s.token_hash = presented_hash AND s.last_seen_at < now() - interval '1 minute'
          AND s.last_seen_at > now() - longest_pause;
    RETURN QUERY
    SELECT u.id, u.account_id, a.version, u.administrator, u.email, u.name, c.name, required.is_required,
           required.is_required AND s.method <> 'single_sign_on'
               AND NOT EXISTS (SELECT FROM second_factors f WHERE f.id = s.user_id),
           s.method, provider.is_required, s.user_id,
           EXISTS (SELECT FROM users h WHERE h.id = s.user_id AND h.password_hash <> ''),
           s.method = 'local' OR (u.password_hash = '' AND NOT EXISTS (
               SELECT FROM user_links l WHERE u.id IN (l.user_id, l.home_user_id))),
           CASE WHEN s.method = 'local' AND EXISTS (SELECT FROM user_links l WHERE l.home_user_id = s.user_id) THEN (
               SELECT jsonb_agg(jsonb_build_object('account_id', o.id, 'name', o.name, 'is_current', p.id = u.id)
                                ORDER BY lower(o.name), o.id)
               FROM users p JOIN accounts o ON o.id = p.account_id
               WHERE p.id IN (SELECT users_of_person(s.user_id)) AND p.disabled_at IS NULL
                     AND (p.id = u.id OR has_any_role(p.id))) END
    FROM console_sessions s JOIN users u ON u.id = s.acting_user_id JOIN user_access a ON a.user_id = u.id
         JOIN accounts c ON c.id = u.account_id
         CROSS JOIN LATERAL (
             SELECT c.two_step_required AND (
                 u.administrator
                 OR EXISTS (SELECT FROM memberships m WHERE m.user_id = u.id AND m.role <> 'employee')) AS is_required
         ) AS required
         CROSS JOIN LATERAL (SELECT requires_single_sign_on(u.id) AS is_required) AS provider
    WHERE s.token_hash = presented_hash AND NOT s.half AND s.expires_at > now()
          AND s.last_seen_at > now() - longest_pause AND u.disabled_at IS NULL
          AND (u.id = s.user_id OR u.id IN (SELECT users_of_person(s.user_id)))
          AND (s.method = 'single_sign_on' OR NOT provider.is_required);
END $$;

-- Lets a session act as the person's user of another account, with a new token. The outcome is 'switched', 'single_sign_on'
-- with the key of the sign-in address if the account requires it, or there is no row.
CREATE FUNCTION switch_account(presented_hash bytea, to_account bigint, new_token_hash bytea, longest_pause interval)
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
          AND has_any_role(u.id)
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

-- As in 0084: the sessions of a person, or of the account's user in a session with single sign-on.
CREATE FUNCTION sees_session(mine console_sessions, other console_sessions) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT other.acting_user_id = mine.acting_user_id
           OR (mine.method = 'local' AND other.user_id IN (SELECT users_of_person(mine.user_id)))
$$;

CREATE OR REPLACE FUNCTION sessions_like(presented_hash bytea, longest_pause interval)
RETURNS TABLE (id bigint, created_at timestamptz, last_seen_at timestamptz, device text, address text, is_current boolean,
               method text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT s.id, s.created_at, s.last_seen_at, s.device, s.address, s.token_hash = presented_hash, s.method
    FROM console_sessions mine
         JOIN console_sessions s ON s.user_id IN (SELECT users_of_person(mine.user_id)) AND sees_session(mine, s)
    WHERE mine.token_hash = presented_hash AND NOT mine.half AND NOT s.half AND s.expires_at > now()
          AND s.last_seen_at > now() - longest_pause
    ORDER BY s.last_seen_at DESC, s.id DESC;
END $$;

CREATE OR REPLACE FUNCTION end_other_sessions(presented_hash bytea, session_id bigint) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    ended integer;
BEGIN
    PERFORM begin_maintenance();
    DELETE FROM console_sessions s USING console_sessions mine
    WHERE mine.token_hash = presented_hash AND NOT mine.half AND s.id <> mine.id AND sees_session(mine, s)
          AND s.user_id IN (SELECT users_of_person(mine.user_id)) AND (session_id IS NULL OR s.id = session_id);
    GET DIAGNOSTICS ended = ROW_COUNT;
    RETURN ended;
END $$;

CREATE OR REPLACE FUNCTION half_session_of(presented_hash bytea) RETURNS TABLE (user_id bigint, password_hash text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT u.id, u.password_hash FROM console_sessions s JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = presented_hash AND s.half AND s.expires_at > now() AND is_active_person(u.id);
END $$;

-- As in 0079, with the user that the authenticator knows.
DROP FUNCTION passkey_of(bytea);
CREATE FUNCTION passkey_of(presented_id bytea)
RETURNS TABLE (id bigint, user_id bigint, handle_id bigint, password_hash text, public_key bytea, sign_count bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY SELECT p.id, u.id, coalesce(p.handle_id, u.id), u.password_hash, p.public_key, p.sign_count
                 FROM passkeys p JOIN users u ON u.id = p.user_id
                 WHERE p.credential_id = presented_id AND is_active_person(u.id);
END $$;

-- As in 0063. What is known of an email only is an event of the person who signs in with it.
CREATE OR REPLACE FUNCTION record_access(of_user bigint, of_email text, used_key bigint, of_kind text, of_path text,
                                         from_address text, agent text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    IF of_kind = 'new_address' AND EXISTS (SELECT FROM access_events WHERE kind = 'new_address' AND key_id = used_key
                                           AND address = from_address) THEN
        RETURN;
    END IF;
    IF of_kind = 'sign_in' THEN
        DELETE FROM access_events WHERE user_id = of_user AND last_at < now() - interval '2 years';
    END IF;
    INSERT INTO access_events (account_id, user_id, key_id, kind, path, address, user_agent)
    SELECT u.account_id, u.id, used_key, of_kind, of_path, from_address, agent FROM users u
    WHERE u.id = coalesce(of_user, person_with_email(of_email))
    ON CONFLICT (user_id, coalesce(key_id, 0), kind, path, address, user_agent, day)
    DO UPDATE SET count = access_events.count + 1, last_at = now();
END $$;


-- Links and codes that owners make.

-- As in 0057. For a person with users in several accounts nobody may: the password opens all of them. Nor for a user who
-- only signs in with single sign-on: nobody has proved that the email is theirs.
CREATE OR REPLACE FUNCTION may_reset_password(maker bigint, of_user bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM users m JOIN users u ON u.account_id = m.account_id
        WHERE m.id = maker AND u.id = of_user AND m.id <> u.id AND m.disabled_at IS NULL AND u.disabled_at IS NULL
              AND (m.administrator OR NOT u.administrator)
              AND NOT EXISTS (SELECT FROM user_links l WHERE u.id IN (l.user_id, l.home_user_id))
              AND NOT (u.password_hash = ''
                       AND EXISTS (SELECT FROM single_sign_on_identities i WHERE i.user_id = u.id))
              AND NOT EXISTS (SELECT FROM memberships role
                              WHERE role.user_id = u.id
                                    AND NOT EXISTS (SELECT FROM memberships mine WHERE mine.client_id = role.client_id
                                                    AND mine.user_id = m.id AND mine.role = 'owner')))
$$;

CREATE OR REPLACE FUNCTION mail_password_reset(to_address text, new_token_hash bytea, lasting interval, of_kind text,
                                               with_parameters jsonb)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    receiver users;
BEGIN
    PERFORM begin_maintenance(), set_config('gaji.actor', 'console', true);
    SELECT * INTO receiver FROM users WHERE id = person_with_email(to_address) FOR UPDATE;
    IF NOT FOUND OR NOT is_active_person(receiver.id) OR must_use_single_sign_on(receiver.id) THEN
        RETURN false;
    END IF;
    DELETE FROM password_resets WHERE user_id = receiver.id AND origin = 'mail';
    INSERT INTO password_resets (account_id, user_id, origin, token_hash, expires_at)
    VALUES (receiver.account_id, receiver.id, 'mail', new_token_hash, now() + lasting);
    INSERT INTO outgoing_mail (account_id, kind, recipient, parameters)
    VALUES (receiver.account_id, of_kind, receiver.email, with_parameters);
    RETURN true;
END $$;

CREATE OR REPLACE FUNCTION password_reset_of(presented_hash bytea) RETURNS TABLE (user_id bigint, email text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT u.id, u.email FROM password_resets r JOIN users u ON u.id = r.user_id
    WHERE r.token_hash = presented_hash AND r.expires_at > now() AND is_active_person(u.id)
          AND (r.made_by IS NULL OR may_reset_password(r.made_by, r.user_id)) AND NOT must_use_single_sign_on(u.id);
END $$;

-- As in 0057. A user without a password cannot get one if another user has the email and a password by now.
CREATE OR REPLACE FUNCTION use_password_reset(presented_hash bytea, new_password_hash text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    of_user bigint;
BEGIN
    PERFORM begin_maintenance();
    SELECT r.user_id INTO of_user FROM password_reset_of(presented_hash) r;
    -- Whoever waited for this lock finds that the link has been used.
    PERFORM FROM users WHERE id = of_user FOR UPDATE;
    IF NOT EXISTS (SELECT FROM password_resets WHERE token_hash = presented_hash AND user_id = of_user) THEN
        RETURN NULL;
    END IF;
    PERFORM set_config('gaji.actor', 'console', true), set_config('gaji.user', of_user::text, true);
    BEGIN
        UPDATE users SET password_hash = new_password_hash, updated_at = now() WHERE id = of_user;
    EXCEPTION WHEN unique_violation THEN
        RETURN NULL;
    END;
    DELETE FROM console_sessions WHERE user_id = of_user;
    RETURN of_user;
END $$;

-- As in 0086, for the user who signed in.
DROP FUNCTION request_email_change(text, bytea, interval, text, text, jsonb, jsonb);
CREATE FUNCTION request_email_change(of_user bigint, new_address text, new_token_hash bytea, lasting interval, of_kind text,
                                     taken_kind text, with_parameters jsonb, taken_parameters jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    asking users;
BEGIN
    PERFORM begin_maintenance(), set_config('gaji.actor', 'console', true),
            set_config('gaji.user', of_user::text, true);
    SELECT * INTO asking FROM users WHERE id = of_user FOR UPDATE;
    DELETE FROM email_changes WHERE user_id = of_user;
    INSERT INTO email_changes (account_id, user_id, new_email, mailed, token_hash, expires_at)
    VALUES (asking.account_id, of_user, new_address, new_token_hash IS NOT NULL, new_token_hash, now() + lasting);
    IF new_token_hash IS NOT NULL THEN
        INSERT INTO outgoing_mail (account_id, kind, recipient, parameters)
        SELECT coalesce(u.account_id, asking.account_id), CASE WHEN u.id IS NULL THEN of_kind ELSE taken_kind END,
               coalesce(u.email, new_address), CASE WHEN u.id IS NULL THEN with_parameters ELSE taken_parameters END
        FROM (SELECT) AS request
             LEFT JOIN users u ON lower(u.email) = lower(new_address) AND u.password_hash <> '';
    END IF;
END $$;

DROP FUNCTION cancel_email_change();
CREATE FUNCTION cancel_email_change(of_user bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance(), set_config('gaji.actor', 'console', true),
            set_config('gaji.user', of_user::text, true);
    DELETE FROM email_changes WHERE user_id = of_user;
    RETURN FOUND;
END $$;

-- The change that the user who signed in has asked for.
CREATE FUNCTION own_email_change(of_user bigint)
RETURNS TABLE (new_email text, mailed boolean, expires_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY SELECT c.new_email, c.mailed, c.expires_at FROM email_changes c
                 WHERE c.user_id = of_user AND c.expires_at > now();
END $$;

-- As in 0086, for those who may make a code for it.
CREATE OR REPLACE FUNCTION pending_email_change(of_user bigint)
RETURNS TABLE (new_email text, mailed boolean, expires_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT c.new_email, c.mailed, c.expires_at FROM email_changes c
    WHERE c.user_id = of_user AND c.expires_at > now() AND NOT c.mailed
          AND may_reset_password(current_user_id(), of_user);
END $$;

CREATE OR REPLACE FUNCTION email_change_of(presented_hash bytea) RETURNS TABLE (user_id bigint, email text, new_email text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT u.id, u.email, c.new_email FROM email_changes c JOIN users u ON u.id = c.user_id
    WHERE c.token_hash = presented_hash AND c.expires_at > now() AND is_active_person(u.id)
          AND (c.made_by IS NULL OR may_reset_password(c.made_by, c.user_id));
END $$;


-- Invitations.

-- The user of a person in an account. One that only signed in with single sign-on is not, though the email is the same:
-- nobody has proved that the email belongs to both.
CREATE FUNCTION user_in_account(of_home bigint, of_account bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT u.id FROM users u WHERE u.account_id = of_account AND u.id IN (SELECT users_of_person(of_home))
$$;

-- Returns the person's user of an account. It is made and linked if it is not yet.
CREATE FUNCTION link_user(of_home bigint, of_account bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    home users;
    of_user bigint;
BEGIN
    SELECT * INTO home FROM users WHERE id = of_home FOR UPDATE;
    of_user := user_in_account(of_home, of_account);
    IF of_user IS NOT NULL THEN
        RETURN of_user;
    END IF;
    INSERT INTO users (account_id, email, name, password_hash) VALUES (of_account, home.email, home.name, '')
    RETURNING id INTO of_user;
    INSERT INTO user_links (user_id, home_user_id) VALUES (of_user, of_home);
    RETURN of_user;
END $$;

-- Uses an invitation as the person who signed in without a provider. The outcome is 'accepted', 'another' if the invitation
-- is for another email, 'taken' if another user of the account has the person's email, 'disabled' if the person's user of the
-- account is, or 'member' if they have a role already. No row if there is no such invitation or session. The person's other
-- sessions end: they began when the sign-in opened fewer accounts.
CREATE FUNCTION accept_invitation_as(presented_hash bytea, session_hash bytea)
RETURNS TABLE (outcome text, user_id bigint, account_id bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
DECLARE
    accepted record;
    home users;
    of_user bigint;
BEGIN
    PERFORM begin_maintenance(), set_config('gaji.actor', 'console', true);
    SELECT u.* INTO home FROM console_sessions s JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = session_hash AND NOT s.half AND s.method = 'local' AND s.expires_at > now();
    SELECT i.*, c.account_id INTO accepted
    FROM invitations i JOIN clients c ON c.id = i.client_id JOIN users u ON u.id = i.invited_by
    WHERE i.token_hash = presented_hash AND i.expires_at > now() AND u.disabled_at IS NULL
    FOR UPDATE OF i;
    IF home.id IS NULL OR accepted.id IS NULL THEN
        RETURN;
    END IF;
    IF lower(accepted.email) <> lower(home.email) THEN
        RETURN QUERY SELECT 'another', NULL::bigint, NULL::bigint;
        RETURN;
    END IF;
    of_user := user_in_account(home.id, accepted.account_id);
    IF of_user IS NULL AND EXISTS (SELECT FROM users u WHERE u.account_id = accepted.account_id
                                   AND lower(u.email) = lower(home.email)) THEN
        RETURN QUERY SELECT 'taken', NULL::bigint, NULL::bigint;
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM users u WHERE u.id = of_user AND u.disabled_at IS NOT NULL) THEN
        RETURN QUERY SELECT 'disabled', of_user, accepted.account_id;
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM memberships m WHERE m.client_id = accepted.client_id AND m.user_id = of_user) THEN
        RETURN QUERY SELECT 'member', of_user, accepted.account_id;
        RETURN;
    END IF;
    PERFORM set_config('gaji.account', accepted.account_id::text, true);
    of_user := link_user(home.id, accepted.account_id);
    PERFORM set_config('gaji.user', of_user::text, true);
    INSERT INTO memberships (client_id, user_id, role, employee_id)
    VALUES (accepted.client_id, of_user, accepted.role, accepted.employee_id)
    ON CONFLICT (client_id, user_id) DO NOTHING;
    DELETE FROM console_sessions s WHERE s.user_id = home.id AND s.token_hash <> session_hash;
    DELETE FROM invitations i WHERE i.client_id = accepted.client_id AND i.id = accepted.id;
    RETURN QUERY SELECT 'accepted', of_user, accepted.account_id;
END $$;

-- As in 0084. Someone who is invited becomes a user of this account without a password, whoever else has the email: the
-- provider of an account says nothing about others. There is no outcome 'taken' any more.
DROP FUNCTION identify_single_sign_on(bigint, text, text, text, text, text);
CREATE FUNCTION identify_single_sign_on(of_account bigint, of_issuer text, of_subject text, verified_email text,
                                        new_name text)
RETURNS TABLE (outcome text, user_id bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
DECLARE
    of_user bigint;
    of_other bigint;
BEGIN
    PERFORM begin_maintenance(), set_config('gaji.actor', 'console', true),
            set_config('gaji.account', of_account::text, true);
    -- One at a time: two first sign-ins of a person must not both make a user.
    PERFORM FROM single_sign_on WHERE id = of_account AND enabled AND issuer = of_issuer FOR UPDATE;
    IF NOT FOUND THEN
        RETURN QUERY SELECT 'unknown', NULL::bigint;
        RETURN;
    END IF;
    SELECT i.user_id INTO of_user FROM single_sign_on_identities i
    WHERE i.account_id = of_account AND i.issuer = of_issuer AND i.subject = of_subject;
    IF of_user IS NULL THEN
        SELECT u.id INTO of_user FROM users u
        WHERE u.account_id = of_account AND lower(u.email) = lower(verified_email);
        IF of_user IS NULL THEN
            PERFORM FROM invitations v JOIN clients c ON c.id = v.client_id JOIN users u ON u.id = v.invited_by
            WHERE c.account_id = of_account AND lower(v.email) = lower(verified_email) AND v.expires_at > now()
                  AND u.disabled_at IS NULL
            FOR UPDATE OF v;
            IF NOT FOUND THEN
                RETURN QUERY SELECT 'unknown', NULL::bigint;
                RETURN;
            END IF;
            INSERT INTO users (account_id, email, name, password_hash)
            VALUES (of_account, verified_email, new_name, '') RETURNING id INTO of_user;
            PERFORM set_config('gaji.user', of_user::text, true);
            INSERT INTO memberships (client_id, user_id, role, employee_id)
            SELECT v.client_id, of_user, v.role, v.employee_id
            FROM invitations v JOIN clients c ON c.id = v.client_id JOIN users u ON u.id = v.invited_by
            WHERE c.account_id = of_account AND lower(v.email) = lower(verified_email) AND v.expires_at > now()
                  AND u.disabled_at IS NULL;
            DELETE FROM invitations v USING clients c
            WHERE c.id = v.client_id AND c.account_id = of_account AND lower(v.email) = lower(verified_email);
        END IF;
        PERFORM set_config('gaji.user', of_user::text, true);
        IF EXISTS (SELECT FROM users u WHERE u.id = of_user AND u.disabled_at IS NOT NULL) THEN
            RETURN QUERY SELECT 'disabled', of_user;
            RETURN;
        END IF;
        INSERT INTO single_sign_on_identities (account_id, user_id, issuer, subject)
        VALUES (of_account, of_user, of_issuer, of_subject)
        ON CONFLICT (user_id, issuer) DO NOTHING RETURNING id INTO of_other;
        IF of_other IS NULL THEN
            RETURN QUERY SELECT 'linked', of_user;
            RETURN;
        END IF;
    END IF;
    UPDATE single_sign_on_identities i SET last_sign_in_at = clock_timestamp()
    WHERE i.user_id = of_user AND i.issuer = of_issuer;
    RETURN QUERY
    SELECT CASE WHEN u.disabled_at IS NULL THEN 'found' ELSE 'disabled' END, u.id FROM users u WHERE u.id = of_user;
END $$;

-- As in 0084. Sessions of the account's users end, and links of those who cannot sign in without a provider any more.
CREATE OR REPLACE FUNCTION require_single_sign_on(of_users text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    IF of_users <> 'nobody' AND NOT EXISTS (SELECT FROM single_sign_on_settings() o WHERE o.is_tried AND o.enabled) THEN
        RETURN false;
    END IF;
    UPDATE single_sign_on SET required_of = of_users, updated_at = now()
    WHERE id = current_account() AND is_account_administrator();
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM console_sessions s USING users u
    WHERE u.id = s.acting_user_id AND u.account_id = current_account() AND s.method <> 'single_sign_on'
          AND requires_single_sign_on(u.id);
    DELETE FROM password_resets r WHERE r.account_id = current_account() AND must_use_single_sign_on(r.user_id);
    RETURN true;
END $$;


-- Personal data.

-- Makes a linked user the home user, for an operator or when an employee is erased: the password, the second factor with its secret that was sealed again, and the passkeys
-- move there. The former home user is linked to nothing, and can be deleted. Entries of the audit log about the new home user
-- are those of its account.
CREATE FUNCTION transfer_home(of_home bigint, to_user bigint, resealed bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    of_account text := coalesce(current_setting('gaji.account', true), '');
    of_user text := coalesce(current_setting('gaji.user', true), '');
    of_key text := coalesce(current_setting('gaji.key', true), '');
    of_request text := coalesce(current_setting('gaji.request', true), '');
    home users;
    successor users;
    factor second_factors;
    keys passkeys[];
BEGIN
    PERFORM begin_maintenance();
    SELECT * INTO home FROM users WHERE id = of_home FOR UPDATE;
    SELECT u.* INTO successor FROM users u JOIN user_links l ON l.user_id = u.id
    WHERE u.id = to_user AND l.home_user_id = of_home FOR UPDATE OF u;
    IF successor.id IS NULL
       OR (acting_role() = 'gaji_app' AND NOT EXISTS (
               SELECT FROM memberships m JOIN erased_employees e USING (client_id, employee_id)
               WHERE m.user_id = of_home AND m.client_id = ANY (allowed_clients()))) THEN
        RAISE EXCEPTION 'the sign-in of user % cannot move to user %', of_home, to_user
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT * INTO factor FROM second_factors WHERE id = of_home;
    keys := ARRAY(SELECT p FROM passkeys p WHERE p.user_id = of_home);
    DELETE FROM second_factors WHERE id = of_home;
    UPDATE users SET password_hash = '', updated_at = now() WHERE id = of_home;
    DELETE FROM user_links WHERE user_id = to_user;
    UPDATE user_links SET home_user_id = to_user WHERE home_user_id = of_home;
    DELETE FROM console_sessions WHERE user_id = of_home AND (acting_user_id = of_home OR half);
    UPDATE console_sessions SET user_id = to_user WHERE user_id = of_home;
    PERFORM set_config('gaji.account', successor.account_id::text, true), set_config('gaji.user', to_user::text, true),
            set_config('gaji.key', '', true), set_config('gaji.request', '', true);
    UPDATE users SET password_hash = home.password_hash, updated_at = now() WHERE id = to_user;
    IF factor.id IS NOT NULL THEN
        INSERT INTO second_factors (id, account_id, secret_sealed, last_step, recovery_codes_hash)
        VALUES (to_user, successor.account_id, resealed, factor.last_step, factor.recovery_codes_hash);
        INSERT INTO passkeys (account_id, user_id, name, credential_id, public_key, sign_count, transports, created_at,
                              last_used_at, handle_id)
        SELECT successor.account_id, to_user, p.name, p.credential_id, p.public_key, p.sign_count, p.transports,
               p.created_at, p.last_used_at, coalesce(p.handle_id, of_home)
        FROM unnest(keys) p;
    END IF;
    PERFORM set_config('gaji.account', of_account, true), set_config('gaji.user', of_user, true),
            set_config('gaji.key', of_key, true), set_config('gaji.request', of_request, true);
END $$;

-- The user that becomes the home user if this one is deleted, and the secret to seal again. No row without links.
CREATE FUNCTION home_successor(of_home bigint) RETURNS TABLE (user_id bigint, secret_sealed bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT u.id, (SELECT f.secret_sealed FROM second_factors f WHERE f.id = of_home)
    FROM user_links l JOIN users u ON u.id = l.user_id WHERE l.home_user_id = of_home
    ORDER BY u.disabled_at IS NOT NULL, NOT has_any_role(u.id), u.id LIMIT 1;
END $$;

-- The users whom the erasure of an employee deletes: those with no other role.
CREATE FUNCTION users_to_erase(for_client bigint, for_employee bigint) RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    IF NOT coalesce(for_client = ANY (allowed_clients()), false) THEN
        RETURN;
    END IF;
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.client_id = for_client AND m.employee_id = for_employee AND NOT u.administrator
      AND NOT EXISTS (SELECT FROM memberships o WHERE o.user_id = m.user_id
                      AND (o.client_id, o.role) <> (for_client, 'employee'));
END $$;

-- As in 0081. The users' homes have been transferred before.
CREATE OR REPLACE FUNCTION erase_account_records(for_client bigint, for_employee bigint) RETURNS SETOF bigint
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
    own_users := ARRAY(SELECT users_to_erase(for_client, for_employee));
    DELETE FROM memberships m WHERE m.client_id = for_client AND m.employee_id = for_employee;
    DELETE FROM access_events a WHERE a.user_id = ANY (own_users);
    DELETE FROM users u WHERE u.id = ANY (own_users);
    RETURN QUERY SELECT unnest(own_users);
END $$;

-- As in 0084. Sessions are those in which the person acted in this account; nothing tells of other accounts.
CREATE OR REPLACE FUNCTION personal_records(for_client bigint, for_employee bigint) RETURNS TABLE (source text, record jsonb)
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
    SELECT 'console_sessions', to_jsonb(s) - 'token_hash' - 'acting_user_id'
                               || jsonb_build_object('user_id', s.acting_user_id)
    FROM console_sessions s WHERE s.acting_user_id = ANY (own_users)
    UNION ALL
    SELECT 'passkeys', to_jsonb(p) - 'credential_id' - 'public_key' - 'handle_id' FROM passkeys p
    WHERE p.user_id = ANY (own_users)
    UNION ALL
    SELECT 'single_sign_on_identities', to_jsonb(i) FROM single_sign_on_identities i WHERE i.user_id = ANY (own_users)
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

REVOKE ALL ON FUNCTION check_user_link(), require_home_user(), require_password(), copy_email_to_linked_users(),
    users_of_person(bigint), person_with_email(text), is_active_person(bigint), has_any_role(bigint), first_acting_user(bigint),
    must_use_single_sign_on(bigint), password_hash_of(bigint),
    begin_session(bigint, text, boolean, bytea, interval, interval, bytea[], bytea, bigint),
    begin_single_sign_on_session(bigint, bytea, interval, bytea, timestamptz), session_of(bytea, interval),
    switch_account(bytea, bigint, bytea, interval), sees_session(console_sessions, console_sessions), passkey_of(bytea),
    request_email_change(bigint, text, bytea, interval, text, text, jsonb, jsonb), cancel_email_change(bigint),
    own_email_change(bigint), user_in_account(bigint, bigint), link_user(bigint, bigint), accept_invitation_as(bytea, bytea),
    identify_single_sign_on(bigint, text, text, text, text), transfer_home(bigint, bigint, bytea), home_successor(bigint),
    users_to_erase(bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION must_use_single_sign_on(bigint), password_hash_of(bigint),
    begin_session(bigint, text, boolean, bytea, interval, interval, bytea[], bytea, bigint),
    begin_single_sign_on_session(bigint, bytea, interval, bytea, timestamptz), session_of(bytea, interval),
    switch_account(bytea, bigint, bytea, interval), passkey_of(bytea),
    request_email_change(bigint, text, bytea, interval, text, text, jsonb, jsonb), cancel_email_change(bigint),
    own_email_change(bigint), accept_invitation_as(bytea, bytea),
    identify_single_sign_on(bigint, text, text, text, text), transfer_home(bigint, bigint, bytea), home_successor(bigint),
    users_to_erase(bigint, bigint) TO gaji_app;
REVOKE ALL ON FUNCTION requires_single_sign_on(bigint) FROM gaji_app;
