"""Database access: connections, tenancy, migrations, backups and the encryption secret."""
