-- Older servers: continue
-- Whether an account of this installation has single sign-on. Only then does the sign-in page offer it.
CREATE FUNCTION offers_single_sign_on() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$
BEGIN
    PERFORM begin_maintenance();
    RETURN EXISTS (SELECT FROM single_sign_on WHERE enabled);
END $$;

REVOKE ALL ON FUNCTION offers_single_sign_on() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION offers_single_sign_on() TO gaji_app;
