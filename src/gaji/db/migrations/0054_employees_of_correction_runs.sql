-- The employees that a correction run is limited to. Null: everyone in the corrected run. Comparing again needs them,
-- because employees without differences have no payslip in the run. Open runs of before are limited to their payslips.
ALTER TABLE payment_runs ADD COLUMN employee_ids bigint[];

SELECT begin_maintenance(), set_config('gaji.audit', 'off', true);
UPDATE payment_runs r SET employee_ids = ARRAY(
    SELECT employee_id FROM payslips p WHERE p.client_id = r.client_id AND p.payment_run_id = r.id ORDER BY 1)
WHERE corrects IS NOT NULL;
SELECT set_config('gaji.audit', '', true), set_config('gaji.maintenance', '', true);
