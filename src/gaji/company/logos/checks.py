"""The check that a logo can be printed. The layer of documents provides it."""

from collections.abc import Awaitable

from gaji.company.logos.rules import LogoImage
from gaji.core.providers import Provider

check_printable: Provider[[int, LogoImage], Awaitable[None]] = Provider("check_printable")
"""Takes the account and the logo. Raises ValidationError if its pixels cannot be read."""
