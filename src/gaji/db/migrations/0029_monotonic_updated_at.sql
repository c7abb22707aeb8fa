-- `updated_at` never moves backwards. Statements set it to now(), which is when their transaction began: of two
-- transactions that change a row one after the other, the second may have begun first.

CREATE FUNCTION advance_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := greatest(clock_timestamp(), OLD.updated_at);
    RETURN NEW;
END $$;

-- For every table with the column; a later table with it needs the call. Employees are the exception: their statements set
-- the number, which is part of a key, and with a trigger that would take a lock against every row that refers to the
-- employee, such as a new draft. Their one statement takes the later time itself.
CREATE PROCEDURE keep_updated_at_monotonic(target regclass) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER advance_updated_at BEFORE UPDATE ON %s FOR EACH ROW '
                   'WHEN (NEW.updated_at IS DISTINCT FROM OLD.updated_at) '
                   'EXECUTE FUNCTION advance_updated_at()', target);
END $$;

DO $$
DECLARE
    target regclass;
BEGIN
    FOR target IN
        SELECT a.attrelid FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE a.attname = 'updated_at' AND c.relkind IN ('r', 'p') AND c.relnamespace = 'gaji'::regnamespace
            AND c.relname NOT LIKE 'pgqueuer%' AND c.relname <> 'employees'
        ORDER BY c.relname
    LOOP
        CALL keep_updated_at_monotonic(target);
    END LOOP;
END $$;

-- Cancelling a termination used to restore the time of the last change before it.
ALTER TABLE service_periods DROP COLUMN open_updated_at;
