-- Hashes of requests are encrypted. Those of earlier versions are encrypted after the migrations, by the program, which has the secret
-- (db/bound_hashes.py). So are the hashes of identifiers, which become different for each client.
ALTER TABLE idempotent_answers RENAME COLUMN request_hash TO request_sealed;
ALTER TABLE secret_marks DROP CONSTRAINT secret_marks_purpose_check,
    ADD CONSTRAINT secret_marks_purpose_check CHECK (purpose IN ('check', 'api_keys', 'audit_keys', 'bound_hashes'));
