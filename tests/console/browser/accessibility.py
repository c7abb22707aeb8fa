"""Accessibility and layout checks of a page."""

from typing import Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, ViewportSize

Scheme = Literal["light", "dark"]
Appearance = tuple[Scheme, ViewportSize]

LIGHT_AND_WIDE: Appearance = ("light", {"width": 1280, "height": 900})
DARK_AND_NARROW: Appearance = ("dark", {"width": 390, "height": 844})

# Collapsed details are checked too.
OPEN_DETAILS = "document.querySelectorAll('details').forEach((details) => { details.open = true; })"
# The contrast of text takes most of the time of axe, so it is checked for two of all texts that look alike: they and
# their ancestors have the same tags, classes and styles. Two, because axe cannot judge a text that something covers.
CONTRAST_OF_ALIKE_TEXTS = """() => {
    const styles = ["color", "backgroundColor", "backgroundImage", "fontSize", "fontWeight", "opacity", "position"];
    const rule = axe._audit.rules.find(({ id }) => id === "color-contrast");
    const matches = rule.matches;
    let looks, counts;
    const lookOf = (element) => {
        if (!element) return "";
        if (!looks.has(element)) {
            const computed = getComputedStyle(element);
            const own = [element.tagName, element.getAttribute("class"), element.disabled];
            const look = [lookOf(element.parentElement), ...own, ...styles.map((name) => computed[name])].join();
            looks.set(element, look);
        }
        return looks.get(element);
    };
    rule.matches = (element, ...rest) => {
        const count = counts.get(lookOf(element)) ?? 0;
        if (count === 2 || !matches(element, ...rest)) return false;
        counts.set(lookOf(element), count + 1);
        return true;
    };
    window.forgetLooks = () => { looks = new Map(); counts = new Map(); };
}"""
# Serious and critical findings of axe. Rules with a lower impact do not run.
AXE_FINDINGS = """async () => {
    const isSerious = ({ impact }) => ["serious", "critical"].includes(impact);
    const rules = axe._audit.rules.filter((rule) => rule.enabled && (!rule.impact || isSerious(rule)));
    const runOnly = { type: "rule", values: rules.map((rule) => rule.id) };
    forgetLooks();
    const { violations } = await axe.run(document, { resultTypes: ["violations"], preload: false, runOnly });
    return violations
        .filter(isSerious)
        .map(({ id, help, nodes }) => `${id} (${help}): ${nodes.slice(0, 3).map((node) => node.target).join("; ")}`);
}"""
LAYOUT_PROBLEMS = """() => {
    const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
    const duplicates = ids.filter((id, index) => ids.indexOf(id) !== index);
    const headings = document.querySelectorAll("h1").length;
    return [
        ...(document.documentElement.scrollWidth > innerWidth ? ["is wider than the window"] : []),
        ...(headings === 1 ? [] : [`has ${headings} h1 headings`]),
        ...duplicates.map((id) => `has the ID ${id} twice`),
    ];
}"""


def page_problems(page: Page, *appearances: Appearance) -> list[str]:
    """Return the problems of the open page, for each colour scheme and window size."""
    page.evaluate(AXE_SCRIPT)
    page.evaluate(CONTRAST_OF_ALIKE_TEXTS)
    page.evaluate(OPEN_DETAILS)
    # Begin with the size that the window has: a new layout takes longer than the checks of a small page.
    ordered = sorted(appearances, key=lambda appearance: appearance[1] != page.viewport_size)
    return [error for scheme, size in ordered for error in _faults(page, scheme, size)]


def _faults(page: Page, scheme: Scheme, size: ViewportSize) -> list[str]:
    if page.viewport_size != size:
        page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)
    return [
        f"{scheme}, {size['width']} px: {item}"
        for item in [*page.evaluate(LAYOUT_PROBLEMS), *page.evaluate(AXE_FINDINGS)]
    ]
