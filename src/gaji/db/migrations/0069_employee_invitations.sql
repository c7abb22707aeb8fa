-- Invitations of employees in bulk. A printed invitation has no email if the employee has none that can be used: the
-- employee enters one. The mail of an invitation is linked to it, so that owners see which messages were refused.

ALTER TABLE invitations ALTER COLUMN email DROP NOT NULL;
ALTER TABLE invitations ADD CHECK (email IS NOT NULL OR role = 'employee');
ALTER TABLE invitations ADD COLUMN name text NOT NULL DEFAULT '';
CREATE INDEX invitations_employee ON invitations (client_id, employee_id);

ALTER TABLE outgoing_mail ADD COLUMN invitation_id bigint;
CREATE INDEX outgoing_mail_invitation ON outgoing_mail (invitation_id) WHERE invitation_id IS NOT NULL;

-- Queues the messages of invitations of a client, each with the text that its link is derived from.
CREATE FUNCTION queue_invitation_mail(of_client bigint, of_invitations bigint[], nonces text[], of_kind text,
                                      with_parameters jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    INSERT INTO outgoing_mail (account_id, kind, recipient, parameters, invitation_id)
    SELECT c.account_id, of_kind, i.email, with_parameters || jsonb_build_object('nonce', n.nonce), i.id
    FROM unnest(of_invitations, nonces) AS n (id, nonce)
         JOIN invitations i ON i.client_id = of_client AND i.id = n.id JOIN clients c ON c.id = of_client
    WHERE c.account_id = current_account() AND of_client = ANY (allowed_clients());
END $$;

DROP FUNCTION queue_mail(text, text, jsonb);

-- The invitations of a client whose last message was given up, and why.
CREATE FUNCTION refused_invitations(of_client bigint) RETURNS TABLE (invitation_id bigint, error text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT i.id, m.error
    FROM invitations i
         CROSS JOIN LATERAL (SELECT state, error FROM outgoing_mail WHERE invitation_id = i.id
                             ORDER BY id DESC LIMIT 1) m
    WHERE i.client_id = of_client AND of_client = ANY (allowed_clients()) AND m.state = 'failed';
END $$;

-- Now with the name of the employee, and without an email for printed invitations.
DROP FUNCTION invitation_of(bytea);
CREATE FUNCTION invitation_of(presented_hash bytea)
RETURNS TABLE (email text, role text, name text, company text, known boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT i.email, i.role, i.name, c.name,
           EXISTS (SELECT FROM users k WHERE k.account_id = c.account_id AND lower(k.email) = lower(i.email))
    FROM invitations i JOIN clients c ON c.id = i.client_id JOIN users u ON u.id = i.invited_by
    WHERE i.token_hash = presented_hash AND i.expires_at > now() AND u.disabled_at IS NULL;
END $$;

-- As before. An invitation without an email always makes a new user, with the email that was entered; it raises
-- unique_violation when any user has that email.
DROP FUNCTION accept_invitation(bytea, text, text);
CREATE FUNCTION accept_invitation(presented_hash bytea, new_name text, new_email text, new_password_hash text)
RETURNS TABLE (user_id bigint, is_new boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
#variable_conflict use_column
DECLARE
    accepted record;
    of_user bigint;
    makes_user boolean;
BEGIN
    PERFORM begin_maintenance(), set_config('gaji.actor', 'console', true);
    SELECT i.*, c.account_id INTO accepted
    FROM invitations i JOIN clients c ON c.id = i.client_id JOIN users u ON u.id = i.invited_by
    WHERE i.token_hash = presented_hash AND i.expires_at > now() AND u.disabled_at IS NULL
    FOR UPDATE OF i;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM set_config('gaji.account', accepted.account_id::text, true);
    SELECT k.id INTO of_user FROM users k
    WHERE k.account_id = accepted.account_id AND lower(k.email) = lower(accepted.email);
    makes_user := of_user IS NULL;
    IF makes_user THEN
        INSERT INTO users (account_id, email, name, password_hash)
        VALUES (accepted.account_id, coalesce(accepted.email, new_email), new_name, new_password_hash)
        RETURNING id INTO of_user;
    END IF;
    PERFORM set_config('gaji.user', of_user::text, true);
    INSERT INTO memberships (client_id, user_id, role, employee_id)
    VALUES (accepted.client_id, of_user, accepted.role, accepted.employee_id)
    ON CONFLICT (client_id, user_id) DO NOTHING;
    DELETE FROM invitations i WHERE i.client_id = accepted.client_id AND i.id = accepted.id;
    RETURN QUERY SELECT of_user, makes_user;
END $$;

REVOKE ALL ON FUNCTION queue_invitation_mail(bigint, bigint[], text[], text, jsonb), refused_invitations(bigint),
    invitation_of(bytea), accept_invitation(bytea, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION queue_invitation_mail(bigint, bigint[], text[], text, jsonb), refused_invitations(bigint),
    invitation_of(bytea), accept_invitation(bytea, text, text, text) TO gaji_app;
