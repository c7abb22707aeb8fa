-- Correction runs: once-off payslips that have only the differences of finalised payslips.
ALTER TABLE payment_runs ADD COLUMN corrects bigint,
    ADD CONSTRAINT payment_runs_correction CHECK (corrects IS NULL OR special),
    ADD CONSTRAINT payment_runs_corrects FOREIGN KEY (client_id, corrects) REFERENCES payment_runs;
CREATE INDEX payment_runs_corrects ON payment_runs (client_id, corrects) WHERE corrects IS NOT NULL;

-- While the run is being opened, its drafts are withdrawn until their differences are known.
ALTER TABLE payslips ADD COLUMN corrects bigint,
    ADD CONSTRAINT payslips_correction CHECK (corrects IS NULL OR special),
    ADD CONSTRAINT payslips_corrects FOREIGN KEY (client_id, corrects) REFERENCES payslips;
CREATE INDEX payslips_corrects ON payslips (client_id, corrects) WHERE corrects IS NOT NULL;
