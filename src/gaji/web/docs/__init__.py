"""The API documentation: static HTML pages without scripts or external resources."""
