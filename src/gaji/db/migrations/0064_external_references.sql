-- The IDs that other systems have for records, and texts that they store with them.

ALTER TABLE clients ADD COLUMN external_id text, ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}',
    ADD CONSTRAINT clients_external_id UNIQUE (account_id, external_id);
ALTER TABLE employees ADD COLUMN external_id text, ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}',
    ADD CONSTRAINT employees_external_id UNIQUE (client_id, external_id);
ALTER TABLE pay_points ADD COLUMN external_id text, ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}',
    ADD CONSTRAINT pay_points_external_id UNIQUE (client_id, external_id);
ALTER TABLE payment_runs ADD COLUMN external_id text, ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}',
    ADD CONSTRAINT payment_runs_external_id UNIQUE (client_id, external_id);
