-- Older servers: continue
-- Bulk changes of employees must not depend on statistics: they are made directly after the employees were created.

-- Taken at once, so that it is not raised later, while other transactions wait for it.
LOCK TABLE employees IN ACCESS EXCLUSIVE MODE;

-- The policies of the table compare client_id with a list, which hides that the primary key finds one row. An index on
-- other columns of the client then seems as good, especially a small one, and each employee is looked for among all of
-- the client. A unique index on the ID finds one row by itself: IDs are unique across clients.
CREATE UNIQUE INDEX employees_unique_id ON employees (id);
DROP INDEX employees_id;
ALTER INDEX employees_unique_id RENAME TO employees_id;

-- Indexes on optional columns leave out nulls, so they are not used by queries that do not filter by the column.
ALTER TABLE employees DROP CONSTRAINT employees_external_id, DROP CONSTRAINT employees_nric, DROP CONSTRAINT employees_fin;
CREATE UNIQUE INDEX employees_external_id ON employees (client_id, external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX employees_nric ON employees (client_id, nric_lookup) WHERE nric_lookup IS NOT NULL;
CREATE UNIQUE INDEX employees_fin ON employees (client_id, fin_lookup) WHERE fin_lookup IS NOT NULL;
DROP INDEX employees_email;
CREATE INDEX employees_email ON employees (client_id, email, id) WHERE email IS NOT NULL;
DROP INDEX employees_pay_point;
CREATE INDEX employees_pay_point ON employees (client_id, pay_point_id) WHERE pay_point_id IS NOT NULL;

-- As in 0061, with arrays. A join could compare each row that changed with each employee of the client.
CREATE OR REPLACE FUNCTION track_employee_periods() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
DECLARE
    maintenance text := set_config('gaji.maintenance', 'on', true);
    own_transaction bigint := pg_current_xact_id()::text::bigint;
    of_client record;
BEGIN
    FOR of_client IN SELECT client_id, array_agg(DISTINCT employee_id) AS employee_ids FROM changed GROUP BY client_id
    LOOP
        UPDATE last_changes SET transaction = own_transaction, changed_at = clock_timestamp()
        WHERE client_id = of_client.client_id AND resource = 'employee' AND id = ANY (of_client.employee_ids)
          AND deleted_at IS NULL AND transaction <> own_transaction;
    END LOOP;
    RETURN NULL;
END $$;
