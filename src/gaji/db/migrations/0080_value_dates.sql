-- The value date of a payment file that was downloaded, to propose it as the day on which the run was paid. Null if its payments have several dates, and
-- for files that were downloaded before.
ALTER TABLE downloaded_payment_files ADD COLUMN value_date date;
