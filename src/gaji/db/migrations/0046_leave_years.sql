-- The month in which the leave years of a policy begin. Null: on the anniversaries of the first day of service.
ALTER TABLE leave_policies ADD COLUMN leave_year_start smallint CHECK (leave_year_start BETWEEN 1 AND 12);
