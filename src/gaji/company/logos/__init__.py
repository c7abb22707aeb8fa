"""The logo of a client, for payslips and the console."""
