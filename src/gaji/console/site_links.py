"""Links to this site on paper, and whether phones can open them."""

from urllib.parse import urlsplit

from segno import make_qr

QR_MASK = 3
"""Any mask can be scanned. Comparing all of them takes three times as long."""
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


def draw_qr(url: str) -> str:
    """Return the SVG of a QR code with a link."""
    qr = make_qr(url, error="m", mask=QR_MASK, boost_error=False)
    return qr.svg_inline(border=2, omitsize=True, svgclass=None, lineclass=None)


def is_loopback(url: str) -> bool:
    """Return whether an address leads back to the computer or phone that opens it.

    >>> is_loopback("http://127.0.0.1:8000"), is_loopback("https://pay.example.com"), is_loopback("")
    (True, False, False)
    """
    return urlsplit(url).hostname in LOOPBACK_NAMES
