-- Older servers: continue
-- A person with roles in several accounts gives up all roles in one of them.

-- Removes the roles of the current user. The outcome is 'left', or why nothing changed: 'only_account' if the person has no role
-- in another account, 'only_administrator', or 'only_owner' with the names of the companies.
CREATE FUNCTION leave_account() RETURNS TABLE (outcome text, companies text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
DECLARE
    leaving users;
    home bigint;
    blocked text[];
BEGIN
    PERFORM begin_maintenance();
    SELECT u.* INTO leaving FROM users u WHERE u.id = current_user_id();
    home := coalesce((SELECT l.home_user_id FROM user_links l WHERE l.user_id = leaving.id), leaving.id);
    IF leaving.id IS NULL OR NOT EXISTS (
        SELECT FROM users u WHERE u.id IN (SELECT users_of_person(home)) AND u.id <> leaving.id AND u.disabled_at IS NULL
                                  AND has_any_role(u.id)) THEN
        RETURN QUERY SELECT 'only_account', NULL::text[];
        RETURN;
    END IF;
    -- Of two owners or administrators who leave at the same time, the second one sees that the first has left.
    PERFORM FROM accounts a WHERE a.id = leaving.account_id FOR NO KEY UPDATE;
    PERFORM FROM clients c WHERE c.id IN (SELECT m.client_id FROM memberships m WHERE m.user_id = leaving.id)
        ORDER BY c.id FOR NO KEY UPDATE;
    IF leaving.administrator AND NOT EXISTS (
        SELECT FROM users u WHERE u.account_id = leaving.account_id AND u.id <> leaving.id AND u.administrator
                                  AND u.disabled_at IS NULL) THEN
        RETURN QUERY SELECT 'only_administrator', NULL::text[];
        RETURN;
    END IF;
    blocked := ARRAY(
        SELECT c.name FROM memberships mine JOIN clients c ON c.id = mine.client_id
        WHERE mine.user_id = leaving.id AND mine.role = 'owner' AND NOT EXISTS (
            SELECT FROM memberships o JOIN users u ON u.id = o.user_id
            WHERE o.client_id = mine.client_id AND o.role = 'owner' AND u.id <> leaving.id AND u.disabled_at IS NULL)
        ORDER BY c.name, c.id);
    IF blocked <> '{}' THEN
        RETURN QUERY SELECT 'only_owner', blocked;
        RETURN;
    END IF;
    UPDATE users SET administrator = false, updated_at = now() WHERE id = leaving.id AND administrator;
    DELETE FROM memberships m WHERE m.user_id = leaving.id;
    -- The keys of other users end with the last role. An administrator may have had none.
    UPDATE api_keys SET revoked_at = now(), updated_at = now() WHERE user_id = leaving.id AND revoked_at IS NULL;
    RETURN QUERY SELECT 'left', NULL::text[];
END $$;

REVOKE ALL ON FUNCTION leave_account() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leave_account() TO gaji_app;
