"""Calculations: the pay items of clients, profiles, employees and payslips."""
