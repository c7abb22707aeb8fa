-- Older servers: continue
-- The day on which form IR21 of a leaver was sent. Null: not recorded. Older servers do not write it.

ALTER TABLE service_periods ADD COLUMN ir21_filed_on date;
