-- Who is away in a month is looked up by its days, however many years of leave there are.
CREATE INDEX leave_days_date ON leave_days (client_id, date, employee_id, id);
