-- Nobody says what the key of another can work with: beside the company, the key must be one's own.
CREATE POLICY own_key ON api_key_clients AS RESTRICTIVE FOR INSERT TO gaji_app
    WITH CHECK (key_id IN (SELECT id FROM api_keys));
