"""Print the address of the server when it is ready."""

import ssl
import threading
import time
import urllib.error
import urllib.request

POLL_ATTEMPTS = 600
POLL_INTERVAL_S = 0.1


def ready_text(address: str, is_new: bool) -> str:
    """Return the text that is printed when the server is ready.

    >>> ready_text("http://127.0.0.1:8000", is_new=False)
    'Gaji is ready. Open http://127.0.0.1:8000 in a browser to sign in. Press Ctrl-C to stop.'
    >>> print(ready_text("http://127.0.0.1:8000", is_new=True))
    Gaji is ready at http://127.0.0.1:8000. Press Ctrl-C to stop.
    There is no account yet. Create one in another terminal: gaji account create --name COMPANY --email EMAIL
    """
    if is_new:
        return (
            f"Gaji is ready at {address}. Press Ctrl-C to stop.\n"
            "There is no account yet. Create one in another terminal: gaji account create --name COMPANY --email EMAIL"
        )
    return f"Gaji is ready. Open {address} in a browser to sign in. Press Ctrl-C to stop."


def print_when_ready(address: str, text: str) -> None:
    """Print a text as soon as the server answers, without blocking."""

    # The certificate is for the name by which others reach the server.
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    def poll() -> None:
        for _ in range(POLL_ATTEMPTS):
            try:
                with urllib.request.urlopen(f"{address}/healthz", timeout=2, context=context):  # noqa: S310 - our own server
                    print(text, flush=True)
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(POLL_INTERVAL_S)

    threading.Thread(target=poll, name="readiness", daemon=True).start()
