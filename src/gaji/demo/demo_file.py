"""The file in the data folder that describes the demo."""

DEMO_FILE = "demo.json"
"""The API key of the demo, readable by the owner only, because it cannot be recovered. The password is not in it."""
