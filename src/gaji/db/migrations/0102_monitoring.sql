-- Older servers: continue
-- What monitoring shows: the backlogs of mail and webhooks, and when the last backup was completed.
CREATE TABLE last_backup (
    completed_at timestamptz NOT NULL,
    is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row)
);

-- Deliveries to endpoints that are disabled do not wait for anything.
CREATE FUNCTION monitored_backlogs()
RETURNS TABLE (mail_waiting bigint, mail_age_s float8, webhooks_waiting bigint, webhooks_age_s float8,
               last_backup_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY
    SELECT m.waiting, m.age_s, w.waiting, w.age_s, (SELECT b.completed_at FROM last_backup b)
    FROM (SELECT count(*) AS waiting, coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS age_s
          FROM outgoing_mail WHERE state IN ('queued', 'sending')) m,
         (SELECT count(*) AS waiting, coalesce(extract(epoch FROM now() - min(d.created_at)), 0)::float8 AS age_s
          FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
          WHERE d.state = 'pending' AND e.enabled) w;
END $$;
REVOKE ALL ON FUNCTION monitored_backlogs() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION monitored_backlogs() TO gaji_app;
