# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver's notes on a motion in an animator's measures: gaps beside the size of bodies, velocities as numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import bpy
import numpy as np

from ...solver import Recording
from ...solver.mechanism.messages import Message
from ..findings import Finding, of_solver
from ..parts.linkages import ends_of
from ..read.reading import BodyBinding, Reading

UNSAID = ("integrator",)
SEEN = 1e-4
"""Gaps of a smaller part of a body's size, or in rad, cannot be seen: curves follow the motion as closely as that."""


def findings_of(notes: Sequence[Message], reading: Reading, recording: Recording) -> list[Finding]:
    """Findings on what a person should know of these notes."""
    found = []
    for note in notes:
        if note.code in ("not-met", "past-limit", "limit-moved", "at-maximum"):
            found += _of_gap(note, reading)
        elif note.code == "velocities-changed" and note.values["when"] == "the start":
            found += _of_velocities(note, reading, recording)
        elif note.code not in UNSAID:
            found.append(of_solver(note, reading.scene, reading.first))
    return found


def _of_gap(note: Message, reading: Reading) -> Iterator[Finding]:
    """Nothing if it can't be seen; otherwise with its share of the body's size."""
    number, unit = note.values["gap"].split()
    gap, tie = float(number), reading.scene.objects.get(note.parts[0][1])
    bodies = [] if tie is None else ends_of(tie)
    largest = max(bodies, key=_size, default=None)
    share = gap if unit == "rad" or largest is None else gap / max(_size(largest), 1e-12)
    if share < SEEN:
        return
    if unit == "rad":
        said = f"{math.degrees(gap):.3g}°"
    else:
        percent = float(f"{100.0 * share:.2g}")
        said = note.values["gap"] + (f", {percent:g} % of the size of {largest.name}" if largest else "")
    yield of_solver(Message(note.code, *note.parts, **{**note.values, "gap": said}), reading.scene, reading.first)


def _size(body: bpy.types.Object) -> float:
    return max(body.dimensions)


def _of_velocities(note: Message, reading: Reading, recording: Recording) -> Iterator[Finding]:
    """A finding for each body that is named; none where all differ by less than one can read in the panels."""
    bodies = {binding.body.name: binding for binding in reading.bodies}
    numbers = {name: i for i, name in enumerate(recording.body_names)}
    moving = [binding for binding in reading.bodies if binding.body.motion == "dynamic"]
    if not any(_instead(binding, recording, numbers[binding.body.name]) for binding in moving):
        return
    for k, (_, name) in enumerate(note.parts):
        more = note.values["more"] if k == len(note.parts) - 1 else ""
        text = (
            f"starts with {_instead(bodies[name], recording, numbers[name]) or 'other velocities'}, to fit the joints"
        )
        yield Finding(bodies[name].object, text + (f"; so do{more.removeprefix(' and')}" if more else ""))


def _instead(binding: BodyBinding, recording: Recording, number: int) -> str:
    """`a velocity of (0, 0, 1) m/s instead of (0, 0, 2)`, and the same of its spin; "" if neither can be seen."""
    if binding.body.linear_velocity is None and binding.body.angular_velocity is None:
        return ""
    pairs = (
        ("a velocity of", "m/s", binding.body.linear_velocity, recording.linear_velocity[0, number], 1.0),
        ("a spin of", "°/s", binding.body.angular_velocity, recording.angular_velocity[0, number], 180.0 / math.pi),
    )
    told = []
    for what, unit, asked, got, factor in pairs:
        asked, got = factor * np.array(asked or (0.0, 0.0, 0.0)), factor * np.array(got)
        size = max(np.abs(asked).max(), np.abs(got).max())
        if np.abs(got - asked).max() > 1e-3 * size:
            told.append(f"{what} {_vector(got, size)} {unit} instead of {_vector(asked, size)}")
    return " and ".join(told)


def _vector(values: np.ndarray, size: float) -> str:
    return f"({', '.join('0' if abs(x) < 1e-5 * size else f'{x:.3g}' for x in values)})"
