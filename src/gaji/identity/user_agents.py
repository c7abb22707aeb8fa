"""Names of devices, from what their browsers say."""

BROWSERS = (("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
"""The first that matches is used, because browsers also name those that they resemble."""
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "Mac"),
    ("Linux", "Linux"),
)
MAX_LENGTH = 300
"""Of the stored text."""


def device_name(user_agent: str) -> str:
    """Return the name of a device for its user.

    >>> device_name("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0")
    'Edge on Windows'
    >>> device_name("curl/8.5"), device_name("Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko Firefox/132.0")
    ('Unknown device', 'Firefox on Linux')
    """
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    return " on ".join(filter(None, (browser, system))) or "Unknown device"
