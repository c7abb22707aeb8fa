"""Explanations of pay figures that are not payslip lines, and of those that other figures are based on.

Payslip lines are explained next to their rules: `incomplete_month`, `overtime`, `rest_days`, `days_at_rate`,
`deductions`.
"""
