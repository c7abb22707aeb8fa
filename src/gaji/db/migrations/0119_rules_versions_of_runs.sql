-- Older servers: continue
-- The rules versions of a finalised run's payslips are stored with its total, so that lists of runs need not read payslips.

-- Those of existing runs are read before the table is locked. The payslips of a finalised run do not change.
SELECT begin_maintenance(), set_config('gaji.audit', 'off', true);
CREATE TEMPORARY TABLE versions_of_runs ON COMMIT DROP AS
SELECT r.client_id, r.id, r.finalised_at, ARRAY(
           SELECT DISTINCT p.rules_version FROM payslips p
           WHERE p.client_id = r.client_id AND p.payment_run_id = r.id AND p.finalised AND p.rules_version IS NOT NULL
           ORDER BY 1) AS rules_versions
FROM payment_runs r WHERE r.finalised;

-- Null: the run is not finalised.
ALTER TABLE payment_runs ADD COLUMN rules_versions text[];

-- The runs do not change for those who follow them (`updated_since`).
ALTER TABLE payment_runs DISABLE TRIGGER track_updates;
UPDATE payment_runs r SET rules_versions = v.rules_versions FROM versions_of_runs v
WHERE v.client_id = r.client_id AND v.id = r.id AND v.finalised_at = r.finalised_at;
-- Runs that were finalised meanwhile.
UPDATE payment_runs r SET rules_versions = ARRAY(
    SELECT DISTINCT p.rules_version FROM payslips p
    WHERE p.client_id = r.client_id AND p.payment_run_id = r.id AND p.finalised AND p.rules_version IS NOT NULL
    ORDER BY 1)
WHERE r.finalised AND r.rules_versions IS NULL;
ALTER TABLE payment_runs ENABLE TRIGGER track_updates;

ALTER TABLE payment_runs ADD CONSTRAINT payment_runs_rules_versions CHECK (finalised = (rules_versions IS NOT NULL));

-- For older servers, which finalise and unfinalise runs without the column. The payslips are finalised before the run.
CREATE FUNCTION set_rules_versions() RETURNS trigger LANGUAGE plpgsql SET search_path = gaji, pg_temp AS $$
BEGIN
    NEW.rules_versions := CASE WHEN NEW.finalised THEN ARRAY(
        SELECT DISTINCT p.rules_version FROM payslips p
        WHERE p.client_id = NEW.client_id AND p.payment_run_id = NEW.id AND p.finalised AND p.rules_version IS NOT NULL
        ORDER BY 1) END;
    RETURN NEW;
END $$;
CREATE TRIGGER set_rules_versions BEFORE UPDATE ON payment_runs FOR EACH ROW
    WHEN (NEW.finalised <> OLD.finalised AND NEW.rules_versions IS NOT DISTINCT FROM OLD.rules_versions)
    EXECUTE FUNCTION set_rules_versions();
