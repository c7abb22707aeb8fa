-- When the task that enforces retention periods last finished for a client. It is not a change that people make, so it
-- is not in the audit log.
ALTER TABLE retention_settings ADD COLUMN enforced_at timestamptz;
DROP TRIGGER record_change ON retention_settings;
CREATE TRIGGER record_change
    AFTER INSERT OR DELETE OR UPDATE OF enabled, years_after_leaving, tax_years, certificate_years ON retention_settings
    FOR EACH ROW EXECUTE FUNCTION record_change();
