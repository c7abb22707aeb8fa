"""Reading of Markdown pages: headings, links, code spans and code blocks."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

FENCE = "```"
HEADING = re.compile(r"(#{1,6}) +(.*?)(?: +#+)?")
CODE_SPAN = re.compile(r"`([^`]+)`")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class MarkdownPage:
    """A Markdown page. Blocks of code are indented by four spaces or fenced."""

    path: Path

    @cached_property
    def _lines(self) -> list[tuple[str, bool]]:
        """The lines, each with whether it is code. An indented line is code only after a blank line or other code."""
        lines: list[tuple[str, bool]] = []
        in_fence = False
        may_start_code = True
        for line in self.path.read_text().splitlines():
            if line.lstrip().startswith(FENCE):
                in_fence = not in_fence
                continue
            is_code = in_fence or (line.startswith("    ") and may_start_code)
            lines.append((line, is_code))
            may_start_code = is_code or not line.strip()
        return lines

    @cached_property
    def prose(self) -> str:
        """The text without blocks of code."""
        return "\n".join(line for line, is_code in self._lines if not is_code)

    @property
    def links(self) -> list[str]:
        """The targets of links and images."""
        return LINK.findall(CODE_SPAN.sub("", self.prose))

    @property
    def code_spans(self) -> list[str]:
        """The texts between backticks, with the escapes of table cells undone."""
        return [span.replace("\\|", "|") for span in CODE_SPAN.findall(self.prose)]

    @property
    def anchors(self) -> set[str]:
        """The anchors of the headings, as GitHub derives them."""
        anchors: set[str] = set()
        for line in self.prose.splitlines():
            if match := HEADING.fullmatch(line):
                slug = re.sub(r"[^\w\- ]", "", match[2].lower()).replace(" ", "-")
                count = sum(anchor == slug or re.fullmatch(rf"{slug}-\d+", anchor) is not None for anchor in anchors)
                anchors.add(f"{slug}-{count}" if count else slug)
        return anchors

    def code_blocks(self, heading: str | None = None) -> list[str]:
        """Return the blocks of code of the page, or of the section with this heading."""
        blocks: list[list[str]] = []
        section: str | None = None
        was_code = False
        for line, is_code in self._lines:
            if not is_code and (match := HEADING.fullmatch(line)):
                section = match[2]
            if is_code and heading in (None, section):
                if not was_code:
                    blocks.append([])
                blocks[-1].append(line.removeprefix("    "))
            was_code = is_code
        return ["\n".join(block) for block in blocks]
