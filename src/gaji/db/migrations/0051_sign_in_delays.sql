-- Attempts to sign in are counted for the email and the address together. After a number of failures, each further
-- attempt must wait longer. An attempt that is refused is not counted.

-- The keyed hash of the email that was tried, so that an operator can unlock it.
ALTER TABLE sign_in_attempts ADD COLUMN account_hash bytea;
CREATE INDEX sign_in_attempts_account ON sign_in_attempts (account_hash);

-- Records an attempt and returns 0, or returns the seconds to wait. Each subject has a number of free failures; the delay
-- doubles with each further one. One attempt of a subject at a time, so that concurrent attempts are counted.
DROP FUNCTION begin_sign_in(bytea[], interval);
CREATE FUNCTION begin_sign_in(account bytea, subjects bytea[], free_failures integer[], counted interval,
                              first_delay interval, longest_delay interval)
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
DECLARE
    wait_s double precision;
BEGIN
    PERFORM begin_maintenance();
    PERFORM pg_advisory_xact_lock(hashtextextended(encode(o.subject, 'hex'), 0))
    FROM (SELECT s AS subject FROM unnest(subjects) s ORDER BY s) o;
    DELETE FROM sign_in_attempts WHERE at < now() - counted;
    SELECT max(extract(epoch FROM a.last_at + least(first_delay * 2 ^ least(a.failures - l.free, 20), longest_delay) - now()))
    INTO wait_s
    FROM unnest(subjects, free_failures) AS l(subject, free)
         JOIN LATERAL (SELECT count(*)::integer AS failures, max(at) AS last_at FROM sign_in_attempts
                       WHERE subject_hash = l.subject) a ON a.failures >= l.free;
    IF wait_s > 0 THEN
        RETURN ceil(wait_s);
    END IF;
    INSERT INTO sign_in_attempts (subject_hash, account_hash) SELECT s, account FROM unnest(subjects) s;
    RETURN 0;
END $$;

REVOKE ALL ON FUNCTION begin_sign_in(bytea, bytea[], integer[], interval, interval, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION begin_sign_in(bytea, bytea[], integer[], interval, interval, interval) TO gaji_app;
