-- A key can be looked up while the database is read-only or its disk is full. Only the time of its use is not recorded.
CREATE OR REPLACE FUNCTION authenticate(presented_hash bytea)
RETURNS TABLE (user_id bigint, account_id bigint, access_version bigint, key_id bigint, read_only boolean,
               hide_identifiers boolean, limited boolean, administrator boolean, expires_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
DECLARE
    caller record;
BEGIN
    PERFORM begin_maintenance();
    SELECT k.user_id, k.account_id, a.version, k.id, k.read_only, k.hide_identifiers, k.limited,
           u.administrator, k.expires_at
    INTO caller
    FROM api_keys k JOIN users u ON u.id = k.user_id JOIN user_access a ON a.user_id = k.user_id
    WHERE k.key_hash = presented_hash AND k.revoked_at IS NULL AND u.disabled_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now());
    IF NOT FOUND THEN
        RETURN;
    END IF;
    BEGIN
        INSERT INTO api_key_uses (key_id, last_used_at) VALUES (caller.id, now())
        ON CONFLICT (key_id) DO UPDATE SET last_used_at = excluded.last_used_at;
    EXCEPTION WHEN read_only_sql_transaction OR disk_full THEN
        NULL;
    END;
    RETURN QUERY SELECT caller.user_id, caller.account_id, caller.version, caller.id, caller.read_only,
                        caller.hide_identifiers, caller.limited, caller.administrator, caller.expires_at;
END $$;
