-- Queues a message to an employee who has a sign-in, except the caller. Returns how many.
CREATE FUNCTION queue_mail_to_employee(of_client bigint, of_employee bigint, of_kind text, with_parameters jsonb)
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    queued integer;
BEGIN
    PERFORM begin_maintenance();
    INSERT INTO outgoing_mail (account_id, kind, recipient, parameters)
    SELECT c.account_id, of_kind, u.email, with_parameters || jsonb_build_object('company', c.name)
    FROM clients c JOIN memberships m ON m.client_id = c.id JOIN users u ON u.id = m.user_id
    WHERE c.id = of_client AND c.account_id = current_account() AND m.employee_id = of_employee
          AND u.disabled_at IS NULL AND u.id <> current_user_id();
    GET DIAGNOSTICS queued = ROW_COUNT;
    RETURN queued;
END $$;

REVOKE ALL ON FUNCTION queue_mail_to_employee(bigint, bigint, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION queue_mail_to_employee(bigint, bigint, text, jsonb) TO gaji_app;
