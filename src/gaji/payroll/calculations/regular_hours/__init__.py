"""Regular hours of employees: the calculation `week_hours`, which has a history and is called inherited in the API."""
