-- Whether the days of part-time employees are in proportion to their hours, and the hours of a similar full-time employee.
ALTER TABLE leave_policies
    ADD COLUMN prorate_part_time boolean NOT NULL DEFAULT false,
    ADD COLUMN full_time_week_millihours integer NOT NULL DEFAULT 44000 CHECK (full_time_week_millihours BETWEEN 35000 AND 60000),
    ADD COLUMN full_time_day_millihours integer NOT NULL DEFAULT 8000 CHECK (full_time_day_millihours BETWEEN 1000 AND 24000);
