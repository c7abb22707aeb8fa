"""Corrections: differences between what finalised payslips paid and what they should have paid."""
