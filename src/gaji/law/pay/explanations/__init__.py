"""How figures of pay came about that are not money, and those that other figures rest on.

The lines of a payslip are explained beside their rules: `incomplete_month`, `overtime`, `rest_days`, `days_at_rate`,
`deductions`.
"""
