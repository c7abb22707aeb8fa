-- Tax residence: tax is withheld on the fees of directors who are not resident.
ALTER TABLE employees ADD COLUMN tax_resident boolean NOT NULL DEFAULT true,
    -- Days by calendar year.
    ADD COLUMN days_in_singapore jsonb NOT NULL DEFAULT '{}';
