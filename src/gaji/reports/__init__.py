"""Reports: rows about payslips, balances or leave, synchronous or as background tasks, as JSON or files."""
