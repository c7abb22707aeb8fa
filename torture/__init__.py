"""The long fault runs of `make torture`: real processes are killed at random moments, and what was acknowledged is
compared with what is there."""
