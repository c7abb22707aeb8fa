-- Employees cancel requests that are pending, and ask to withdraw leave that was approved.
ALTER TABLE leave_requests DROP CONSTRAINT leave_requests_status_check;
ALTER TABLE leave_requests ADD CONSTRAINT leave_requests_status_check
    CHECK (status IN ('pending', 'approved', 'declined', 'cancelled', 'withdrawing', 'withdrawn'));
CREATE POLICY own_employee_cancels ON leave_requests FOR UPDATE TO gaji_app
    USING (employee_id = ANY ((SELECT own_employees())::bigint[]) AND status IN ('pending', 'approved'))
    WITH CHECK (employee_id = ANY ((SELECT own_employees())::bigint[]) AND status IN ('cancelled', 'withdrawing'));
