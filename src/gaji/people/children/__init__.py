"""Children of employees, for which the law grants leave."""
