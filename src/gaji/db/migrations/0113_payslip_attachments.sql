-- Older servers: continue
-- Payslips as encrypted attachments of mail, for clients that want them. Messages that have one are claimed separately,
-- because rendering a payslip can take long. Workers of older versions leave them to those of this one.
-- Mail to approvers about one employee is limited.

-- Whether the mail about a payslip has the payslip as an attachment.
ALTER TABLE clients ADD COLUMN payslip_attachments boolean NOT NULL DEFAULT false;

-- As in 0060, with the payslip to attach and the user who gets it.
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
                   THEN jsonb_build_object('attachment', jsonb_build_object('client_id', c.id, 'payslip_id', p.id,
                                                                            'user_id', u.id))
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

-- Returns messages with an attachment that are due, at most that many per account. They stay queued while a worker renders
-- the attachments, and are due again after the lease, in case it stops.
CREATE FUNCTION lease_mail_with_attachments(maximum integer, maximum_per_account integer, lease interval)
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
        WHERE q.state = 'queued' AND q.due_at <= now() AND r.place <= maximum_per_account
        ORDER BY r.place, q.due_at, q.id LIMIT maximum FOR UPDATE OF q SKIP LOCKED)
    UPDATE outgoing_mail m SET attempts = m.attempts + 1, due_at = now() + lease
    FROM due WHERE m.id = due.id
    RETURNING m.id, m.kind, m.recipient, m.parameters, m.attempts;
END $$;

-- Marks leased messages that are still queued as being sent, and returns them. An attachment may be sent only if the
-- address still belongs to an enabled user of the employee.
CREATE FUNCTION claim_leased_mail(leased bigint[])
RETURNS TABLE (id bigint, kind text, recipient text, parameters jsonb, attempts integer, may_attach boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    UPDATE outgoing_mail m SET state = 'sending', due_at = now()
    WHERE m.id IN (SELECT q.id FROM outgoing_mail q WHERE q.id = ANY (leased) AND q.state = 'queued'
                   ORDER BY q.id FOR UPDATE SKIP LOCKED)
    RETURNING m.id, m.kind, m.recipient, m.parameters, m.attempts,
              EXISTS (SELECT FROM users u JOIN memberships s ON s.user_id = u.id
                      JOIN payslips p ON p.client_id = s.client_id AND p.employee_id = s.employee_id
                      WHERE u.id = (m.parameters #>> '{attachment,user_id}')::bigint AND u.email = m.recipient
                        AND u.disabled_at IS NULL AND p.client_id = (m.parameters #>> '{attachment,client_id}')::bigint
                        AND p.id = (m.parameters #>> '{attachment,payslip_id}')::bigint);
END $$;

-- Queues a message about an employee to the members of a client, unless as many were queued in the last hour. Returns to
-- how many members.
CREATE FUNCTION queue_mail_about_employee(of_client bigint, about_employee bigint, roles text[], of_kind text,
                                          with_parameters jsonb, maximum_per_hour integer)
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    -- All messages of a transaction have the same time.
    IF (SELECT count(DISTINCT m.created_at) FROM outgoing_mail m
        WHERE m.account_id = current_account() AND m.kind = of_kind AND m.created_at > now() - interval '1 hour'
          AND m.parameters ? 'employee_id' AND m.parameters ->> 'employee_id' = about_employee::text)
       >= maximum_per_hour THEN
        RETURN 0;
    END IF;
    RETURN queue_mail_to_members(of_client, roles, of_kind,
                                 with_parameters || jsonb_build_object('employee_id', about_employee));
END $$;
CREATE INDEX outgoing_mail_about_employee ON outgoing_mail (account_id, kind, created_at) WHERE parameters ? 'employee_id';

REVOKE ALL ON FUNCTION lease_mail_with_attachments(integer, integer, interval), claim_leased_mail(bigint[]),
    queue_mail_about_employee(bigint, bigint, text[], text, jsonb, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lease_mail_with_attachments(integer, integer, interval), claim_leased_mail(bigint[]),
    queue_mail_about_employee(bigint, bigint, text[], text, jsonb, integer) TO gaji_app;
