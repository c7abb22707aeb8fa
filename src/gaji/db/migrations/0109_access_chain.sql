-- Older servers: stop
-- Access events as chains, one for each account, like the audit log (0068). An event is one row for a day, and is counted up
-- during that day. So it gets two links: one soon after it appears, over everything that does not change any more, and one when
-- its day is over, over its count and the time of the last occurrence too. Those who record events do not wait for the links.

CREATE TABLE access_links (
    account_id bigint NOT NULL,
    position bigint NOT NULL,
    event_id bigint NOT NULL,
    -- The day of the event. After the period for which events are kept it may be missing.
    day date NOT NULL,
    -- Whether it covers the count and the last time.
    closed boolean NOT NULL,
    -- The SHA-256 of the contents, so that the chain can be checked without events that are not kept any more.
    digest bytea NOT NULL,
    key_number integer NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (account_id, position),
    UNIQUE (event_id, closed)
);
CALL protect('access_links', 'account_id = (SELECT current_account())');

-- The last link of each chain.
CREATE TABLE access_heads (
    account_id bigint PRIMARY KEY,
    position bigint NOT NULL,
    entry_id bigint NOT NULL,
    hash bytea NOT NULL
);
CALL protect('access_heads', 'account_id = (SELECT current_account())');

-- How far the chains are. One row. The columns are those of audit_chain_state.
CREATE TABLE access_chain_state (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    chained_through bigint NOT NULL DEFAULT 0,
    next_through bigint,
    next_transaction bigint,
    -- All events up to this day have their second link.
    closed_through date NOT NULL DEFAULT '-infinity',
    heads_hash bytea,
    key_number integer
);
INSERT INTO access_chain_state DEFAULT VALUES;

-- Events that were deleted with the data of a person. The hash, made with the key of the chains, confirms that Gaji did it.
CREATE TABLE access_erasures (
    event_id bigint PRIMARY KEY,
    account_id bigint NOT NULL,
    key_number integer NOT NULL,
    hash bytea NOT NULL
);
CALL protect('access_erasures', 'false');

CREATE INDEX access_events_day ON access_events (day, id);

-- For the list of the changes that belong to no client.
CREATE INDEX audit_log_account ON audit_log (account_id, id) WHERE client_id IS NULL;

-- The last day whose events do not change any more. A day ends at different times for sessions with other time zones.
CREATE FUNCTION last_closed_day() RETURNS date LANGUAGE sql STABLE AS $$ SELECT current_date - 2 $$;

-- As in 0093, with a transaction ID before the event gets its own ID: see note_access_events.
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
    PERFORM pg_current_xact_id();
    INSERT INTO access_events (account_id, user_id, key_id, kind, path, address, user_agent)
    SELECT u.account_id, u.id, used_key, of_kind, of_path, from_address, agent FROM users u
    WHERE u.id = coalesce(of_user, person_with_email(of_email))
    ON CONFLICT (user_id, coalesce(key_id, 0), kind, path, address, user_agent, day)
    DO UPDATE SET count = access_events.count + 1, last_at = now();
END $$;

