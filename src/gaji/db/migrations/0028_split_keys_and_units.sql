-- IDs of accounting splits that the caller chooses, and the units of leave in the names of its values.

-- The ID of a split in the API. The application draws a number from the sequence if the caller chooses none.
ALTER TABLE accounting_splits ADD COLUMN key text;
SELECT begin_maintenance(), set_config('gaji.audit', 'off', true);
UPDATE accounting_splits SET key = id::text;
ALTER TABLE accounting_splits ALTER COLUMN key SET NOT NULL;
ALTER TABLE accounting_splits ADD CONSTRAINT accounting_splits_key UNIQUE (client_id, key);

-- Arrays of {year, millidays} and of {months, millidays}.
ALTER TABLE leave_policies RENAME COLUMN carry_over_limit TO carry_over_limit_millidays;
UPDATE leave_policies SET
    entitlement = (SELECT coalesce(jsonb_agg(step - 'days' || jsonb_build_object('millidays', step -> 'days')
                                             ORDER BY place), '[]')
                   FROM jsonb_array_elements(entitlement) WITH ORDINALITY AS s(step, place)),
    first_year = (SELECT jsonb_agg(step - 'days' || jsonb_build_object('millidays', step -> 'days') ORDER BY place)
                  FROM jsonb_array_elements(first_year) WITH ORDINALITY AS s(step, place));

-- An array of {date, millihours, type_id}; millihours are null for the whole day.
UPDATE leave_requests SET
    dates = (SELECT coalesce(jsonb_agg(day - 'hours' || jsonb_build_object('millihours', day -> 'hours')
                                       ORDER BY place), '[]')
             FROM jsonb_array_elements(dates) WITH ORDINALITY AS d(day, place));
SELECT set_config('gaji.audit', '', true);
