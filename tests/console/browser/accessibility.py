"""What is wrong with a page for those who cannot see it well, use it with a keyboard, or have a phone."""

from typing import Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, ViewportSize

Scheme = Literal["light", "dark"]
Look = tuple[Scheme, ViewportSize]

LIGHT_AND_WIDE: Look = ("light", {"width": 1280, "height": 900})
DARK_AND_NARROW: Look = ("dark", {"width": 390, "height": 844})

# What is folded is looked at too.
OPEN = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
# The rules of axe, but for those of no consequence; nothing is fetched for them.
FOUND = """async () => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"], preload: false });
    return violations
        .filter((one) => ["serious", "critical"].includes(one.impact))
        .map((one) => `${one.id} (${one.help}): ${one.nodes.slice(0, 3).map((node) => node.target).join("; ")}`);
}"""
OURS = """() => {
    const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
    const twice = ids.filter((id, place) => ids.indexOf(id) !== place);
    const headings = document.querySelectorAll("h1").length;
    return [
        ...(document.documentElement.scrollWidth > innerWidth ? ["is wider than the window"] : []),
        ...(headings === 1 ? [] : [`has ${headings} first headings`]),
        ...twice.map((id) => `has the id ${id} twice`),
    ];
}"""


def page_problems(page: Page, *looks: Look) -> list[str]:
    """What is wrong with the page that is open; it is loaded once, however often one looks."""
    page.evaluate(AXE_SCRIPT)
    page.evaluate(OPEN)
    return [fault for scheme, size in looks for fault in _faults(page, scheme, size)]


def _faults(page: Page, scheme: Scheme, size: ViewportSize) -> list[str]:
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)
    return [f"{scheme}, {size['width']} px: {one}" for one in [*page.evaluate(OURS), *page.evaluate(FOUND)]]
