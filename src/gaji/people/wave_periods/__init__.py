"""Wave periods: the waves that an employee is and was paid by."""
