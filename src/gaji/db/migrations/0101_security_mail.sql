-- Older servers: stop
-- Queues a message to a user about a change of their own sign-in.
CREATE FUNCTION queue_security_mail(of_user bigint, of_kind text, with_parameters jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    INSERT INTO outgoing_mail (account_id, kind, recipient, parameters)
    SELECT account_id, of_kind, email, with_parameters FROM users WHERE id = of_user;
END $$;

REVOKE ALL ON FUNCTION queue_security_mail(bigint, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION queue_security_mail(bigint, text, jsonb) TO gaji_app;
