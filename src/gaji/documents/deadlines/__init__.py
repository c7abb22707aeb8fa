"""What is due for a client, and when: pay runs, leave requests, CPF, the foreign worker levy and withheld tax."""
