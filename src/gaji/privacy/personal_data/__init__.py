"""Everything that is held about an employee, as JSON and PDF."""
