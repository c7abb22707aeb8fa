"""What is done apart from requests, and the worker that does it."""
