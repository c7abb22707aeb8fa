"""Every page of the console."""

from gaji.console import companies, files, signing_in
from gaji.console.pages import Page

PAGES: tuple[Page, ...] = tuple(page for subject in (files, signing_in, companies) for page in subject.pages.declared)
