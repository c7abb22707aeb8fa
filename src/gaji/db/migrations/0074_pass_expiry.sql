-- The passes that expire next, for the dashboard.

CREATE INDEX employees_pass_to ON employees (client_id, pass_to, id) WHERE pass_to IS NOT NULL;
