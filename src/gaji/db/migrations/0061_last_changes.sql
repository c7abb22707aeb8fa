-- Which transaction changed a record last, so that copies elsewhere can follow (`updated_since`). Times do not order
-- changes safely: a transaction that commits late has an early time, and a reader that has gone past it would miss it.
-- Transaction IDs do, as long as only those are read that are smaller than all that are still running.

CREATE TABLE last_changes (
    client_id bigint NOT NULL REFERENCES clients,
    resource text NOT NULL,
    id bigint NOT NULL,
    -- An xid8 as a number, because comparisons of numbers are leakproof and can use the index.
    transaction bigint NOT NULL,
    changed_at timestamptz NOT NULL,
    deleted_at timestamptz,
    PRIMARY KEY (client_id, resource, id)
);
CREATE INDEX last_changes_order ON last_changes (client_id, resource, transaction, id);
CALL protect('last_changes', 'client_id = ANY ((SELECT allowed_clients())::bigint[])');
GRANT SELECT ON last_changes TO gaji_app;

-- For records that are rows of one table. The argument is the name of the resource.
CREATE FUNCTION track_changes() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
DECLARE
    maintenance text := set_config('gaji.maintenance', 'on', true);
BEGIN
    INSERT INTO last_changes (client_id, resource, id, transaction, changed_at, deleted_at)
    SELECT client_id, TG_ARGV[0], id, pg_current_xact_id()::text::bigint, clock_timestamp(),
           CASE WHEN TG_OP = 'DELETE' THEN clock_timestamp() END
    FROM changed ORDER BY client_id, id
    ON CONFLICT (client_id, resource, id) DO UPDATE
    SET transaction = excluded.transaction, changed_at = excluded.changed_at, deleted_at = excluded.deleted_at;
    RETURN NULL;
END $$;

-- For periods of employees, which determine attributes of the employee. They are deleted together with the employee.
CREATE FUNCTION track_employee_periods() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
DECLARE
    maintenance text := set_config('gaji.maintenance', 'on', true);
    own_transaction bigint := pg_current_xact_id()::text::bigint;
BEGIN
    UPDATE last_changes l SET transaction = own_transaction, changed_at = clock_timestamp()
    FROM (SELECT DISTINCT client_id, employee_id FROM changed) AS c
    WHERE l.client_id = c.client_id AND l.resource = 'employee' AND l.id = c.employee_id AND l.deleted_at IS NULL
      AND l.transaction <> own_transaction;
    RETURN NULL;
END $$;

CREATE PROCEDURE track(target regclass, function_call text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER track_inserts AFTER INSERT ON %s REFERENCING NEW TABLE AS changed '
                   'FOR EACH STATEMENT EXECUTE FUNCTION %s', target, function_call);
    EXECUTE format('CREATE TRIGGER track_updates AFTER UPDATE ON %s REFERENCING NEW TABLE AS changed '
                   'FOR EACH STATEMENT EXECUTE FUNCTION %s', target, function_call);
    EXECUTE format('CREATE TRIGGER track_deletes AFTER DELETE ON %s REFERENCING OLD TABLE AS changed '
                   'FOR EACH STATEMENT EXECUTE FUNCTION %s', target, function_call);
END $$;

CALL track('employees', 'track_changes(''employee'')');
CALL track('service_periods', 'track_employee_periods()');
CALL track('wave_periods', 'track_employee_periods()');
CALL track('pay_points', 'track_changes(''pay_point'')');
CALL track('waves', 'track_changes(''wave'')');
CALL track('payment_runs', 'track_changes(''payment_run'')');

SELECT begin_maintenance(), set_config('gaji.audit', 'off', true);
INSERT INTO last_changes (client_id, resource, id, transaction, changed_at)
SELECT client_id, 'employee', id, 0, updated_at FROM employees
UNION ALL SELECT client_id, 'pay_point', id, 0, updated_at FROM pay_points
UNION ALL SELECT client_id, 'wave', id, 0, updated_at FROM waves
UNION ALL SELECT client_id, 'payment_run', id, 0, updated_at FROM payment_runs;

-- Identifies the sequence of transactions that the changes belong to. Positions in another one mean nothing.
CREATE FUNCTION change_sequence() RETURNS text LANGUAGE sql STABLE SET search_path = gaji, pg_temp AS $$
    SELECT left(md5(concat_ws(' ', (SELECT system_identifier FROM pg_control_system()),
                              (SELECT oid FROM pg_database WHERE datname = current_database()),
                              'last_changes'::regclass::oid)), 12)
$$;

-- After a restore into another server, transactions of the earlier one may lie in the future. Called after migrating.
CREATE FUNCTION adopt_last_changes() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM begin_maintenance();
    UPDATE last_changes SET transaction = 0
    WHERE transaction >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
END $$;
