"""Accessibility and layout checks of a page."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import BrowserContext, Page, Route, ViewportSize

Scheme = Literal["light", "dark"]
Appearance = tuple[Scheme, ViewportSize]
Rules = Sequence[str] | None
"""The rules of axe that run. None stands for all."""

LIGHT_AND_WIDE: Appearance = ("light", {"width": 1280, "height": 900})
DARK_AND_NARROW: Appearance = ("dark", {"width": 390, "height": 844})
BOTH = (LIGHT_AND_WIDE, DARK_AND_NARROW)
# The rules whose result can differ between colour schemes.
COLOUR_RULES = ("color-contrast", "link-in-text-block")
# The rules whose result can differ between window sizes, for elements that are visible in both.
LAYOUT_RULES = (*COLOUR_RULES, "scrollable-region-focusable")

# Collapsed details are checked too.
OPEN_DETAILS = "document.querySelectorAll('details').forEach((details) => { details.open = true; })"
# The contrast of text takes most of the time of axe. A text that looks like one that has passed is not checked again:
# it has the same font and colour, and its ancestors have the same backgrounds. Positioned ancestors must be the same
# elements of the page, because they can cover others. Texts that axe cannot judge are tried twice on each page.
CONTRAST_OF_NEW_LOOKS = """() => {
    const rule = axe._audit.rules.find(({ id }) => id === "color-contrast");
    const check = axe._audit.checks["color-contrast"];
    const { matches } = rule;
    const { evaluate } = check;
    const passed = new Set();
    let looks, backgrounds, counts, texts;
    const cached = (map, element, read) => {
        if (!map.has(element)) map.set(element, read(element));
        return map.get(element);
    };
    const backgroundOf = (element) => element ? cached(backgrounds, element, readBackground) : "";
    const readBackground = (element) => {
        const { backgroundColor, backgroundImage, opacity, position, filter } = getComputedStyle(element);
        const isPlain = backgroundColor === "rgba(0, 0, 0, 0)" && backgroundImage === "none" && opacity === "1";
        const isPositioned = position !== "static" && position !== "relative";
        const own = isPlain ? "" : [backgroundColor, backgroundImage, opacity, filter].join();
        const place = isPositioned ? [element.tagName, element.getAttribute("class"), position].join() : "";
        return `${backgroundOf(element.parentElement)}|${own}|${place}`.replace(/\\|+/g, "|");
    };
    const lookOf = (element) => cached(looks, element, () => {
        const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
        return [backgroundOf(element), color, fontSize, fontWeight, textShadow].join();
    });
    rule.matches = (element, ...rest) => {
        const look = lookOf(element);
        if (passed.has(look)) texts.push(element);
        if (passed.has(look) || !matches(element, ...rest)) return false;
        texts.push(element);
        counts.set(look, (counts.get(look) ?? 0) + 1);
        return counts.get(look) <= 2;
    };
    check.evaluate = function (element, ...rest) {
        const result = evaluate.call(this, element, ...rest);
        if (result === true) passed.add(lookOf(element));
        return result;
    };
    const forgetLooks = () => { looks = new Map(); backgrounds = new Map(); counts = new Map(); };
    window.startChecks = () => { forgetLooks(); texts = []; };
    window.hasNewLooks = () => { forgetLooks(); return texts.some((text) => !passed.has(lookOf(text))); };
}"""
# Serious and critical findings of axe in the page, or in one element of it. Rules with a lower impact do not run.
AXE_FINDINGS = """async ({ only, root }) => {
    const isSerious = ({ impact }) => ["serious", "critical"].includes(impact);
    const rules = axe._audit.rules.filter((rule) => rule.enabled && (!rule.impact || isSerious(rule)));
    const runOnly = { type: "rule", values: only ?? rules.map((rule) => rule.id) };
    startChecks();
    const { violations } = await axe.run(root ?? document, { resultTypes: ["violations"], preload: false, runOnly });
    return violations
        .filter(isSerious)
        .map(({ id, help, nodes }) => `${id} (${help}): ${nodes.slice(0, 3).map((node) => node.target).join("; ")}`);
}"""
LAYOUT_PROBLEMS = """() => {
    const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
    const duplicates = ids.filter((id, index) => ids.indexOf(id) !== index);
    const headings = document.querySelectorAll("h1").length;
    return [
        ...(document.title.trim() ? [] : ["has no title"]),
        ...(document.documentElement.scrollWidth > innerWidth ? ["is wider than the window"] : []),
        ...(headings === 1 ? [] : [`has ${headings} h1 headings`]),
        ...duplicates.map((id) => `has the ID ${id} twice`),
    ];
}"""


COPY = """() => {
    const frame = document.body.cloneNode(true);
    frame.querySelector("main")?.replaceChildren();
    return { title: document.title, body: document.body.outerHTML, frame: frame.outerHTML };
}"""
PASTE = """({ title, body }) => {
    document.title = title;
    document.body.outerHTML = body;
    scrollTo(0, 0);
}"""
# A character for each element in the main element: whether it is visible.
VISIBLE_ELEMENTS = """() => [...document.querySelectorAll("main *")]
    .map((element) => (element.checkVisibility({ visibilityProperty: true }) ? "1" : "0"))
    .join("")"""


def page_problems(page: Page, *appearances: Appearance) -> list[str]:
    """Return the problems of the open page, for each colour scheme and window size."""
    _load_axe(page)
    page.evaluate(OPEN_DETAILS)
    # Begin with the size that the window has: a new layout takes longer than the checks of a small page.
    ordered = sorted(appearances, key=lambda appearance: appearance[1] != page.viewport_size)
    return [error for scheme, size in ordered for error in _problems_in(page, scheme, size)]


@dataclass(frozen=True)
class PageChecker:
    """Checks many pages in both colour schemes and window sizes.

    Each page is copied to a window of each size. Those windows stay open, so axe is compiled only once. What surrounds
    the main element is checked once, because many pages have the same frame. Most rules give the same result in all
    windows, so they are repeated in a later one only if it shows other elements.
    """

    windows: Sequence[tuple[Page, Appearance]]
    checked_frames: set[str] = field(default_factory=set)
    """Those of pages without problems."""

    def find_problems(self, page: Page) -> list[str]:
        """Return the problems of the open page. Scripts have run before: they do not run in the copy."""
        page.evaluate(OPEN_DETAILS)
        content = page.evaluate(COPY)
        root = "main" if content["frame"] in self.checked_frames else None
        problems: list[str] = []
        checked = ""
        for window, appearance in self.windows:
            window.evaluate(PASTE, content)
            visible = str(window.evaluate(VISIBLE_ELEMENTS))
            is_repeated = root is not None and not _shows_more(visible, checked)
            problems += _check_copy(window, appearance, LAYOUT_RULES if is_repeated else None, root)
            checked = visible
        if not problems and "<main" in content["frame"]:
            self.checked_frames.add(content["frame"])
        return problems


def _shows_more(visible: str, checked: str) -> bool:
    """Return whether an element is visible that was not when all rules were checked, if they were."""
    if not checked:
        return True
    return any(here > before for here, before in zip(visible, checked, strict=True))


def open_checker(context: BrowserContext) -> PageChecker:
    """Open the windows of a checker. They show the pages that the user of the context can see."""
    return PageChecker([(_open_copy(context, size), (scheme, size)) for scheme, size in BOTH])


def _open_copy(context: BrowserContext, size: ViewportSize) -> Page:
    """Open a page of the console without its scripts and its content security policy."""
    page = context.new_page()
    page.set_viewport_size(size)
    page.route("**/*.js*", lambda route: route.abort())
    page.route("**/sign-in", _fulfil_without_policy)
    page.goto("/sign-in")
    _load_axe(page)
    return page


def _fulfil_without_policy(route: Route) -> None:
    response = route.fetch()
    headers = {name: value for name, value in response.headers.items() if name != "content-security-policy"}
    route.fulfill(response=response, headers=headers)


def _check_copy(window: Page, appearance: Appearance, rules: Rules, root: str | None) -> list[str]:
    """Return the problems of a copy in one colour scheme, and those of its colours in the other one."""
    problems = _problems_in(window, *appearance, rules, root)
    other: Scheme = "light" if appearance[0] == "dark" else "dark"
    window.emulate_media(color_scheme=other)
    if window.evaluate("hasNewLooks()"):
        problems += _prefixed(other, appearance[1], _axe_findings(window, COLOUR_RULES, root))
    return problems


def _load_axe(page: Page) -> None:
    page.evaluate(AXE_SCRIPT)
    page.evaluate(CONTRAST_OF_NEW_LOOKS)


def _problems_in(
    page: Page, scheme: Scheme, size: ViewportSize, rules: Rules = None, root: str | None = None
) -> list[str]:
    if page.viewport_size != size:
        page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)
    return _prefixed(scheme, size, [*page.evaluate(LAYOUT_PROBLEMS), *_axe_findings(page, rules, root)])


def _axe_findings(page: Page, rules: Rules, root: str | None) -> list[str]:
    findings: list[str] = page.evaluate(AXE_FINDINGS, {"only": rules, "root": root})
    return findings


def _prefixed(scheme: Scheme, size: ViewportSize, problems: Sequence[str]) -> list[str]:
    return [f"{scheme}, {size['width']} px: {problem}" for problem in problems]
