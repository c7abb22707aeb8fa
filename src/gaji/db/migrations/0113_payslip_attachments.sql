-- Older servers: continue
-- Payslips as encrypted attachments of mail, for clients that want them. Messages that have one are claimed apart from the
-- others, because rendering a payslip can take long. Workers of older versions leave them to those of this one.

-- Whether the mail about a payslip has the payslip as an attachment.
ALTER TABLE clients ADD COLUMN payslip_attachments boolean NOT NULL DEFAULT false;

-- As in 0060, with the payslip to attach.
CREATE OR REPLACE FUNCTION queue_payslip_mail(of_client bigint, of_run bigint, of_kind text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    queued integer;
BEGIN
    PERFORM begin_maintenance();
    INSERT INTO outgoing_mail (account_id, kind, recipient, parameters)
    SELECT c.account_id, of_kind, u.email,
           jsonb_build_object('company', c.name, 'date', p.date,
                              'path', '/own/' || p.employee_id || '/payslips/' || p.id)
           || CASE WHEN c.payslip_attachments
                   THEN jsonb_build_object('attachment', jsonb_build_object('client_id', c.id, 'payslip_id', p.id))
                   ELSE '{}' END
    FROM clients c JOIN payslips p ON p.client_id = c.id
         JOIN memberships m ON m.client_id = p.client_id AND m.employee_id = p.employee_id
         JOIN users u ON u.id = m.user_id
    WHERE c.id = of_client AND c.account_id = current_account() AND p.payment_run_id = of_run AND u.disabled_at IS NULL;
    GET DIAGNOSTICS queued = ROW_COUNT;
    RETURN queued;
END $$;

-- As in 0060, without messages that have an attachment.
CREATE OR REPLACE FUNCTION claim_mail(maximum integer)
RETURNS TABLE (id bigint, kind text, recipient text, parameters jsonb, attempts integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    UPDATE outgoing_mail m SET state = 'sending', attempts = m.attempts + 1, due_at = now()
    WHERE m.id IN (SELECT q.id FROM outgoing_mail q
                   WHERE q.state = 'queued' AND q.due_at <= now() AND NOT q.parameters ? 'attachment'
                   ORDER BY q.due_at, q.id LIMIT maximum FOR UPDATE SKIP LOCKED)
    RETURNING m.id, m.kind, m.recipient, m.parameters, m.attempts;
END $$;

-- Marks messages with an attachment that are due as being sent, so many of each account, and returns them.
CREATE FUNCTION claim_mail_with_attachments(maximum integer, maximum_per_account integer)
RETURNS TABLE (id bigint, kind text, recipient text, parameters jsonb, attempts integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    WITH ranked AS (
        SELECT r.id, row_number() OVER (PARTITION BY r.account_id ORDER BY r.due_at, r.id) AS place
        FROM outgoing_mail r WHERE r.state = 'queued' AND r.due_at <= now() AND r.parameters ? 'attachment'),
    due AS (
        SELECT q.id FROM outgoing_mail q JOIN ranked r ON r.id = q.id
        WHERE q.state = 'queued' AND r.place <= maximum_per_account
        ORDER BY r.place, q.due_at, q.id LIMIT maximum FOR UPDATE OF q SKIP LOCKED)
    UPDATE outgoing_mail m SET state = 'sending', attempts = m.attempts + 1, due_at = now()
    FROM due WHERE m.id = due.id
    RETURNING m.id, m.kind, m.recipient, m.parameters, m.attempts;
END $$;

REVOKE ALL ON FUNCTION claim_mail_with_attachments(integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_mail_with_attachments(integer, integer) TO gaji_app;
