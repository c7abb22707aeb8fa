"""What is due for a client, and when: pay runs, leave requests, CPF, levies and tax."""
