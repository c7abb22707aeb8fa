"""Mark invalid cells of a workbook: a fill, and the error as a comment."""

import io
from collections.abc import Mapping
from typing import Any

FILL_COLOUR = "FFF4B6B0"
AUTHOR = "Gaji"
COMMENT_WIDTH, COMMENT_HEIGHT = 320, 120


def mark_cells(content: bytes, messages: Mapping[str, str]) -> bytes:
    """Return the workbook with a mark in each cell that has a message. Names of cells are such as `Employees!F12`.

    Only the worker process calls it, because a file can take any amount of time and memory.
    """
    import openpyxl  # takes longer than any other import, and most processes never need it

    workbook = openpyxl.load_workbook(io.BytesIO(content))
    sheets = {sheet.title.casefold(): sheet for sheet in workbook.worksheets}
    for name, message in messages.items():
        sheet_name, _, coordinate = name.partition("!")
        if coordinate and sheet_name.casefold() in sheets:
            _mark(sheets[sheet_name.casefold()][coordinate], message)
    file = io.BytesIO()
    workbook.save(file)
    return file.getvalue()


def _mark(cell: Any, message: str) -> None:
    from openpyxl.comments import Comment
    from openpyxl.styles import PatternFill

    cell.fill = PatternFill("solid", start_color=FILL_COLOUR)
    cell.comment = Comment(message[:1].upper() + message[1:], AUTHOR, width=COMMENT_WIDTH, height=COMMENT_HEIGHT)
