-- Older servers: stop
-- Owners are told by mail when a webhook endpoint is disabled because its deliveries fail.

-- As in 0062. Returns whether the endpoint has been disabled.
DROP FUNCTION finish_webhook_delivery(bigint, bigint, boolean, jsonb, interval, text);
CREATE FUNCTION finish_webhook_delivery(of_client bigint, delivery bigint, succeeded boolean, result jsonb, delay interval,
                                        reason_to_disable text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    endpoint bigint;
BEGIN
    PERFORM begin_maintenance(), set_config('gaji.actor', 'worker', true);
    UPDATE webhook_deliveries d
    SET state = CASE WHEN succeeded THEN 'delivered' WHEN delay IS NULL THEN 'failed' ELSE 'pending' END,
        attempts = d.attempts + 1, attempt_log = d.attempt_log || result, leased_until = NULL,
        next_attempt_at = coalesce(now() + delay, d.next_attempt_at)
    WHERE d.client_id = of_client AND d.id = delivery AND d.state = 'pending'
    RETURNING d.endpoint_id INTO endpoint;
    IF succeeded THEN
        UPDATE webhook_progress SET failures = 0 WHERE endpoint_id = endpoint AND failures > 0;
    ELSE
        UPDATE webhook_progress SET failures = failures + 1 WHERE endpoint_id = endpoint;
    END IF;
    IF reason_to_disable IS NULL THEN
        RETURN false;
    END IF;
    UPDATE webhook_endpoints SET enabled = false, disabled_reason = reason_to_disable, updated_at = now()
    WHERE id = endpoint AND enabled;
    RETURN FOUND;
END $$;

-- For the worker: queues a message to the owners of the client of an endpoint, or for an endpoint of all clients to the
-- administrators of the account. Returns how many.
CREATE FUNCTION queue_webhook_mail(endpoint bigint, of_kind text, with_parameters jsonb) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    queued integer;
BEGIN
    PERFORM begin_maintenance();
    INSERT INTO outgoing_mail (account_id, kind, recipient, parameters)
    SELECT e.account_id, of_kind, u.email, with_parameters
    FROM webhook_endpoints e JOIN users u ON u.account_id = e.account_id
    WHERE e.id = endpoint AND NOT e.enabled AND u.disabled_at IS NULL
      AND CASE WHEN e.for_client_id IS NULL THEN u.administrator
               ELSE EXISTS (SELECT FROM memberships m
                            WHERE m.client_id = e.for_client_id AND m.user_id = u.id AND m.role = 'owner') END;
    GET DIAGNOSTICS queued = ROW_COUNT;
    RETURN queued;
END $$;

REVOKE ALL ON FUNCTION finish_webhook_delivery(bigint, bigint, boolean, jsonb, interval, text),
    queue_webhook_mail(bigint, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION finish_webhook_delivery(bigint, bigint, boolean, jsonb, interval, text),
    queue_webhook_mail(bigint, text, jsonb) TO gaji_app;
