-- Reads of identifiers that are not masked are access events too. `path` says whose.
ALTER TABLE access_events DROP CONSTRAINT access_events_kind_check,
    ADD CONSTRAINT access_events_kind_check CHECK (
        kind IN ('sign_in', 'sign_in_failed', 'password_reset', 'new_address', 'download', 'identifiers'));
