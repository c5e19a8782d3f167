# SPDX-License-Identifier: GPL-3.0-or-later
"""One table of all that was measured, aligned for a terminal or as Markdown."""

from collections.abc import Iterable
from dataclasses import dataclass, field

HEADER = ("case", "ours", "others", "ratio", "target", "")
VERDICTS = {None: "", True: "met", False: "NOT MET"}


@dataclass
class Row:
    """One measurement; `met` is None where nothing was promised."""

    case: str
    ours: str
    others: str = ""
    ratio: str = ""
    target: str = ""
    met: bool | None = None

    def cells(self) -> tuple[str, ...]:
        return self.case, self.ours, self.others, self.ratio, self.target, VERDICTS[self.met]


@dataclass
class Section:
    """Rows that belong together, with remarks on how to read them."""

    title: str
    rows: list[Row] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def aligned(sections: Iterable[Section], closing: Iterable[str]) -> str:
    """The table for a terminal: one set of column widths for all sections."""
    sections = list(sections)
    lines = [HEADER] + [row.cells() for section in sections for row in section.rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADER))]

    def line(cells: tuple[str, ...]) -> str:
        return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()

    text = [line(HEADER), "  ".join("-" * width for width in widths)]
    for section in sections:
        text += [section.title.upper(), *(line(row.cells()) for row in section.rows)]
        text += [f"  {remark}" for remark in section.remarks]
        text.append("")
    return "\n".join([*text, *closing])


def markdown(sections: Iterable[Section], closing: Iterable[str]) -> str:
    """The same with one table for each section."""
    text = ["# Benchmarks", ""]
    for section in sections:
        text += [f"## {section.title}", "", _bar(HEADER), _bar(("---",) * len(HEADER))]
        text += [_bar(row.cells()) for row in section.rows]
        text += ["", *(f"- {remark}" for remark in section.remarks), ""]
    return "\n".join([*text, *(f"- {line}" for line in closing)]) + "\n"


def _bar(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def verdict_of(sections: Iterable[Section]) -> str:
    """The number of promises that were kept, and the names of those that were not."""
    promised = [(section, row) for section in sections for row in section.rows if row.met is not None]
    missed = [f"{section.title}, {row.case}" for section, row in promised if not row.met]
    kept = f"{len(promised) - len(missed)} of {len(promised)} targets met"
    return kept if not missed else f"{kept}; not met: {'; '.join(missed)}"
