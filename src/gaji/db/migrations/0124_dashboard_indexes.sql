-- Older servers: continue
-- The dashboard and the list of companies count the unpaid payslips of each period. The columns after INCLUDE are those
-- of the result and of row-level security, so that the rows themselves are not read.
CREATE INDEX payslips_unpaid ON payslips (client_id, wave_id, period_offset)
    INCLUDE (employee_id, ss_released, date, pay_date, attention)
    WHERE NOT finalised AND NOT special AND NOT withdrawn;
-- Both pages also list leavers. Most service periods have no end.
CREATE INDEX service_periods_end ON service_periods (client_id, end_date) WHERE end_date IS NOT NULL;
