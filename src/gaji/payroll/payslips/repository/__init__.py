"""The SQL of payslips."""
