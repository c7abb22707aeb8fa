-- A read is one statement that opens its own tenancy, and so one way to the database and back.

-- What entering means, whatever for: the access must be what it was remembered as, and row-level security gets the
-- clients. `who` is the user, the remembered version, and the key if it is limited to some clients: like the version,
-- what is remembered of a key holds as long as nobody has changed it. Every request waits for this, hence one statement.
CREATE FUNCTION open_tenancy(who bigint[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    maintenance text := set_config('gaji.maintenance', 'on', true);
    opened record;
BEGIN
    SELECT set_config('gaji.user', a.user_id::text, true), set_config('gaji.account', a.account_id::text, true),
           set_config('gaji.clients', ARRAY(SELECT m.client_id FROM memberships m
                                            WHERE m.user_id = a.user_id AND m.role <> 'employee')::text, true),
           set_config('gaji.employees', ARRAY(SELECT m.employee_id FROM memberships m
                                              WHERE m.user_id = a.user_id AND m.role = 'employee')::text, true)
    INTO opened
    FROM user_access a
    WHERE a.user_id = who[1] AND a.version = who[2];
    IF NOT FOUND THEN
        RAISE EXCEPTION 'access of user % has changed', who[1] USING ERRCODE = 'GJ401';
    END IF;
    IF who[3] IS NOT NULL THEN
        PERFORM set_config('gaji.clients', ARRAY(
                    SELECT m.client_id FROM memberships m JOIN api_key_clients l USING (client_id)
                    WHERE m.user_id = who[1] AND m.role <> 'employee' AND l.key_id = who[3])::text, true),
                set_config('gaji.employees', ARRAY(
                    SELECT m.employee_id FROM memberships m JOIN api_key_clients l USING (client_id)
                    WHERE m.user_id = who[1] AND m.role = 'employee' AND l.key_id = who[3])::text, true);
    END IF;
    RETURN true;
END $$;

-- For a transaction that writes, of which the audit log tells more. A key that is not known to be without limits has
-- them.
CREATE OR REPLACE FUNCTION enter(
    entering_user bigint, remembered_version bigint, used_key bigint, request text, actor text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    maintenance text := set_config('gaji.maintenance', 'on', true);
    limiting_key bigint := used_key;
BEGIN
    IF EXISTS (SELECT FROM api_keys WHERE id = used_key AND NOT limited) THEN
        limiting_key := NULL;
    END IF;
    PERFORM open_tenancy(ARRAY[entering_user, remembered_version, limiting_key]),
            set_config('gaji.key', coalesce(used_key::text, ''), true), set_config('gaji.request', request, true),
            set_config('gaji.actor', actor, true);
END $$;

-- For a statement that reads: a parameter of this type opens the tenancy of the statement that it belongs to, and keeps
-- it from writing. PostgreSQL checks parameters when they are bound, which is before it plans and runs the statement,
-- and in the same transaction. Were it ever otherwise, nothing would be set when the policies ask: there are no rows.
CREATE DOMAIN entrance AS bigint[]
    CHECK (open_tenancy(VALUE) AND set_config('transaction_read_only', 'on', true) = 'on');

REVOKE ALL ON FUNCTION open_tenancy(bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION open_tenancy(bigint[]) TO gaji_app;
