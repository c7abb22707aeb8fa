-- When the secret is rotated, identifiers are encrypted again. The records do not change, so a copy that follows
-- `updated_since` must not read all of them again. These are the tracked tables with encrypted columns.

DROP TRIGGER track_updates ON employees;
CREATE TRIGGER track_updates AFTER UPDATE ON employees REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
    WHEN (current_setting('gaji.tracking', true) IS DISTINCT FROM 'off')
    EXECUTE FUNCTION track_changes('employee');

DROP TRIGGER track_updates ON clients;
CREATE TRIGGER track_updates AFTER UPDATE ON clients REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
    WHEN (current_setting('gaji.tracking', true) IS DISTINCT FROM 'off')
    EXECUTE FUNCTION track_clients();
