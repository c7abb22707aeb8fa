"""Snapshots: what finalised payslips and runs show of records that can change later."""
