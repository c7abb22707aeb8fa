"""Payslip PDFs: single payslips, all payslips of a run, and clients' own templates."""
