-- Older servers: stop
-- Employees request changes of their own address and payment details. An officer approves them.

ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check, DROP CONSTRAINT approvals_check;
ALTER TABLE approvals
    ADD CONSTRAINT approvals_kind_check CHECK (kind IN (
        'employee_bank_account', 'employee_details', 'client_bank_account', 'payment_run_finalisation', 'payment_file',
        'approval_settings')),
    ADD CONSTRAINT approvals_employee_check
        CHECK ((kind IN ('employee_bank_account', 'employee_details')) = (employee_id IS NOT NULL));

-- Employees see, make and cancel their own requests, and nothing else of this table.
CREATE POLICY own_employee ON approvals FOR SELECT TO gaji_app
    USING (kind = 'employee_details' AND employee_id = ANY ((SELECT own_employees())::bigint[]));
CREATE POLICY own_employee_asks ON approvals FOR INSERT TO gaji_app
    WITH CHECK (kind = 'employee_details' AND employee_id = ANY ((SELECT own_employees())::bigint[])
                AND status = 'pending' AND requested_by = (SELECT current_user_id()));
CREATE POLICY own_employee_cancels ON approvals FOR UPDATE TO gaji_app
    USING (kind = 'employee_details' AND employee_id = ANY ((SELECT own_employees())::bigint[]) AND status = 'pending')
    WITH CHECK (kind = 'employee_details' AND employee_id = ANY ((SELECT own_employees())::bigint[])
                AND status IN ('cancelled', 'outdated'));