-- As in 0084, with a transaction ID before the event gets its own ID.
CREATE OR REPLACE FUNCTION record_failed_single_sign_on(of_account bigint, of_user bigint, reason text, from_address text,
                                                        agent text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    IF of_user IS NOT NULL THEN
        PERFORM record_access(of_user, NULL, NULL, 'sign_in_failed', reason, from_address, agent);
        RETURN;
    END IF;
    DELETE FROM access_events WHERE account_id = of_account AND user_id IS NULL AND last_at < now() - interval '2 years';
    PERFORM pg_current_xact_id();
    INSERT INTO access_events (account_id, kind, path, address, user_agent)
    VALUES (of_account, 'sign_in_failed', reason, from_address, agent)
    ON CONFLICT (account_id, kind, path, address, user_agent, day) WHERE user_id IS NULL
    DO UPDATE SET count = access_events.count + 1, last_at = now();
END $$;

-- As note_audit_entries in 0068. Entries of the audit log are written by transactions that have changed a row before, so they
-- have a transaction ID before the entry has its ID. The event may be the first row of a transaction. So every function that
-- inserts events calls pg_current_xact_id() before. Otherwise a transaction with an event up to `last_id` could get a higher
-- transaction ID than this one, and its event would never get a link.
CREATE FUNCTION note_access_events() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    last_id bigint := (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM access_events_id_seq);
    own_transaction bigint;
BEGIN
    PERFORM begin_maintenance();
    IF EXISTS (SELECT FROM access_chain_state WHERE chained_through < last_id) THEN
        own_transaction := pg_current_xact_id()::text::bigint;
        UPDATE access_chain_state SET next_through = last_id, next_transaction = own_transaction
        WHERE chained_through < last_id AND (next_through IS NULL OR next_transaction > own_transaction);
    END IF;
END $$;

-- Reserves the chains for this transaction. No row if another one has them. `opening` if events can get their first link, and
-- `closing` if days are over whose events can get their second one: not before all of them have the first.
CREATE FUNCTION lock_access_chains()
RETURNS TABLE (opening boolean, closing boolean, heads_hash bytea, key_number integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT s.next_transaction IS NOT NULL AND s.next_transaction <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
           s.closed_through < last_closed_day()
               AND NOT EXISTS (SELECT FROM access_events e WHERE e.id > s.chained_through AND e.day <= last_closed_day()),
           s.heads_hash, s.key_number
    FROM access_chain_state s FOR UPDATE OF s SKIP LOCKED;
END $$;

-- The next events without a first link, or else without a second one. `gaji audit verify` has the same expressions.
CREATE FUNCTION access_events_without_link(max_events integer, is_opening boolean, is_closing boolean)
RETURNS TABLE (event_id bigint, account_id bigint, day date, closed boolean, digest bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
DECLARE
    state access_chain_state;
    first_id bigint;
BEGIN
    PERFORM begin_maintenance();
    SELECT * INTO state FROM access_chain_state;
    IF is_opening THEN
        first_id := (SELECT min(e.id) FROM access_events e WHERE e.id > state.chained_through AND e.id <= state.next_through);
        RETURN QUERY
        SELECT e.id, e.account_id, e.day, false, sha256(convert_to(jsonb_build_array(
                   e.id, e.account_id, e.user_id, e.key_id, e.kind, e.path, e.address, e.user_agent, e.day,
                   (extract(epoch FROM e.first_at) * 1000000)::bigint)::text, 'UTF8'))
        FROM access_events e
        WHERE e.id >= first_id AND e.id < first_id + max_events AND e.id <= state.next_through
        ORDER BY e.id;
    END IF;
    IF is_closing AND first_id IS NULL THEN
        RETURN QUERY
        SELECT e.id, e.account_id, e.day, true, sha256(convert_to(jsonb_build_array(
                   e.id, e.account_id, e.user_id, e.key_id, e.kind, e.path, e.address, e.user_agent, e.day,
                   (extract(epoch FROM e.first_at) * 1000000)::bigint, e.count,
                   (extract(epoch FROM e.last_at) * 1000000)::bigint)::text, 'UTF8'))
        FROM access_events e
        WHERE e.day > state.closed_through AND e.day <= last_closed_day()
          AND NOT EXISTS (SELECT FROM access_links k WHERE k.event_id = e.id AND k.closed)
        ORDER BY e.day, e.id LIMIT max_events;
    END IF;
END $$;

CREATE FUNCTION load_access_heads()
RETURNS TABLE (account_id bigint, "position" bigint, entry_id bigint, hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY SELECT h.account_id, h.position, h.entry_id, h.hash FROM access_heads h ORDER BY h.account_id;
END $$;

-- Adds links. `opened_all` and `closed_all` if no more events can get their first or second link now.
CREATE FUNCTION add_access_links(accounts bigint[], positions bigint[], event_ids bigint[], days date[], closings boolean[],
                                 digests bytea[], hashes bytea[], used_key integer, hash_of_heads bytea,
                                 opened_all boolean, closed_all boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    INSERT INTO access_links (account_id, position, event_id, day, closed, digest, key_number, hash)
    SELECT a, p, e, d, c, g, used_key, h
    FROM unnest(accounts, positions, event_ids, days, closings, digests, hashes) AS link(a, p, e, d, c, g, h);
    INSERT INTO access_heads (account_id, position, entry_id, hash)
    SELECT DISTINCT ON (a) a, p, e, h FROM unnest(accounts, positions, event_ids, hashes) AS link(a, p, e, h)
    ORDER BY a, p DESC
    ON CONFLICT (account_id) DO UPDATE
    SET position = excluded.position, entry_id = excluded.entry_id, hash = excluded.hash;
    UPDATE access_chain_state
    SET chained_through = CASE WHEN opened_all THEN coalesce(next_through, chained_through)
                               ELSE greatest(chained_through, (SELECT max(e) FROM unnest(event_ids, closings) AS link(e, c)
                                                               WHERE NOT c)) END,
        next_through = CASE WHEN NOT opened_all THEN next_through END,
        next_transaction = CASE WHEN NOT opened_all THEN next_transaction END,
        -- Events get second links in the order of their days. The last day of a batch may have more.
        closed_through = CASE WHEN closed_all THEN last_closed_day()
                              ELSE greatest(closed_through, (SELECT max(d) - 1 FROM unnest(days, closings) AS link(d, c)
                                                             WHERE c)) END,
        heads_hash = hash_of_heads, key_number = used_key;
END $$;

-- Deletes the events of the users who are erased with an employee. Called before erase_account_records, and signed by the caller.
CREATE FUNCTION erase_access_events(for_client bigint, for_employee bigint) RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    IF NOT coalesce(for_client = ANY (allowed_clients()), false) THEN
        RETURN;
    END IF;
    PERFORM begin_maintenance();
    IF NOT EXISTS (SELECT FROM erased_employees e WHERE e.client_id = for_client AND e.employee_id = for_employee) THEN
        RETURN;
    END IF;
    RETURN QUERY DELETE FROM access_events a WHERE a.user_id IN (SELECT users_to_erase(for_client, for_employee))
                 RETURNING a.id;
END $$;

CREATE FUNCTION sign_access_erasures(event_ids bigint[], hashes bytea[], used_key integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    of_account bigint := current_account();
BEGIN
    PERFORM begin_maintenance();
    INSERT INTO access_erasures (event_id, account_id, key_number, hash)
    SELECT s.event, coalesce(of_account, 0), used_key, s.signed FROM unnest(event_ids, hashes) AS s (event, signed)
    WHERE NOT EXISTS (SELECT FROM access_events e WHERE e.id = s.event)
    ON CONFLICT (event_id) DO UPDATE
    SET account_id = excluded.account_id, key_number = excluded.key_number, hash = excluded.hash;
END $$;

REVOKE ALL ON FUNCTION note_access_events(), lock_access_chains(), access_events_without_link(integer, boolean, boolean),
    load_access_heads(),
    add_access_links(bigint[], bigint[], bigint[], date[], boolean[], bytea[], bytea[], integer, bytea, boolean, boolean),
    erase_access_events(bigint, bigint), sign_access_erasures(bigint[], bytea[], integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_access_events(), lock_access_chains(), access_events_without_link(integer, boolean, boolean),
    load_access_heads(),
    add_access_links(bigint[], bigint[], bigint[], date[], boolean[], bytea[], bytea[], integer, bytea, boolean, boolean),
    erase_access_events(bigint, bigint), sign_access_erasures(bigint[], bytea[], integer) TO gaji_app;
