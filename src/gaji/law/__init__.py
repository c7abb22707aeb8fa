"""Singapore's statutory rules and parameters. Imports no other Gaji package: no database, clock or HTTP."""
