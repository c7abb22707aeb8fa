"""The names inside the cluster: its three roles and its one database."""

SUPERUSER = "postgres"
OWNER = "gaji_owner"
APPLICATION = "gaji_app"
DATABASE = "gaji"

ROLES = (SUPERUSER, OWNER, APPLICATION)
