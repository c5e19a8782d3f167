# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a script so far: bodies, their links and forces, and what holds them apart from links."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..mechanism.bodies import IDENTITY, ZERO, Quaternion, Vector
from .forces import ForcePart
from .links import AT_ORIGIN, Axis, Pose, Velocity


@dataclass
class Link:
    """The joint between a body and its parent: `distal` frame in the parent, `proximal` frame in the child."""

    parent: str
    distal: Pose = AT_ORIGIN
    proximal: Pose = AT_ORIGIN
    explicit: Axis | None = None
    q: float = 0.0
    qdot: float = 0.0

    @property
    def axis(self) -> Axis:
        """The axis, in the child: an explicit one, or Z of the proximal frame."""
        return self.explicit or Axis.of_frame(self.proximal)

    def child(self, parent: Pose, q: float) -> Pose:
        """The frame of the child."""
        return parent @ self.distal @ self.proximal.inverse() @ self.axis.displacement(q)


@dataclass
class BodyPart:
    """A body; its frame is that of its principal axes of inertia at its centre of mass (thesis 5.3.1)."""

    name: str
    link: Link | None = None
    mass: float = 1.0
    inertia: Vector = (1.0, 1.0, 1.0)
    position: Vector = ZERO
    orientation: Quaternion = IDENTITY
    linear: Vector = ZERO  # velocities along the body's own axes
    angular: Vector = ZERO
    forces: dict[str, ForcePart] = field(default_factory=dict)
    hold: str = "free"  # or nail, move_to_point: from the start
    is_held: bool = False  # at this time
    path: list[tuple[float, Vector]] = field(default_factory=list)  # s, where its origin is told to be then

    @property
    def has_gravity(self) -> bool:
        """True if a gravity force is instanced."""
        return any(force.kind == "gravity" for force in self.forces.values())


def joint_name(child: str) -> str:
    """The mechanism file's name for the joint between a body and its parent."""
    return f"joint of {child}"


@dataclass
class Change:
    """Something that happens while time goes by."""

    time: float  # s
    force: ForcePart | None = None
    options: dict[str, tuple] = field(default_factory=dict)
    is_on: bool | None = None
    body: BodyPart | None = None  # that is let go


Places = dict[str, Pose]


def places(bodies: dict[str, BodyPart], *, at_zero: bool) -> Places:
    """Frames of all bodies at the start: at zero coordinates, or at the q of their links. Parents come first."""
    result: Places = {}
    for body in bodies.values():
        if body.link is None:
            result[body.name] = Pose(body.position, body.orientation)
        else:
            result[body.name] = body.link.child(result[body.link.parent], 0.0 if at_zero else body.link.q)
    return result


def velocities(bodies: dict[str, BodyPart], where: Places) -> dict[str, Velocity]:
    """Velocities of all bodies at the start."""
    result: dict[str, Velocity] = {}
    for body in bodies.values():
        here = where[body.name]
        if body.link is None:
            result[body.name] = Velocity(here.vector(body.angular), here.vector(body.linear))
            continue
        inner = where[body.link.parent]
        arm = tuple(b - a for a, b in zip(inner.position, here.position, strict=True))
        carried = result[body.link.parent].carried(arm)
        own = (here.vector(part) for part in body.link.axis.spatial())
        result[body.name] = Velocity(
            *(
                tuple(a + body.link.qdot * b for a, b in zip(part, other, strict=True))
                for part, other in zip(carried, own, strict=True)
            )
        )
    return result


@dataclass
class Parts:
    """All of it."""

    bodies: dict[str, BodyPart] = field(default_factory=dict)
    forces: list[ForcePart] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    rubbers: set[str] = field(default_factory=set)  # names
    _latest: dict[str, Change] = field(default_factory=dict)  # by the force's full name

    def change_force(self, time: float, force: ForcePart, options: dict[str, tuple]) -> None:
        """Give a force other values; in the file itself if it has not acted yet."""
        force.options |= options
        if time == force.since:
            force.first |= options
        else:
            self._at(time, force).options.update(options)

    def switch(self, time: float, force: ForcePart, is_on: bool) -> None:
        """Turn a force on or off."""
        force.is_on = is_on
        if time == 0.0:
            force.is_on_first = is_on
        else:
            self._at(time, force).is_on = is_on

    def _at(self, time: float, force: ForcePart) -> Change:
        """The change of a force at this time; what is said about it at one time is one change."""
        change = self._latest.get(force.full_name)
        if change is None or change.time != time:
            change = self._latest[force.full_name] = Change(time, force)
            self.changes.append(change)
        return change
