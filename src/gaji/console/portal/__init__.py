"""The pages of people who are paid: their own payslips, leave and details, and nothing else."""
