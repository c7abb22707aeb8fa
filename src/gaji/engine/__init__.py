"""Payslip calculation: money, pay periods, calculation types, batches, explanations, journals and leave balances.

Pure functions of their arguments: no database, no clock, no HTTP.
"""
