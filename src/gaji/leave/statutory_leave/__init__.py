"""The leave that the law grants an employee, with explanations."""
