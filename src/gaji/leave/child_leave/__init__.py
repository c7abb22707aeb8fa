"""The leave that the law grants an employee for children, with explanations."""
