-- A request about one record sees only the client of that record. Its cost does not depend on how many clients the caller
-- has: the policies compare with one ID instead of a list, and the caller's other memberships are not read.

-- The caller, and the record that the request is about: a collection of the API, and an ID in it. `limiting_key_id` is the
-- API key if it is limited to some clients.
CREATE TYPE record_request AS (
    user_id bigint, access_version bigint, limiting_key_id bigint, collection text, record_id bigint);

-- Records are found by their ID alone, whatever client they belong to.
CREATE INDEX calculation_definitions_id ON calculation_definitions (id);
CREATE INDEX calculations_id ON calculations (id);
CREATE INDEX cpf_submissions_id ON cpf_submissions (id);
CREATE INDEX custom_employee_fields_id ON custom_employee_fields (id);
CREATE INDEX leave_types_id ON leave_types (id);
CREATE INDEX pay_points_id ON pay_points (id);
CREATE INDEX payment_runs_id ON payment_runs (id);
CREATE INDEX profile_mappings_id ON profile_mappings (id);
CREATE INDEX profiles_id ON profiles (id);
CREATE INDEX waves_id ON waves (id);

-- Like open_tenancy, for the client of one record. A caller who may not see that client sees no rows. Every request
-- waits for this: the settings are set by expressions, which takes less time than a query.
CREATE FUNCTION open_client_tenancy(request record_request) RETURNS boolean
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
    IF request.limiting_key_id IS NOT NULL AND NOT EXISTS (
            SELECT FROM api_key_clients WHERE client_id = wanted_client AND key_id = request.limiting_key_id) THEN
        wanted_client := NULL;
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

-- For a transaction that writes. A key that is not known to be without limits has them.
CREATE FUNCTION enter(
    entering_user bigint, remembered_version bigint, used_key bigint, request text, actor text,
    collection text, record_id bigint)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    maintenance text := set_config('gaji.maintenance', 'on', true);
    limiting_key bigint := used_key;
BEGIN
    IF EXISTS (SELECT FROM api_keys WHERE id = used_key AND NOT limited) THEN
        limiting_key := NULL;
    END IF;
    PERFORM open_client_tenancy((entering_user, remembered_version, limiting_key, collection, record_id)),
            set_config('gaji.key', coalesce(used_key::text, ''), true), set_config('gaji.request', request, true),
            set_config('gaji.actor', actor, true);
END $$;

-- For a statement that reads: like `entrance`, for the client of one record.
CREATE DOMAIN record_entrance AS record_request
    CHECK (open_client_tenancy(VALUE) AND set_config('transaction_read_only', 'on', true) = 'on');

-- The endpoints of the account, which are limited in number, including those of clients that the request does not see.
CREATE FUNCTION count_webhook_endpoints() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN (SELECT count(*) FROM webhook_endpoints WHERE account_id = current_account());
END $$;

REVOKE ALL ON FUNCTION count_webhook_endpoints(), open_client_tenancy(record_request),
    enter(bigint, bigint, bigint, text, text, text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_webhook_endpoints(), open_client_tenancy(record_request),
    enter(bigint, bigint, bigint, text, text, text, bigint) TO gaji_app;
