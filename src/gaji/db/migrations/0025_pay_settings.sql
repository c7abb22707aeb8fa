-- Items of the gross rate of pay are prorated in incomplete months by default (Employment Act 1968, s. 20A).
ALTER TABLE clients ADD COLUMN prorate_allowances boolean NOT NULL DEFAULT true;

-- Drafts are recalculated by the worker.
SELECT begin_maintenance(), set_config('gaji.audit', 'off', true);
UPDATE payslips SET dirty = true WHERE NOT finalised AND NOT withdrawn;
SELECT set_config('gaji.audit', '', true), set_config('gaji.maintenance', '', true);
