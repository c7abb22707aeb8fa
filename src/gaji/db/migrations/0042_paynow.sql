-- The mobile number, NRIC, FIN or UEN that an employee is paid to by PayNow, and its copy on finalised payslips.
ALTER TABLE employees ADD COLUMN paynow_sealed bytea, ADD COLUMN paynow_masked text;
ALTER TABLE payslip_snapshots ADD COLUMN paynow_sealed bytea, ADD COLUMN paynow_masked text;
