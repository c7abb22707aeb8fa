-- Older servers: continue
-- API keys of a user end with the last role. Administrators keep theirs: they create the first client with them.

CREATE FUNCTION revoke_keys_without_role() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    -- The trigger change_access comes first and locks the user's access, so of two roles that are removed at the same
    -- time the second one sees that it is the last.
    UPDATE api_keys k SET revoked_at = now(), updated_at = now()
    WHERE k.user_id = OLD.user_id AND k.revoked_at IS NULL
      AND NOT EXISTS (SELECT FROM memberships m WHERE m.user_id = OLD.user_id)
      AND EXISTS (SELECT FROM users u WHERE u.id = OLD.user_id AND NOT u.administrator);
    RETURN NULL;
END $$;
CREATE TRIGGER revoke_keys_without_role AFTER DELETE ON memberships
    FOR EACH ROW EXECUTE FUNCTION revoke_keys_without_role();

-- Those who had lost their last role before.
SELECT begin_maintenance();
UPDATE api_keys k SET revoked_at = now(), updated_at = now()
FROM users u
WHERE u.id = k.user_id AND NOT u.administrator AND k.revoked_at IS NULL
  AND NOT EXISTS (SELECT FROM memberships m WHERE m.user_id = u.id);
