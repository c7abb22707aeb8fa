-- Older servers: continue
-- Whether a payslip pays the regular hours of the period, because the employee is paid by the hour and no hours were
-- entered. The calculation sets it. Drafts from before have false until they are calculated again.
ALTER TABLE payslips ADD COLUMN pays_regular_hours boolean NOT NULL DEFAULT false;
