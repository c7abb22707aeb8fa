-- Older servers: continue
-- Migrations that servers without them cannot work with. Earlier ones were not made for running servers.
ALTER TABLE schema_migrations ADD COLUMN stops_older_servers boolean NOT NULL DEFAULT true;
