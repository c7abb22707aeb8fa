"""Payslip bundles: ZIP files with all payslips of a payment run, built by a background task."""
