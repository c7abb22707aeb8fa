"""Employees: who is paid."""
