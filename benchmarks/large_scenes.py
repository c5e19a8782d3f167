# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of 100 to 10,000 bodies in Blender: times that a person waits for, how they grow, and memory."""

import math

from .blender import ask_blender
from .machine import Machine
from .table import Row, Section

COUNTS = (100, 1_000, 5_000, 10_000)
STEPS = {
    "read": "reading",
    "check": "Check",
    "write": "writing keyframes",
    "bake": "bake to keys, 100 frames",
    "clear": "Clear Bake",
}
GOALS = {("loose", "bake"): (5_000, 30.0), ("loose", "clear"): (1_000, 0.5), ("linked", "clear"): (1_000, 0.5)}
LINEAR = 1.15  # an exponent that counts as being in proportion
TICK, OF_TICKS = 0.05, 1_000  # s; bodies
BLENDERS = ("Looking at", "the end")
"""Phases whose longest ticks are those in which Blender shows a frame anew."""


def measure(_machine: Machine) -> Section:
    """For each kind of scene a row for each step, with its times at all counts and the exponent of the last two."""
    section, version = Section("Blender: scenes of many bodies"), ""
    for kind in ("loose", "linked"):
        answers = {count: ask_blender(kind, count, module="blender_large") for count in COUNTS}
        for step, what in STEPS.items():
            section.rows.append(_growth(kind, step, what, {count: answer[step] for count, answer in answers.items()}))
        section.rows.append(_ticks(kind, answers[OF_TICKS]["longest"]))
        version = answers[OF_TICKS]["version"]
    section.rows += [_shapes(), _undo(), *_memory()]
    section.remarks = [
        f"Blender {version}; {', '.join(map(str, COUNTS))} bodies, seconds of processor time, one run of each",
        "ratio: the exponent between the last two counts; 1 is in proportion, 2 with the square",
        "a tick is what the window waits for between two looks at the mouse and at Esc; in brackets those in which "
        "Blender itself shows a frame for the first time",
    ]
    return section


def _growth(kind: str, step: str, what: str, seconds: dict[int, float]) -> Row:
    (few, before), (many, after) = list(seconds.items())[-2:]
    exponent = math.log(after / before) / math.log(many / few)
    count, most = GOALS.get((kind, step), (0, 0.0))
    return Row(
        f"{kind}: {what}",
        " / ".join(f"{each:.3g}" for each in seconds.values()) + " s",
        ratio=f"{exponent:.2f}",
        target=f"{most:g} s at {count}" if count else f"exponent < {LINEAR}",
        met=seconds[count] <= most if count else exponent < LINEAR,
    )


def _ticks(kind: str, longest: dict[str, float]) -> Row:
    ours = max(seconds for what, seconds in longest.items() if what not in BLENDERS)
    shown = max(longest[what] for what in BLENDERS)
    return Row(
        f"{kind}: longest tick of a bake of {OF_TICKS}",
        f"{1e3 * ours:.0f} ({1e3 * shown:.0f}) ms",
        target=f"{1e3 * TICK:.0f} ms",
        met=ours <= TICK,
    )


def _shapes() -> Row:
    answer = ask_blender("shapes", 2_000, module="blender_large")
    taken = f"{1e3 * answer['redraw']:.2f} ms; {1e3 * answer['moved']:.1f} ms at another frame"
    most = max(answer["redraw"], answer["moved"])
    return Row("Show Shapes, a redraw with 2000 bodies", taken, target="5 ms", met=most <= 0.005)


def _undo() -> Row:
    answer = ask_blender("undo", 1_000, module="blender_large")
    taken = f"{answer['push']:.2f} s to keep, {answer['undo']:.2f} s to undo"
    return Row("linked: a step of undo, 1000 bodies", taken, target="1 s", met=answer["undo"] <= 1.0)


def _memory() -> list[Row]:
    answer = {name: 1e-6 * size for name, size in _asked().items()}
    more = answer["most"] - answer["shown"]
    return [
        Row("memory: keys of 1000 bodies x 1000 frames", f"{answer['keys']:.0f} MB"),
        Row("such keys in Blender without a bake, shown", f"{answer['shown']:.0f} MB"),
        Row("what Inspect keeps", f"{answer['values']:.0f} MB"),
        Row(
            "most while it is baked, besides keys that are shown",
            f"{more:.0f} MB",
            target="these once more",
            met=more <= answer["shown"],
        ),
        Row("afterwards, with the keys", f"{answer['after']:.0f} MB"),
        Row("once it is cleared", f"{answer['cleared']:.0f} MB"),
    ]


def _asked() -> dict[str, int]:
    answer = ask_blender("memory", 1_000, 1_000, module="blender_large")
    return {name: size for name, size in answer.items() if name != "version"}
