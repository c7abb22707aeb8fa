-- Wages belong to calendar months. If the wages of a payslip belong to two months, `previous_month` has the part of its
-- figures for the month before that of `date`, under the names of the columns. All of the rest belongs to the month of
-- `date`. So do the figures of payslips that were finalised before.
ALTER TABLE payslips ADD COLUMN previous_month jsonb;
CREATE INDEX payslips_previous_month ON payslips (client_id, employee_id, date) WHERE previous_month IS NOT NULL;

-- How the wages of a period that spans two months are divided.
ALTER TABLE clients ADD COLUMN wage_apportionment text NOT NULL DEFAULT 'working_days'
    CHECK (wage_apportionment IN ('working_days', 'calendar_days'));

-- Drafts are recalculated by the worker.
SELECT begin_maintenance(), set_config('gaji.audit', 'off', true);
UPDATE payslips SET dirty = true WHERE NOT finalised AND NOT withdrawn;
SELECT set_config('gaji.audit', '', true), set_config('gaji.maintenance', '', true);
