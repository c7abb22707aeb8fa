-- A correction run inserts the proposals of thousands of employees. The audit log gets the same entries as before, but
-- written once for each statement instead of once for each row.

-- For tables without secret columns.
CREATE FUNCTION record_inserts() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
DECLARE
    maintenance text := set_config('gaji.maintenance', 'on', true);
BEGIN
    IF setting('audit') = 'off' AND acting_role() <> 'gaji_app' THEN
        RETURN NULL;
    END IF;
    INSERT INTO audit_log (account_id, client_id, user_id, key_id, request_id, actor, action, row_id, after)
    SELECT current_account(), (new_row ->> 'client_id')::bigint, current_user_id(), setting('key')::bigint,
           setting('request'), coalesce(setting('actor'), acting_role()), TG_TABLE_NAME || '.insert',
           (new_row ->> 'id')::bigint, new_row
    FROM (SELECT to_jsonb(inserted) AS new_row FROM inserted OFFSET 0) AS rows;
    RETURN NULL;
END $$;

DROP TRIGGER record_change ON retro_proposals;
CREATE TRIGGER record_change AFTER UPDATE OR DELETE ON retro_proposals
    FOR EACH ROW EXECUTE FUNCTION record_change();
CREATE TRIGGER record_inserts AFTER INSERT ON retro_proposals REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION record_inserts();
