"""Reports: rows about many payslips, balances or days of leave, at once or made by a job, as JSON or as files."""
