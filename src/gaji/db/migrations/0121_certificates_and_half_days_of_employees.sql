-- Older servers: continue
-- Employees remove medical certificates that they added themselves, and say which half of the day they request.

-- Certificates that older servers add are removed by officers.
ALTER TABLE medical_certificates ADD COLUMN added_by_employee boolean NOT NULL DEFAULT false;
CREATE POLICY own_employee_removes ON medical_certificates FOR DELETE TO gaji_app
    USING (added_by_employee AND employee_id = ANY ((SELECT own_employees())::bigint[]));

-- Null: not said, or not half a day. Older servers do not write it.
ALTER TABLE leave_requests ADD COLUMN part_of_day text CHECK (part_of_day IN ('morning', 'afternoon'));
