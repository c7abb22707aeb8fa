"""What a payslip is: money, pay periods, the calculation of a batch. Pure: no database, no clock, no HTTP."""
