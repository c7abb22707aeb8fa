"""Background tasks: the queue, the worker, and tasks whose state is a row in a table."""
