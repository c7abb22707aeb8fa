-- The audit log as chains, one for each account. Each entry gets a link: a keyed hash over the entry and the link before. A worker
-- adds links to entries that are committed, so that those who write entries do not wait for each other and do no more work than
-- before. The key is derived from the secret and is not in the database.

CREATE TABLE audit_links (
    -- 0 for entries without an account.
    account_id bigint NOT NULL,
    position bigint NOT NULL,
    entry_id bigint NOT NULL UNIQUE,
    -- The key that made the hash. A new secret comes with a new key.
    key_number integer NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (account_id, position)
);
CALL protect('audit_links', 'account_id = (SELECT current_account())');

-- The last link of each chain.
CREATE TABLE audit_heads (
    account_id bigint PRIMARY KEY,
    position bigint NOT NULL,
    entry_id bigint NOT NULL,
    hash bytea NOT NULL
);
CALL protect('audit_heads', 'account_id = (SELECT current_account())');

-- How far the chains are. One row.
CREATE TABLE audit_chain_state (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    -- All entries up to this ID have links.
    chained_through bigint NOT NULL DEFAULT 0,
    -- Entries up to this ID can get links when all transactions before `next_transaction` have ended.
    next_through bigint,
    next_transaction bigint,
    -- A keyed hash over all rows of audit_heads, and its key.
    heads_hash bytea,
    key_number integer
);
INSERT INTO audit_chain_state DEFAULT VALUES;

-- Notes which entries can get links next. IDs are given out in order, but transactions commit in any order. Every transaction that
-- has an ID of an entry up to `last_id` has a lower transaction ID than this one, which gets its own only after the sequence was
-- read. When all of those have ended, no entry up to `last_id` can appear any more. A note of another server, from a backup, may be
-- in the future and is replaced.
CREATE FUNCTION note_audit_entries() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    last_id bigint := (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM audit_log_id_seq);
    own_transaction bigint;
BEGIN
    PERFORM begin_maintenance();
    IF EXISTS (SELECT FROM audit_chain_state WHERE chained_through < last_id) THEN
        own_transaction := pg_current_xact_id()::text::bigint;
        UPDATE audit_chain_state SET next_through = last_id, next_transaction = own_transaction
        WHERE chained_through < last_id AND (next_through IS NULL OR next_transaction > own_transaction);
    END IF;
END $$;

-- Reserves the chains for this transaction. No row if another one has them; `ready` if entries can get links.
CREATE FUNCTION lock_audit_chains() RETURNS TABLE (ready boolean, heads_hash bytea, key_number integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT s.next_transaction IS NOT NULL AND s.next_transaction <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
           s.heads_hash, s.key_number
    FROM audit_chain_state s FOR UPDATE SKIP LOCKED;
END $$;

-- The next entries without a link, in the order of their IDs. Contents stay in the database; the application gets their SHA-256.
-- `gaji audit verify` has the same expression, because whoever changes entries could also change this function.
CREATE FUNCTION entries_without_link(max_entries integer)
RETURNS TABLE (entry_id bigint, account_id bigint, digest bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT l.id, coalesce(l.account_id, 0), sha256(convert_to(jsonb_build_array(
               l.id, (extract(epoch FROM l.at) * 1000000)::bigint, l.account_id, l.client_id, l.user_id, l.key_id,
               l.request_id, l.actor, l.action, l.row_id, l.before, l.after)::text, 'UTF8'))
    FROM audit_chain_state s
         JOIN audit_log l ON l.id > s.chained_through AND l.id <= s.next_through
         LEFT JOIN audit_heads h ON h.account_id = coalesce(l.account_id, 0)
    WHERE l.id > coalesce(h.entry_id, 0)
    ORDER BY l.id LIMIT max_entries;
END $$;

CREATE FUNCTION load_audit_heads()
RETURNS TABLE (account_id bigint, "position" bigint, entry_id bigint, hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY SELECT h.account_id, h.position, h.entry_id, h.hash FROM audit_heads h ORDER BY h.account_id;
END $$;

-- Adds links in the order of their entries. `is_last` if no more entries can get links now.
CREATE FUNCTION add_audit_links(accounts bigint[], positions bigint[], entries bigint[], hashes bytea[], used_key integer,
                                hash_of_heads bytea, is_last boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    INSERT INTO audit_links (account_id, position, entry_id, key_number, hash)
    SELECT a, p, e, used_key, h FROM unnest(accounts, positions, entries, hashes) AS link(a, p, e, h);
    INSERT INTO audit_heads (account_id, position, entry_id, hash)
    SELECT DISTINCT ON (a) a, p, e, h FROM unnest(accounts, positions, entries, hashes) AS link(a, p, e, h)
    ORDER BY a, p DESC
    ON CONFLICT (account_id) DO UPDATE
    SET position = excluded.position, entry_id = excluded.entry_id, hash = excluded.hash;
    UPDATE audit_chain_state
    SET chained_through = CASE WHEN is_last THEN coalesce(next_through, chained_through)
                               ELSE coalesce(entries[cardinality(entries)], chained_through) END,
        next_through = CASE WHEN NOT is_last THEN next_through END,
        next_transaction = CASE WHEN NOT is_last THEN next_transaction END,
        heads_hash = hash_of_heads, key_number = used_key;
END $$;

REVOKE ALL ON FUNCTION note_audit_entries(), lock_audit_chains(), entries_without_link(integer), load_audit_heads(),
    add_audit_links(bigint[], bigint[], bigint[], bytea[], integer, bytea, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_audit_entries(), lock_audit_chains(), entries_without_link(integer), load_audit_heads(),
    add_audit_links(bigint[], bigint[], bigint[], bytea[], integer, bytea, boolean) TO gaji_app;

-- The keys of earlier links are kept when the secret changes.
ALTER TABLE secret_marks DROP CONSTRAINT secret_marks_purpose_check,
    ADD CONSTRAINT secret_marks_purpose_check CHECK (purpose IN ('check', 'api_keys', 'audit_keys'));
