"""Calculations: what is entered for payslips, for a client, a profile, an employee, or one payslip."""
