-- Older servers: stop
-- The first payslip of an employee also has the foreign worker levy of the month before, if the service begins in it and no
-- period of the employee ends in it. Drafts with a levy whose period spans two months are recalculated by the worker.

SELECT begin_maintenance(), set_config('gaji.audit', 'off', true);

UPDATE payslips SET dirty = true
WHERE NOT finalised AND NOT withdrawn AND NOT dirty AND NOT special AND inputs IS NOT NULL
      AND date_trunc('month', start_date) < date_trunc('month', date)
      AND position('"foreign_worker_levy"' IN inputs::text) > 0;
