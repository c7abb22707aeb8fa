"""Payslips as PDFs: one by one, all of a run in one file, and by a client's own template."""
