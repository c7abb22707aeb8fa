-- Older servers: continue
-- A worker marked all messages of a batch as being sent before it sent the first, so all of them were given up if it stopped.
-- Now it leases them, and marks each message right before it is sent (claim_leased_mail, 0113). Workers of older versions
-- still call claim_mail.

-- Returns messages without an attachment that are due. They stay queued, and are due again after the lease.
CREATE FUNCTION lease_mail(maximum integer, lease interval)
RETURNS TABLE (id bigint, kind text, recipient text, parameters jsonb, attempts integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    UPDATE outgoing_mail m SET attempts = m.attempts + 1, due_at = now() + lease
    WHERE m.id IN (SELECT q.id FROM outgoing_mail q
                   WHERE q.state = 'queued' AND q.due_at <= now() AND NOT q.parameters ? 'attachment'
                   ORDER BY q.due_at, q.id LIMIT maximum FOR UPDATE SKIP LOCKED)
    RETURNING m.id, m.kind, m.recipient, m.parameters, m.attempts;
END $$;

-- Records why a leased message was not sent. With a delay, it is tried again after it. A message that another worker is
-- sending meanwhile is left alone.
CREATE FUNCTION postpone_mail(of_mail bigint, message text, retry_in interval) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    UPDATE outgoing_mail
    SET state = CASE WHEN retry_in IS NULL THEN 'failed' ELSE 'queued' END, error = message,
        due_at = now() + coalesce(retry_in, interval '0'), finished_at = CASE WHEN retry_in IS NULL THEN now() END
    WHERE id = of_mail AND state = 'queued';
END $$;

REVOKE ALL ON FUNCTION lease_mail(integer, interval), postpone_mail(bigint, text, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lease_mail(integer, interval), postpone_mail(bigint, text, interval) TO gaji_app;
