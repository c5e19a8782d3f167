# SPDX-License-Identifier: GPL-3.0-or-later
"""The command language of the thesis (Schroeder 1990, 6.6) as an input: a text that builds a mechanism and runs it.

    script = Script.load("tensegrity.ves")
    recording = simulate(script.mechanism, script.duration, script.frame_rate)

A script is obeyed once, from its first line to its last, with a clock that only `step` moves. Commands before the first
step describe the start; what later ones change becomes the mechanism's actions. docs/command-language.md tells all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ..mechanism import Mechanism
from ..mechanism.error import refuse
from ..mechanism.file import wrong_file
from ..mechanism.include import read_file
from ..mechanism.messages import Message
from ..mechanism.value_rules import Problems, line, shown
from ..simulation.recording import Recording
from .answers import Question, answers
from .building import mechanism
from .commands import Reader
from .parts import BodyPart
from .words import LONGEST_LINE, Wrong, lines

SUFFIX = ".ves"
LARGEST_FILE = 16_000_000  # bytes


@dataclass
class Script:
    """A mechanism with its actions, and what was said about the run; None where nothing was said."""

    mechanism: Mechanism
    duration: float | None = None  # s
    frame_rate: float | None = None
    clock: float = 0.0  # s, what the script's clock shows at the start
    relative: float | None = None  # tolerances
    absolute: float | None = None
    notes: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    bodies: dict[str, BodyPart] = field(default_factory=dict)

    @classmethod
    def load(cls, path: str | os.PathLike, mends: bool = False) -> Script:
        """A script (.ves), or a mechanism file, which says nothing about the run. Raises MechanismError.

        `mends`: impossible inertias become the nearest possible ones, and `notes` say so.
        """
        path = Path(path)
        if path.suffix.lower() == SUFFIX:
            return parse(_text(path), os.fsdecode(path), mends)
        data, notes = read_file(path, Mechanism.from_dict, mends)
        return cls(Mechanism.from_dict(data), notes=notes)

    def answers(self, recording: Recording, tolerances: tuple[float, float]) -> Iterator[str]:
        """Answers of the script's printing commands, line by line, once it has run with these tolerances."""
        return answers(self.questions, self.bodies, recording, tolerances)


def parse(text: str, name: str = "script", mends: bool = False) -> Script:
    """Obey a script's text. Raises MechanismError with a line `NAME:LINE: COMMAND: REASON` for every wrong line."""
    reader, found = Reader(mends), Problems()
    with suppress(Problems.Enough):
        for number, words in lines(text):
            if words is None:
                found.append(Message("long-line", file=name, line=number, most=LONGEST_LINE))
                continue
            try:
                reader.obey(number, words)
            except Wrong as wrong:
                command, what = _command(words[0]), str(wrong)
                found.append(Message("wrong-command", file=name, line=number, command=command, what=what))
    refuse(found)
    built = mechanism(reader.parts, Path(name).stem)
    refuse(Message("wrong-script", file=line(name), what=problem) for problem in built.problems())
    return Script(
        built,
        duration=reader.now if reader.has_stepped else None,
        frame_rate=reader.frame_rate,
        clock=reader.clock_at_start,
        relative=reader.tolerances.get("-r"),
        absolute=reader.tolerances.get("-a"),
        notes=reader.notes,
        questions=reader.questions,
        bodies=reader.parts.bodies,
    )


def _command(word: str) -> str:
    return word if word.isidentifier() and len(word) < 40 else shown(word)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            refuse([wrong_file(path, f"is larger than {LARGEST_FILE // 1_000_000} MB")])
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        refuse([wrong_file(path, f"is not text: byte {error.start} is not UTF-8")], error)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        refuse([wrong_file(path, f"cannot be read: {line(reason)}")], error)
