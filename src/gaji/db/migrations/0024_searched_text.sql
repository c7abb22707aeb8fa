-- What people are searched by, put together when it is written and not with every letter that someone types. It says
-- nothing that the row does not say elsewhere: the audit log passes over it, and so does a backup.
ALTER TABLE employees ADD COLUMN searched text COLLATE "C" GENERATED ALWAYS AS (
    lower(coalesce(first_name, '') || ' ' || coalesce(last_name, '') || ' ' || coalesce(number, '') || ' '
          || coalesce(job_title, '') || ' ' || coalesce(email, ''))) STORED;
