-- `updated_since` on the lists of clients, calculations of a client, and leave and payslips of an employee.

ALTER TABLE last_changes ADD COLUMN employee_id bigint;
CREATE INDEX last_changes_of_employee ON last_changes (client_id, resource, employee_id, transaction, id)
    WHERE employee_id IS NOT NULL;

CREATE FUNCTION track_clients() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
DECLARE
    maintenance text := set_config('gaji.maintenance', 'on', true);
BEGIN
    INSERT INTO last_changes (client_id, resource, id, transaction, changed_at)
    SELECT id, 'client', id, pg_current_xact_id()::text::bigint, clock_timestamp() FROM changed ORDER BY id
    ON CONFLICT (client_id, resource, id) DO UPDATE
    SET transaction = excluded.transaction, changed_at = excluded.changed_at;
    RETURN NULL;
END $$;
CREATE TRIGGER track_inserts AFTER INSERT ON clients REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION track_clients();
CREATE TRIGGER track_updates AFTER UPDATE ON clients REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION track_clients();

-- Calculations of the client itself. Lists of others have inherited ones and are not followed.
CREATE FUNCTION track_client_calculations() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
DECLARE
    maintenance text := set_config('gaji.maintenance', 'on', true);
BEGIN
    INSERT INTO last_changes (client_id, resource, id, transaction, changed_at, deleted_at)
    SELECT client_id, 'calculation', id, pg_current_xact_id()::text::bigint, clock_timestamp(),
           CASE WHEN TG_OP = 'DELETE' THEN clock_timestamp() END
    FROM changed WHERE employee_id IS NULL AND profile_id IS NULL ORDER BY client_id, id
    ON CONFLICT (client_id, resource, id) DO UPDATE
    SET transaction = excluded.transaction, changed_at = excluded.changed_at, deleted_at = excluded.deleted_at;
    RETURN NULL;
END $$;
CALL track('calculations', 'track_client_calculations()');

-- For records of employees. The argument is the name of the resource.
CREATE FUNCTION track_employee_records() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
DECLARE
    maintenance text := set_config('gaji.maintenance', 'on', true);
BEGIN
    INSERT INTO last_changes (client_id, resource, id, employee_id, transaction, changed_at, deleted_at)
    SELECT client_id, TG_ARGV[0], id, employee_id, pg_current_xact_id()::text::bigint, clock_timestamp(),
           CASE WHEN TG_OP = 'DELETE' THEN clock_timestamp() END
    FROM changed ORDER BY client_id, id
    ON CONFLICT (client_id, resource, id) DO UPDATE
    SET transaction = excluded.transaction, changed_at = excluded.changed_at, deleted_at = excluded.deleted_at;
    RETURN NULL;
END $$;
CALL track('leave_days', 'track_employee_records(''leave_day'')');
CALL track('leave_requests', 'track_employee_records(''leave_request'')');
CALL track('leave_adjustments', 'track_employee_records(''leave_adjustment'')');

-- Recalculations of drafts are not tracked: they would double the cost of a large one. Readers get all drafts.
CREATE FUNCTION track_payslip() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
DECLARE
    maintenance text := set_config('gaji.maintenance', 'on', true);
BEGIN
    INSERT INTO last_changes (client_id, resource, id, employee_id, transaction, changed_at)
    VALUES (NEW.client_id, 'payslip', NEW.id, NEW.employee_id, pg_current_xact_id()::text::bigint, clock_timestamp())
    ON CONFLICT (client_id, resource, id) DO UPDATE
    SET transaction = excluded.transaction, changed_at = excluded.changed_at;
    RETURN NULL;
END $$;
CREATE TRIGGER track_inserts AFTER INSERT ON payslips REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION track_employee_records('payslip');
CREATE TRIGGER track_deletes AFTER DELETE ON payslips REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION track_employee_records('payslip');
CREATE TRIGGER track_updates AFTER UPDATE ON payslips FOR EACH ROW
    WHEN ((OLD.finalised, OLD.ss_released, OLD.withdrawn, OLD.start_date, OLD.date)
          IS DISTINCT FROM (NEW.finalised, NEW.ss_released, NEW.withdrawn, NEW.start_date, NEW.date))
    EXECUTE FUNCTION track_payslip();

-- For tables that other records show something of. The arguments are the resources of a client that change with them.
CREATE FUNCTION track_dependent_records() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
DECLARE
    maintenance text := set_config('gaji.maintenance', 'on', true);
    own_transaction bigint := pg_current_xact_id()::text::bigint;
BEGIN
    UPDATE last_changes l SET transaction = own_transaction, changed_at = clock_timestamp()
    FROM (SELECT DISTINCT client_id FROM changed) AS c
    WHERE l.client_id = c.client_id AND l.resource = ANY (TG_ARGV) AND l.deleted_at IS NULL
      AND l.transaction <> own_transaction;
    RETURN NULL;
END $$;
CALL track('ledger_accounts', 'track_dependent_records(''calculation'')');
CALL track('calculation_definitions', 'track_dependent_records(''calculation'')');
CREATE TRIGGER track_updates AFTER UPDATE ON leave_types REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION track_dependent_records('leave_day', 'leave_request', 'leave_adjustment');
-- A client that becomes visible to someone has changed for them.
CREATE TRIGGER track_inserts AFTER INSERT ON memberships REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION track_dependent_records('client');
CREATE TRIGGER track_updates AFTER UPDATE ON memberships REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION track_dependent_records('client');

SELECT begin_maintenance(), set_config('gaji.audit', 'off', true);
INSERT INTO last_changes (client_id, resource, id, employee_id, transaction, changed_at)
SELECT id, 'client', id, NULL::bigint, 0, updated_at FROM clients
UNION ALL SELECT client_id, 'calculation', id, NULL, 0, updated_at FROM calculations
    WHERE employee_id IS NULL AND profile_id IS NULL
UNION ALL SELECT client_id, 'leave_day', id, employee_id, 0, updated_at FROM leave_days
UNION ALL SELECT client_id, 'leave_request', id, employee_id, 0, updated_at FROM leave_requests
UNION ALL SELECT client_id, 'leave_adjustment', id, employee_id, 0, updated_at FROM leave_adjustments
UNION ALL SELECT client_id, 'payslip', id, employee_id, 0, coalesce(finalised_at, created_at) FROM payslips;
