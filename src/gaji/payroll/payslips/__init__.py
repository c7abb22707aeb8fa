"""Payslips: what each employee is paid in each pay period, from draft to finalised."""
