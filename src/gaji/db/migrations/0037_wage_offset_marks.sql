-- What wage offsets depend on beyond pay. The reasons for the credits are not stored.
ALTER TABLE employees ADD COLUMN business_owner boolean NOT NULL DEFAULT false,
    ADD COLUMN enabling_employment_credit_from date,
    ADD COLUMN enabling_new_hire boolean NOT NULL DEFAULT false,
    ADD COLUMN uplifting_employment_credit_from date;
