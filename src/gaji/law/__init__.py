"""What Singapore says. Imports nothing else of Gaji: no database, no clock, no HTTP."""
