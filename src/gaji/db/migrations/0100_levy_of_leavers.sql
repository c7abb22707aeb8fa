-- Older servers: stop
-- Drafts that older versions calculated differently are recalculated by the worker: those with a foreign worker levy, which
-- is on the employee's last payslip of a month, not the wave's last one, and those in whose period the regular hours change.

SELECT begin_maintenance(), set_config('gaji.audit', 'off', true);

UPDATE payslips p SET dirty = true
WHERE NOT finalised AND NOT withdrawn AND NOT dirty AND inputs IS NOT NULL
      AND (position('"foreign_worker_levy"' IN inputs::text) > 0
           OR EXISTS (SELECT FROM inherited_calculations h, jsonb_object_keys(h.inputs_history) AS effective_date
                      WHERE h.client_id = p.client_id AND h.employee_id = p.employee_id AND effective_date <> ''
                            AND effective_date > p.start_date::text AND effective_date <= p.date::text));
