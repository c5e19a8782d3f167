# SPDX-License-Identifier: GPL-3.0-or-later
"""How each linkage of a take was integrated, and why so, in words for the panel Inspect."""

import math
from collections.abc import Iterable

from ...solver import Recording
from ...solver.simulation.recording import Change, LinkageWork

NAMES = {
    "adams": "Adams' method",
    "implicit": "Implicit steps",
    "impulse": "Steps with impulses",
    "runge-kutta": "Runge and Kutta's method",
    "variational": "Perpetual",
    "quasi-static": "Quasi-Static",
    "adaptive": "Adaptive",
}
FEW = 3  # changes that are told one by one
MUCH = 1000.0  # times as far: nobody need know it more closely


def told_by_bodies(recording: Recording, first: int, rate: float) -> dict[int, str]:
    """A line or more for each body of a linkage, by its place; `first` frame, `rate` frames per second."""
    found: dict[int, list[str]] = {}
    for work in recording.work:
        lines = _told(work, first, rate)
        for body in work.bodies:
            before = found.setdefault(body, [])
            if before:
                before.append(f"From frame {first + rate * work.begun:.4g} on, as another linkage:")
            before += lines
    return {body: "\n".join(lines) for body, lines in found.items()}


def _told(work: LinkageWork, first: int, rate: float) -> list[str]:
    order = f", of order {work.order} at last" if work.order else ""
    lines = [_reason(work), f"{work.steps:,} steps{order}; {work.evaluations:,} evaluations"]
    if work.changes and work.stiffest is not None:
        lines.append(f"Its quickest spring or damper is that of {work.stiffest[1]}")
    lines += [_change(change, first, rate) for change in work.changes[:FEW]]
    more = len(work.changes) - FEW
    return lines + ([f"{more} more such changes"] if more > 0 else [])


def _reason(work: LinkageWork) -> str:
    name = NAMES[work.integrator]
    if not work.is_chosen:
        return f"{name}, as chosen in Bake > Details"
    if work.integrator == "impulse":
        return f"{name}, since it may touch something"
    if work.integrator == "implicit":
        return f"{name}, since stiffness bounds those of Adams' method"
    return f"{name}: what is stiff does not bound its steps" + (" any more" if work.changes else "")


def _change(change: Change, first: int, rate: float) -> str:
    """`Implicit steps from frame 1.2 on: 40 times as far for the same work`."""
    how = f"{change.farther:.2g} times as far" if change.farther < MUCH else f"over {MUCH:,.0f} times as far"
    how = "still on trial" if math.isnan(change.farther) else f"{how} for the same work"
    return f"{NAMES[change.integrator]} from frame {first + rate * change.time:.4g} on: {how}"


def first_told(told: dict[int, str], bodies: Iterable[int]) -> str:
    """That of the first body which has some; "" if none has."""
    return next((told[body] for body in bodies if body in told), "")
