"""Clients: the companies whose payroll is run."""
