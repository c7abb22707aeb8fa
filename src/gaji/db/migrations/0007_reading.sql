-- A read is one statement that opens its own tenancy, and so one way to the database and back.

-- What entering means, for whoever it is: the access must be what it was remembered as, and row-level security gets the
-- clients. Every request waits for this, hence two small statements and not one that covers every case: that one takes
-- a third longer. Called by the functions below, which run as the owner.
CREATE FUNCTION open_tenancy(entering_user bigint, remembered_version bigint, used_key bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    clients_seen bigint[];
    own_employees bigint[];
    account bigint;
    sees_all boolean;
BEGIN
    PERFORM set_config('gaji.maintenance', 'on', true);
    SELECT a.account_id, used_key IS NULL OR NOT k.limited INTO account, sees_all
    FROM user_access a LEFT JOIN api_keys k ON k.id = used_key
    WHERE a.user_id = entering_user AND a.version = remembered_version;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'access of user % has changed', entering_user USING ERRCODE = 'GJ401';
    END IF;
    IF sees_all THEN
        SELECT array_agg(m.client_id) FILTER (WHERE m.role <> 'employee'),
               array_agg(m.employee_id) FILTER (WHERE m.role = 'employee')
        INTO clients_seen, own_employees
        FROM memberships m
        WHERE m.user_id = entering_user;
    ELSE
        SELECT array_agg(m.client_id) FILTER (WHERE m.role <> 'employee'),
               array_agg(m.employee_id) FILTER (WHERE m.role = 'employee')
        INTO clients_seen, own_employees
        FROM memberships m JOIN api_key_clients l ON l.key_id = used_key AND l.client_id = m.client_id
        WHERE m.user_id = entering_user;
    END IF;
    PERFORM set_config('gaji.user', entering_user::text, true), set_config('gaji.account', account::text, true),
            set_config('gaji.clients', coalesce(clients_seen, '{}')::text, true),
            set_config('gaji.employees', coalesce(own_employees, '{}')::text, true);
END $$;

-- For a transaction that writes, which the audit log wants to know more about.
CREATE OR REPLACE FUNCTION enter(
    entering_user bigint, remembered_version bigint, used_key bigint, request text, actor text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM open_tenancy(entering_user, remembered_version, used_key),
            set_config('gaji.key', coalesce(used_key::text, ''), true), set_config('gaji.request', request, true),
            set_config('gaji.actor', actor, true);
END $$;

-- For a statement that reads, in a transaction of its own: `who` is the user, the remembered version, and the key.
CREATE FUNCTION enter_to_read(who bigint[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM open_tenancy(who[1], who[2], who[3]), set_config('transaction_read_only', 'on', true);
    RETURN true;
END $$;

-- A parameter of this type opens the tenancy of its statement: PostgreSQL checks parameters when they are bound, which
-- is before it plans and runs the statement, and in the same transaction. Were it ever otherwise, nothing would be set
-- when the policies ask, and there would be no rows.
CREATE DOMAIN entrance AS bigint[] CHECK (enter_to_read(VALUE));

REVOKE ALL ON FUNCTION open_tenancy(bigint, bigint, bigint), enter_to_read(bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION enter_to_read(bigint[]) TO gaji_app;
