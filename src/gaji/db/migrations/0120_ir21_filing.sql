-- Older servers: continue
-- The day on which form IR21 of a leaver was sent. Null: not recorded, or the form is not required.

ALTER TABLE service_periods ADD COLUMN ir21_filed_on date;

-- For older servers, which undo a termination and change `ir21` without the column.
CREATE FUNCTION clear_ir21_filing() RETURNS trigger LANGUAGE plpgsql SET search_path = gaji, pg_temp AS $$
BEGIN
    NEW.ir21_filed_on := NULL;
    RETURN NEW;
END $$;
CREATE TRIGGER clear_ir21_filing BEFORE UPDATE ON service_periods FOR EACH ROW
    WHEN (NEW.ir21_filed_on IS NOT NULL AND (NEW.end_date IS NULL OR NEW.ir21 IS NOT TRUE))
    EXECUTE FUNCTION clear_ir21_filing();
