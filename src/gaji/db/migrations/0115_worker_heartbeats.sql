-- Older servers: continue
-- The heartbeats of workers. A worker that hangs keeps its connection, so only a missing heartbeat tells.
CREATE TABLE worker_heartbeats (
    backend_pid integer PRIMARY KEY,  -- of the worker's connection
    name text NOT NULL,
    beat_at timestamptz NOT NULL,
    is_late boolean NOT NULL DEFAULT false  -- another worker has noticed that it hangs
) WITH (fillfactor = 50);

-- Records a heartbeat. Returns the number of other workers that have ended without notice, or began to hang, since the
-- last call by any worker.
CREATE FUNCTION record_worker_heartbeat(worker_name text, max_age interval) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    ended bigint;
    hanging bigint;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);  -- do not wait for the disk or a standby
    INSERT INTO worker_heartbeats AS w VALUES (pg_backend_pid(), worker_name, clock_timestamp())
    ON CONFLICT (backend_pid) DO UPDATE SET name = excluded.name, beat_at = excluded.beat_at, is_late = false;
    -- Rows that are locked belong to workers that record a heartbeat now, or are being counted by another worker.
    WITH deleted AS (
        DELETE FROM worker_heartbeats WHERE backend_pid IN (
            SELECT w.backend_pid FROM worker_heartbeats w
            WHERE NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = w.backend_pid
                              AND a.datname = current_database() AND a.application_name = 'gaji worker')
            FOR UPDATE OF w SKIP LOCKED)
        RETURNING is_late)
    SELECT count(*) INTO ended FROM deleted WHERE NOT is_late;
    UPDATE worker_heartbeats SET is_late = true WHERE backend_pid IN (
        SELECT backend_pid FROM worker_heartbeats WHERE NOT is_late AND beat_at < clock_timestamp() - max_age
        FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS hanging = ROW_COUNT;
    RETURN ended + hanging;
END $$;

-- A worker that stops has returned its tasks to the queue.
CREATE FUNCTION delete_worker_heartbeat() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
    DELETE FROM worker_heartbeats WHERE backend_pid = pg_backend_pid();
$$;

-- The workers that are connected. Those of older versions have no heartbeat. The age is as of the transaction's start,
-- because later heartbeats may not be visible to it.
CREATE FUNCTION connected_workers() RETURNS TABLE (name text, heartbeat_age_s float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
    SELECT w.name, greatest(extract(epoch FROM now() - w.beat_at), 0)::float8
    FROM pg_stat_activity a LEFT JOIN worker_heartbeats w ON w.backend_pid = a.pid
    WHERE a.datname = current_database() AND a.application_name = 'gaji worker';
$$;

REVOKE ALL ON FUNCTION record_worker_heartbeat(text, interval), delete_worker_heartbeat(), connected_workers() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_worker_heartbeat(text, interval), delete_worker_heartbeat(), connected_workers() TO gaji_app;
