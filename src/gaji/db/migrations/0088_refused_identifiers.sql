-- An API key that hides identifiers is told that an NRIC or FIN is in use a few times an hour, and no more.
ALTER TABLE api_key_uses ADD COLUMN refused_identifiers integer NOT NULL DEFAULT 0,
    ADD COLUMN refusals_since timestamptz;

ALTER TABLE access_events DROP CONSTRAINT access_events_kind_check,
    ADD CONSTRAINT access_events_kind_check CHECK (
        kind IN ('sign_in', 'sign_in_failed', 'password_reset', 'new_address', 'download', 'identifiers',
                 'passkey_refused', 'confirmation_failed', 'email_changed', 'identifier_taken'));

-- Counts identifiers that were refused, from the first one for an hour, and records the event.
CREATE FUNCTION record_refused_identifiers(of_user bigint, used_key bigint, refused integer, of_path text,
                                           from_address text, agent text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    INSERT INTO api_key_uses AS u (key_id, last_used_at, refused_identifiers, refusals_since)
    VALUES (used_key, now(), refused, now())
    ON CONFLICT (key_id) DO UPDATE SET
        refused_identifiers = CASE WHEN u.refusals_since > now() - interval '1 hour'
                                   THEN u.refused_identifiers + refused ELSE refused END,
        refusals_since = CASE WHEN u.refusals_since > now() - interval '1 hour' THEN u.refusals_since ELSE now() END;
    PERFORM record_access(of_user, NULL, used_key, 'identifier_taken', of_path, from_address, agent);
END $$;
REVOKE ALL ON FUNCTION record_refused_identifiers(bigint, bigint, integer, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_refused_identifiers(bigint, bigint, integer, text, text, text) TO gaji_app;
