-- Reads a small range of IDs at a time. Joined with its limits, the query read the whole log for each batch. It returns at least one
-- entry if there are any, and up to `max_entries`.
CREATE OR REPLACE FUNCTION entries_without_link(max_entries integer)
RETURNS TABLE (entry_id bigint, account_id bigint, digest bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    state audit_chain_state;
    first_id bigint;
BEGIN
    PERFORM begin_maintenance();
    SELECT * INTO state FROM audit_chain_state;
    first_id := (SELECT min(l.id) FROM audit_log l WHERE l.id > state.chained_through AND l.id <= state.next_through);
    RETURN QUERY
    SELECT l.id, coalesce(l.account_id, 0), sha256(convert_to(jsonb_build_array(
               l.id, (extract(epoch FROM l.at) * 1000000)::bigint, l.account_id, l.client_id, l.user_id, l.key_id,
               l.request_id, l.actor, l.action, l.row_id, l.before, l.after)::text, 'UTF8'))
    FROM audit_log l
    WHERE l.id >= first_id AND l.id < first_id + max_entries AND l.id <= state.next_through
      AND l.id > coalesce((SELECT h.entry_id FROM audit_heads h WHERE h.account_id = coalesce(l.account_id, 0)), 0)
    ORDER BY l.id;
END $$;
