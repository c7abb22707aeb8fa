"""Names of the roles and the database of the embedded server."""

SUPERUSER = "postgres"
OWNER = "gaji_owner"
APPLICATION = "gaji_app"
DATABASE = "gaji"

ROLES = (SUPERUSER, OWNER, APPLICATION)
