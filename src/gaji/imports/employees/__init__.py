"""Employees as a spreadsheet: written whole, and read back whole or not at all."""
