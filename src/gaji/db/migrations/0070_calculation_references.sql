-- The IDs that other systems have for calculations, and texts that they store with them.

ALTER TABLE calculations ADD COLUMN external_id text, ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';
-- Partial, because most calculations have none and bulk input inserts thousands at once.
CREATE UNIQUE INDEX calculations_external_id ON calculations (client_id, external_id) WHERE external_id IS NOT NULL;
