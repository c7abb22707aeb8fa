-- Older servers: continue
-- Lists of employees are ordered by names as they are shown.
CREATE INDEX employees_by_shown_name ON employees (
    client_id,
    lower(CASE WHEN name_format = 2 THEN last_name || ' ' || first_name ELSE first_name || ' ' || last_name END),
    id);
DROP INDEX employees_by_name;
