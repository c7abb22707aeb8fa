-- Values of recurring calculations that hold from a date on, by that date. The columns hold the values without a date.
-- Null if no value has a date. The empty key means that the calculation does not exist before its first date.
ALTER TABLE calculations ADD COLUMN history jsonb,
    ADD CONSTRAINT calculations_dated CHECK (history IS NULL OR (payslip_id IS NULL AND num_nonnulls(employee_id, profile_id) = 1));
