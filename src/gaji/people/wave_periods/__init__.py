"""Wave periods: by which wave an employee was paid from when to when; continuous, the current one open."""
