-- Lists of employees can be limited to an email address.

CREATE INDEX employees_email ON employees (client_id, email);
