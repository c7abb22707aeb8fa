-- How long the records of a client are kept, in years, and whether a task enforces it. The statutory periods are the least.
CREATE TABLE retention_settings (
    client_id bigint PRIMARY KEY REFERENCES clients,
    enabled boolean NOT NULL DEFAULT false,
    years_after_leaving smallint NOT NULL CHECK (years_after_leaving >= 1),
    tax_years smallint NOT NULL CHECK (tax_years >= 5),
    certificate_years smallint NOT NULL CHECK (certificate_years >= 2),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CALL protect_client_rows('retention_settings');
CALL audit('retention_settings');
CALL keep_updated_at_monotonic('retention_settings');

-- For the worker: the clients whose retention periods are enforced.
CREATE FUNCTION clients_with_retention() RETURNS SETOF bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN QUERY SELECT r.client_id FROM retention_settings r WHERE r.enabled ORDER BY 1;
END $$;
REVOKE ALL ON FUNCTION clients_with_retention() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION clients_with_retention() TO gaji_app;
