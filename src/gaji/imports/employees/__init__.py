"""Employees as a workbook (XLSX): export, and import of all rows or none."""
