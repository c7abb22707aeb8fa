-- Tax clearance (IR21): when the employer learned of a departure, and how much of a withheld payment went to whom.

-- Terminations recorded before this version have none: of those, only the pay of periods that end on or after the last
-- day is withheld, as before.
ALTER TABLE service_periods ADD COLUMN notice_date date;
ALTER TABLE service_periods ADD CONSTRAINT service_periods_notice
    CHECK (notice_date IS NULL OR (end_date IS NOT NULL AND notice_date <= end_date));

-- A payment can be released in parts. A release so far was the whole nett pay, to the employee.
ALTER TABLE payment_releases DROP CONSTRAINT payment_releases_client_id_payslip_id_key;
ALTER TABLE payment_releases ADD COLUMN amount bigint, ADD COLUMN recipient text NOT NULL DEFAULT 'employee';
SELECT begin_maintenance(), set_config('gaji.audit', 'off', true);
DELETE FROM payment_releases r USING payslips p
    WHERE p.client_id = r.client_id AND p.id = r.payslip_id AND p.nett_pay <= 0;
UPDATE payment_releases r SET amount = p.nett_pay FROM payslips p WHERE p.client_id = r.client_id AND p.id = r.payslip_id;
SELECT set_config('gaji.audit', '', true), set_config('gaji.maintenance', '', true);
ALTER TABLE payment_releases ALTER COLUMN amount SET NOT NULL, ALTER COLUMN recipient DROP DEFAULT,
    ADD CHECK (amount > 0), ADD CHECK (recipient IN ('employee', 'iras'));
CREATE INDEX payment_releases_payslip ON payment_releases (client_id, payslip_id, id);
