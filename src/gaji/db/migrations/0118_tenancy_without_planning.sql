-- Older servers: continue
-- Entering the tenancy of one client no longer plans a query in every request.
--
-- The condition on the clients of a limited key was one expression with a test for a missing key. For a key without
-- limits PostgreSQL found a custom plan cheaper every time, because the constant null made the query unnecessary, and so
-- it planned the expression again for each request. Now the query is an expression of its own.
CREATE OR REPLACE FUNCTION open_client_tenancy(request record_request) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    new_value text := set_config('gaji.maintenance', 'on', true);
    wanted bigint := request.record_id;
    wanted_client bigint;
    account bigint;
    caller_role text;
    own_employee bigint;
BEGIN
    -- The client of the record, or null if there is no such record. The first collections are the most frequent.
    CASE request.collection
        WHEN 'clients' THEN wanted_client := wanted;
        WHEN 'employees' THEN SELECT client_id INTO wanted_client FROM employees WHERE id = wanted;
        WHEN 'payslips' THEN SELECT client_id INTO wanted_client FROM payslips WHERE id = wanted;
        WHEN 'payment_runs' THEN SELECT client_id INTO wanted_client FROM payment_runs WHERE id = wanted;
        WHEN 'calculations' THEN SELECT client_id INTO wanted_client FROM calculations WHERE id = wanted;
        WHEN 'approvals' THEN SELECT client_id INTO wanted_client FROM approvals WHERE id = wanted;
        WHEN 'benefits_in_kind' THEN SELECT client_id INTO wanted_client FROM benefits_in_kind WHERE id = wanted;
        WHEN 'calculation_definitions' THEN
            SELECT client_id INTO wanted_client FROM calculation_definitions WHERE id = wanted;
        WHEN 'children' THEN SELECT client_id INTO wanted_client FROM children WHERE id = wanted;
        WHEN 'cpf_submissions' THEN SELECT client_id INTO wanted_client FROM cpf_submissions WHERE id = wanted;
        WHEN 'custom_employee_fields' THEN
            SELECT client_id INTO wanted_client FROM custom_employee_fields WHERE id = wanted;
        WHEN 'inherited_calculations' THEN
            SELECT client_id INTO wanted_client FROM inherited_calculations WHERE id = wanted;
        WHEN 'leave_adjustments' THEN SELECT client_id INTO wanted_client FROM leave_adjustments WHERE id = wanted;
        WHEN 'leave_days' THEN SELECT client_id INTO wanted_client FROM leave_days WHERE id = wanted;
        WHEN 'leave_requests' THEN SELECT client_id INTO wanted_client FROM leave_requests WHERE id = wanted;
        WHEN 'leave_types' THEN SELECT client_id INTO wanted_client FROM leave_types WHERE id = wanted;
        WHEN 'medical_certificates' THEN
            SELECT client_id INTO wanted_client FROM medical_certificates WHERE id = wanted;
        WHEN 'pay_points' THEN SELECT client_id INTO wanted_client FROM pay_points WHERE id = wanted;
        WHEN 'profile_mappings' THEN SELECT client_id INTO wanted_client FROM profile_mappings WHERE id = wanted;
        WHEN 'profiles' THEN SELECT client_id INTO wanted_client FROM profiles WHERE id = wanted;
        WHEN 'share_gains' THEN SELECT client_id INTO wanted_client FROM share_gains WHERE id = wanted;
        WHEN 'tax_certificates' THEN SELECT client_id INTO wanted_client FROM tax_certificates WHERE id = wanted;
        WHEN 'waves' THEN SELECT client_id INTO wanted_client FROM waves WHERE id = wanted;
        WHEN 'webhook_deliveries' THEN SELECT client_id INTO wanted_client FROM webhook_deliveries WHERE id = wanted;
    END CASE;
    -- Two conditions and not one with AND, which would be planned each time.
    IF request.limiting_key_id IS NOT NULL THEN
        IF NOT EXISTS (
                SELECT FROM api_key_clients WHERE client_id = wanted_client AND key_id = request.limiting_key_id) THEN
            wanted_client := NULL;
        END IF;
    END IF;
    SELECT a.account_id, m.role, m.employee_id INTO account, caller_role, own_employee
    FROM user_access a LEFT JOIN memberships m ON m.client_id = wanted_client AND m.user_id = a.user_id
    WHERE a.user_id = request.user_id AND a.version = request.access_version;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'access of user % has changed', request.user_id USING ERRCODE = 'GJ401';
    END IF;
    new_value := set_config('gaji.user', request.user_id::text, true);
    new_value := set_config('gaji.account', account::text, true);
    new_value := set_config(
        'gaji.clients', CASE WHEN caller_role <> 'employee' THEN '{' || wanted_client || '}' ELSE '{}' END, true);
    new_value := set_config(
        'gaji.employees', CASE WHEN caller_role = 'employee' THEN '{' || own_employee || '}' ELSE '{}' END, true);
    RETURN true;
END $$;
