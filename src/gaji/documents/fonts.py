"""Font coverage: which scripts the installed fonts can print."""

from gaji.documents.pdf_client import has_missing_glyphs

SCRIPTS = {"Latin": "Łukasz Nguyễn", "Chinese": "陈伟明 陳偉明", "Tamil": "மீனாட்சி"}
PACKAGES = {"Chinese": "fonts-wqy-microhei", "Tamil": "fonts-lohit-taml"}
"""The Debian package for each script. Typst includes Latin letters."""


async def missing_scripts() -> list[str]:
    """Return the scripts without a font. Text in these scripts is printed as boxes."""
    return [script for script, text in SCRIPTS.items() if await has_missing_glyphs(text)]
