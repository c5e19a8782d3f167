# SPDX-License-Identifier: GPL-3.0-or-later
"""The forces of the command language: their options, in the body's own frame, and what the mechanism file says for it.

A spatial force is (force, torque) here: the thesis keeps rotation and translation of forces in the other order than
those of motions (Schroeder 1990, 5.5.1 and eq. A.13), and `motor` carries the pair by `affine(loc, E)` (6.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..mechanism import Brake, Damping, Gravity, Motor, Rubber, Support
from ..mechanism.bodies import IDENTITY, ZERO
from ..mechanism.forces import Force
from ..mechanism.record import fields_of
from .links import Pose
from .words import Given, Options, obey, unit_quaternion

OPTIONS: dict[str, Options] = {
    "gravity": {"-g": "g"},
    "motor": {"-f": "fx fy fz tx ty tz", "-t": "x y z", "-E": "w x y z"},
    "damping": {"-d": "d"},
    "support": {"-d": "d", "-k": "k", "-s": "x y z"},
    "brake": {"-d": "d", "-t": "x y z"},
    "rubber": {"-k": "k", "-l": "l", "-e": "e", "-lone": "x y z", "-ltwo": "x y z"},
}

# What a force is before anything is said about it. A number that a script does not give is zero, but for these two.
_EARTH = (9.81,)
_LOSSLESS = (1.0,)
_RECORDS: dict[str, tuple[type[Force], dict[str, tuple]]] = {
    "gravity": (Gravity, {"-g": _EARTH}),
    "motor": (Motor, {"-f": (0.0,) * 6, "-t": ZERO, "-E": IDENTITY}),
    "damping": (Damping, {"-d": (0.0,)}),
    "support": (Support, {"-d": (0.0,), "-k": (0.0,), "-s": ZERO}),
    "brake": (Brake, {"-d": (0.0,), "-t": ZERO}),
    "rubber": (Rubber, {"-k": (0.0,), "-l": (0.0,), "-e": _LOSSLESS, "-lone": ZERO, "-ltwo": ZERO}),
}

_PLACES = {"point": 0, "point_a": 0, "point_b": 1}  # keys of points, and in which of the force's bodies


def _settings(kind: str, option: str, values: tuple) -> dict[str, Any]:
    """The keys of the mechanism file that an option sets; points and orientations still in the body's frame."""
    match kind, option:
        case "gravity", "-g":
            return {"acceleration": (0.0, 0.0, -values[0])}
        case "motor", "-f":
            return {"force": values[:3], "torque": values[3:]}
        case "motor", "-E":
            return {"orientation": values}
        case "damping", "-d":
            return {"linear": values[0], "angular": values[0]}
        case _, "-d":
            return {"damping": values[0]}
        case _, "-k":
            return {"stiffness": values[0]}
        case "rubber", "-l":
            return {"rest_length": values[0]}
        case "rubber", "-e":
            return {"restitution": values[0]}
        case "rubber", "-lone":
            return {"point_a": values}
        case "rubber", "-ltwo":
            return {"point_b": values}
        case _:  # -t of motor and brake, -s of support
            return {"point": values}


@dataclass
class ForcePart:
    """A force as far as a script has told: the file's part, and what changes while time goes by."""

    kind: str
    name: str  # in the script
    bodies: tuple[str, ...]
    since: float = 0.0  # s, when it was instanced
    is_on: bool = True
    options: dict[str, tuple] = field(default_factory=dict)  # as they are now
    first: dict[str, tuple] = field(default_factory=dict)  # as they are in the file
    is_on_first: bool = True

    def __post_init__(self) -> None:
        self.options = dict(_RECORDS[self.kind][1])
        self.first, self.is_on_first = dict(self.options), self.since == 0.0

    @property
    def full_name(self) -> str:
        """Its name in the file, where forces of all bodies stand in one list."""
        return self.name if self.kind == "rubber" else f"{self.bodies[0]} {self.name}"

    def read(self, given: Given) -> dict[str, tuple]:
        """Options of a line, held to the rules of the mechanism file."""
        record, result = _RECORDS[self.kind][0], {}
        for option, values in given:
            if option == "-E":
                values = unit_quaternion(values, option)
            for key, value in _settings(self.kind, option, values).items():
                obey(fields_of(record)[key].metadata["rule"], value, option)
            result[option] = values
        return result

    def settings(self, changes: Mapping[str, tuple], poses: Mapping[str, Pose]) -> dict[str, Any]:
        """Options as keys of the file; points and frames in the world, where the bodies are at zero coordinates."""
        result: dict[str, Any] = {}
        for option, values in changes.items():
            result |= _settings(self.kind, option, values)
        for key, value in result.items():
            if key in _PLACES:
                result[key] = poses[self.bodies[_PLACES[key]]].point(value)
            elif key == "orientation":
                result[key] = (poses[self.bodies[0]] @ Pose(ZERO, value)).orientation
        return result

    def record(self, poses: Mapping[str, Pose]) -> Force:
        """The force as it is at the start of the file."""
        names = ("body",) if len(self.bodies) == 1 else ("body_a", "body_b")
        bodies = dict(zip(names, self.bodies, strict=True))
        values = self.settings(self.first, poses)
        return _RECORDS[self.kind][0](self.full_name, enabled=self.is_on_first, **bodies, **values)
