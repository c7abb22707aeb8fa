-- Calculations and inherited calculations take their IDs from one sequence, so that no ID means two things.

SELECT begin_maintenance();
SELECT set_config('gaji.audit', 'off', true);

CREATE SEQUENCE calculation_ids;
SELECT setval('calculation_ids', greatest(
    nextval(pg_get_serial_sequence('calculations', 'id')),
    nextval(pg_get_serial_sequence('inherited_calculations', 'id')),
    (SELECT max(id) + 1 FROM calculations),
    (SELECT max(id) + 1 FROM inherited_calculations)), false);

CREATE TEMPORARY TABLE renumbered ON COMMIT DROP AS
SELECT id AS old_id, nextval('calculation_ids') AS new_id
FROM (SELECT id FROM inherited_calculations WHERE id IN (SELECT id FROM calculations) ORDER BY id) AS ambiguous;

UPDATE inherited_calculations SET id = new_id FROM renumbered WHERE id = old_id;
-- The audit log refers to the row. What an entry recorded stays as it was.
UPDATE audit_log SET row_id = new_id FROM renumbered
WHERE row_id = old_id AND action IN ('inherited_calculations.insert', 'inherited_calculations.update');

ALTER TABLE calculations ALTER COLUMN id DROP IDENTITY;
ALTER TABLE calculations ALTER COLUMN id SET DEFAULT nextval('calculation_ids');
ALTER TABLE inherited_calculations ALTER COLUMN id DROP IDENTITY;
ALTER TABLE inherited_calculations ALTER COLUMN id SET DEFAULT nextval('calculation_ids');
GRANT USAGE ON SEQUENCE calculation_ids TO gaji_app;


-- Every employee has a record of regular hours from the start. The history holds what was entered for the employee; the
-- default week (Monday to Friday, 8 hours) is below all levels and is not stored.

-- Until now, a day without `works_…` was a day off as soon as another day had it. Now it is what the default week says.
-- To keep every week as it is, the lowest level that names working days gets the others as days off.
CREATE FUNCTION pg_temp.names_days(inputs jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT inputs ?| ARRAY['works_mon', 'works_tue', 'works_wed', 'works_thu', 'works_fri', 'works_sat', 'works_sun'] $$;

CREATE FUNCTION pg_temp.with_days_off(inputs jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN pg_temp.names_days(inputs) THEN jsonb '{"works_mon": false, "works_tue": false, "works_wed": false,
    "works_thu": false, "works_fri": false, "works_sat": false, "works_sun": false}' || inputs ELSE inputs END $$;

CREATE FUNCTION pg_temp.only_days(inputs jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
$$ SELECT jsonb_object_agg(key, value) FROM jsonb_each(inputs) WHERE key LIKE 'works\_%' $$;

-- In a history, so does every date on which the week has named days. Where it has none again, it follows the default.
CREATE FUNCTION pg_temp.with_days_off_by_date(history jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    week jsonb := '{}';
    result jsonb := '{}';
    named boolean := false;
    day text;
    changes jsonb;
BEGIN
    FOR day, changes IN SELECT key, value FROM jsonb_each(history) ORDER BY key COLLATE "C" LOOP
        week := jsonb_strip_nulls(week || changes);
        IF pg_temp.names_days(week) THEN
            named := true;
            changes := changes || pg_temp.only_days(pg_temp.with_days_off(week));
        ELSIF named THEN
            changes := changes || jsonb '{"works_mon": null, "works_tue": null, "works_wed": null, "works_thu": null,
                "works_fri": null, "works_sat": null, "works_sun": null}';
        END IF;
        result := result || jsonb_build_object(day, changes);
    END LOOP;
    RETURN result;
END $$;

CREATE TEMPORARY TABLE client_weeks ON COMMIT DROP AS
SELECT client_id FROM calculations
WHERE type = 'week_hours' AND employee_id IS NULL AND profile_id IS NULL AND pg_temp.names_days(inputs);

CREATE TEMPORARY TABLE employee_weeks ON COMMIT DROP AS
SELECT m.client_id, m.employee_id FROM profile_mappings m
JOIN calculations c ON c.client_id = m.client_id AND c.profile_id = m.profile_id AND c.type = 'week_hours'
WHERE pg_temp.names_days(c.inputs) AND m.calculations -> 'week_hours' IS DISTINCT FROM 'false';

UPDATE inherited_calculations i SET inputs_history = pg_temp.with_days_off_by_date(inputs_history)
WHERE client_id NOT IN (SELECT client_id FROM client_weeks)
  AND (client_id, employee_id) NOT IN (SELECT client_id, employee_id FROM employee_weeks)
  AND NOT EXISTS (SELECT FROM calculations c WHERE c.client_id = i.client_id AND c.employee_id = i.employee_id
                  AND c.payslip_id IS NULL AND c.type = 'week_hours' AND pg_temp.names_days(c.inputs));

UPDATE calculations c SET inputs = pg_temp.with_days_off(inputs)
WHERE type = 'week_hours' AND CASE
    WHEN payslip_id IS NOT NULL THEN
        NOT EXISTS (SELECT FROM client_weeks w WHERE w.client_id = c.client_id)
        AND NOT EXISTS (SELECT FROM employee_weeks w WHERE w.client_id = c.client_id AND w.employee_id = c.employee_id)
        AND NOT EXISTS (SELECT FROM calculations o WHERE o.client_id = c.client_id AND o.employee_id = c.employee_id
                        AND o.payslip_id IS NULL AND o.type = 'week_hours' AND pg_temp.names_days(o.inputs))
    WHEN employee_id IS NOT NULL THEN
        NOT EXISTS (SELECT FROM client_weeks w WHERE w.client_id = c.client_id)
        AND NOT EXISTS (SELECT FROM employee_weeks w WHERE w.client_id = c.client_id AND w.employee_id = c.employee_id)
    WHEN profile_id IS NOT NULL THEN NOT EXISTS (SELECT FROM client_weeks w WHERE w.client_id = c.client_id)
    ELSE true END;

INSERT INTO inherited_calculations (client_id, employee_id, short_name, inputs_history)
SELECT client_id, id, 'week_hours', '{}' FROM employees ORDER BY id
ON CONFLICT ON CONSTRAINT inherited_calculations_once DO NOTHING;

CREATE FUNCTION create_regular_hours() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO inherited_calculations (client_id, employee_id, short_name, inputs_history)
    SELECT client_id, id, 'week_hours', '{}' FROM new_employees ORDER BY id;
    RETURN NULL;
END $$;

CREATE TRIGGER create_regular_hours AFTER INSERT ON employees REFERENCING NEW TABLE AS new_employees
FOR EACH STATEMENT EXECUTE FUNCTION create_regular_hours();

-- The record comes with its employee. Only changes are worth an entry in the audit log.
DROP TRIGGER record_change ON inherited_calculations;
CREATE TRIGGER record_change AFTER UPDATE OR DELETE ON inherited_calculations
FOR EACH ROW EXECUTE FUNCTION record_change();
