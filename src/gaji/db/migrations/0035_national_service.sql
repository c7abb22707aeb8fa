-- Whether the employer pays the full salary during national service and claims it (DIRECT scheme).
ALTER TABLE clients ADD COLUMN ns_direct_scheme boolean NOT NULL DEFAULT true;

-- Drafts are recalculated by the worker: excess leave, national service, and unpaid leave by the month of its days.
SELECT begin_maintenance(), set_config('gaji.audit', 'off', true);
UPDATE payslips SET dirty = true WHERE NOT finalised AND NOT withdrawn;
SELECT set_config('gaji.audit', '', true), set_config('gaji.maintenance', '', true);
