-- Sessions end when they were not used for a while, and users see theirs and end them.

ALTER TABLE console_sessions
    ADD COLUMN last_seen_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN device text NOT NULL DEFAULT '',
    ADD COLUMN address text NOT NULL DEFAULT '';

-- The one look-up of a session: at most one row, and none for a session that ended, was not used for too long, is a half
-- one, or whose user may not sign in. Its use is recorded once a minute.
DROP FUNCTION session_of(bytea);
CREATE FUNCTION session_of(presented_hash bytea, longest_pause interval)
RETURNS TABLE (user_id bigint, account_id bigint, access_version bigint, administrator boolean, email text, name text,
               account_name text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    UPDATE console_sessions s SET last_seen_at = now()
    WHERE s.token_hash = presented_hash AND s.last_seen_at < now() - interval '1 minute'
          AND s.last_seen_at > now() - longest_pause;
    RETURN QUERY
    SELECT u.id, u.account_id, a.version, u.administrator, u.email, u.name, c.name
    FROM console_sessions s JOIN users u ON u.id = s.user_id JOIN user_access a ON a.user_id = u.id
         JOIN accounts c ON c.id = u.account_id
    WHERE s.token_hash = presented_hash AND NOT s.half AND s.expires_at > now()
          AND s.last_seen_at > now() - longest_pause AND u.disabled_at IS NULL;
END $$;

-- Records where a session was begun.
CREATE FUNCTION describe_session(presented_hash bytea, from_device text, from_address text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    UPDATE console_sessions SET device = from_device, address = from_address WHERE token_hash = presented_hash;
END $$;

-- The sessions of the user of a session.
CREATE FUNCTION sessions_like(presented_hash bytea, longest_pause interval)
RETURNS TABLE (id bigint, created_at timestamptz, last_seen_at timestamptz, device text, address text, is_current boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT s.id, s.created_at, s.last_seen_at, s.device, s.address, s.token_hash = presented_hash
    FROM console_sessions s JOIN console_sessions mine ON mine.user_id = s.user_id
    WHERE mine.token_hash = presented_hash AND NOT mine.half AND NOT s.half AND s.expires_at > now()
          AND s.last_seen_at > now() - longest_pause
    ORDER BY s.last_seen_at DESC, s.id DESC;
END $$;

-- Ends another session of the user of a session, or all others where none is named. Returns how many ended.
CREATE FUNCTION end_other_sessions(presented_hash bytea, session_id bigint) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    ended integer;
BEGIN
    PERFORM begin_maintenance();
    DELETE FROM console_sessions s USING console_sessions mine
    WHERE mine.token_hash = presented_hash AND NOT mine.half AND s.user_id = mine.user_id AND s.id <> mine.id
          AND (session_id IS NULL OR s.id = session_id);
    GET DIAGNOSTICS ended = ROW_COUNT;
    RETURN ended;
END $$;

REVOKE ALL ON FUNCTION session_of(bytea, interval), describe_session(bytea, text, text), sessions_like(bytea, interval),
    end_other_sessions(bytea, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION session_of(bytea, interval), describe_session(bytea, text, text), sessions_like(bytea, interval),
    end_other_sessions(bytea, bigint) TO gaji_app;
