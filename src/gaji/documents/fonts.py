"""The fonts of this machine: which scripts the names on documents can be printed in."""

from gaji.documents.pdf_client import has_missing_glyphs

SCRIPTS = {"Latin": "Łukasz Nguyễn", "Chinese": "陈伟明 陳偉明", "Tamil": "மீனாட்சி"}
PACKAGES = {"Chinese": "fonts-wqy-microhei", "Tamil": "fonts-lohit-taml"}
"""The Debian packages that have them. Latin letters come with Typst."""


async def missing_scripts() -> list[str]:
    """The scripts that no font of this machine has: what is written in them is printed as boxes."""
    return [script for script, text in SCRIPTS.items() if await has_missing_glyphs(text)]
