-- Changes of a client's webhook endpoints are entries of that client. Those of an account have none.

CREATE OR REPLACE FUNCTION record_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
DECLARE
    maintenance text := set_config('gaji.maintenance', 'on', true);
    -- What is searched is made of other columns.
    old_row jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) - 'searched' END;
    new_row jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) - 'searched' END;
    any_row jsonb := coalesce(new_row, old_row);
BEGIN
    -- Re-encryption changes every row and no fact; only the owner may say so.
    IF setting('audit') = 'off' AND acting_role() <> 'gaji_app' THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        SELECT jsonb_object_agg(key, CASE WHEN is_secret(key) AND was <> 'null' THEN '"hidden"' ELSE was END),
               jsonb_object_agg(key, CASE WHEN is_secret(key) AND value <> 'null' THEN '"hidden"' ELSE value END)
        INTO old_row, new_row
        FROM jsonb_each(new_row) CROSS JOIN LATERAL (SELECT old_row -> key AS was) AS earlier
        WHERE key <> 'updated_at' AND value IS DISTINCT FROM was;
        IF new_row IS NULL THEN
            RETURN NULL;
        END IF;
    ELSE
        old_row := without_secrets(old_row);
        new_row := without_secrets(new_row);
    END IF;
    INSERT INTO audit_log (account_id, client_id, user_id, key_id, request_id, actor, action, row_id, before, after)
    VALUES (
        coalesce(current_account(), (any_row ->> 'account_id')::bigint),
        CASE TG_TABLE_NAME WHEN 'clients' THEN any_row ->> 'id' WHEN 'webhook_endpoints' THEN any_row ->> 'for_client_id'
            ELSE any_row ->> 'client_id' END::bigint,
        current_user_id(), setting('key')::bigint, setting('request'), coalesce(setting('actor'), acting_role()),
        TG_TABLE_NAME || '.' || lower(TG_OP), -- What has no id of its own is found by whose it is.
        coalesce(any_row ->> 'id', any_row ->> 'user_id', any_row ->> 'employee_id', any_row ->> 'key_id')::bigint,
        old_row, new_row);
    RETURN NULL;
END $$;
