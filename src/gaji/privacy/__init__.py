"""Personal data: what is held about a person, how long it is kept, and its erasure.

This package reads and changes rows of all tables about employees. `tables.py` lists them, and a test compares the list
with the schema of the database.
"""
