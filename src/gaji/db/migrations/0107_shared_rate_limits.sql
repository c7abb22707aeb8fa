-- Older servers: continue
-- The requests of each API key in the current minute, counted for all server processes together. A process reserves
-- several requests at a time. No process reserves much of what is left, because it may not use all of it.
CREATE TABLE rate_limit_windows (
    key_id bigint PRIMARY KEY,
    ends_at timestamptz NOT NULL,
    reserved integer NOT NULL
) WITH (fillfactor = 50);

CREATE FUNCTION reserve_requests(key bigint, wanted integer, max_requests integer, duration interval)
RETURNS TABLE (granted integer, unreserved integer, ends_in_s float8)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    rate_window rate_limit_windows;
BEGIN
    -- A request does not wait for the disk or a standby. After a crash, a fraction of a second is not counted.
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO rate_limit_windows AS w VALUES (key, clock_timestamp() + duration, 0)
    ON CONFLICT (key_id) DO UPDATE
    SET ends_at = CASE WHEN w.ends_at <= clock_timestamp() THEN excluded.ends_at ELSE w.ends_at END,
        reserved = CASE WHEN w.ends_at <= clock_timestamp() THEN 0 ELSE w.reserved END
    RETURNING w.* INTO rate_window;
    unreserved := greatest(0, max_requests - rate_window.reserved);
    granted := least(wanted, unreserved, greatest(1, unreserved / 8));
    unreserved := unreserved - granted;
    ends_in_s := extract(epoch FROM rate_window.ends_at - clock_timestamp());
    UPDATE rate_limit_windows w SET reserved = w.reserved + granted WHERE w.key_id = key;
    RETURN NEXT;
END $$;

CREATE FUNCTION delete_ended_rate_limit_windows() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
    DELETE FROM rate_limit_windows WHERE ends_at < now();
$$;

REVOKE ALL ON FUNCTION reserve_requests(bigint, integer, integer, interval),
    delete_ended_rate_limit_windows() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reserve_requests(bigint, integer, integer, interval),
    delete_ended_rate_limit_windows() TO gaji_app;
