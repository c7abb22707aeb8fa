"""Custom employee fields: what a client records of its employees beyond the usual."""
