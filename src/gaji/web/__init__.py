"""The application: how a request gets to a service and its answer back."""
