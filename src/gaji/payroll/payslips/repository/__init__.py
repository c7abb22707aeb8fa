"""SQL that reads, writes and locks payslips."""
