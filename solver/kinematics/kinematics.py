# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinematics: a mechanism with loops follows its drives, closed in every pose and always on the same branch.

    kinematics = Kinematics(mechanism, drives=["crank"])
    led = kinematics.lead({"crank": 0.5})
    positions, orientations = kinematics.poses()

Drives are coordinates of joints (rad, m), and the poses of all bodies that are not dynamic. There are no forces: what
the drives do not decide turns as little as can be.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..mechanism import Joint, Mechanism
from ..mechanism.error import refuse
from ..mechanism.keyed_motion import sample
from ..mechanism.messages import Message
from ..model.arrays import RECURSIVE
from ..model.linkage.compilation import compile_linkage
from ..model.poses import body_pose
from ..model.topology import find_linkages
from .led_linkage import LedLinkage
from .mobility import Mobility, mobility_of
from .steps import ARRIVED, LIMIT

_OF_FORCES = (
    *("stiffness", "rest", "damping", "friction", "static_friction", "stribeck_speed", "armature", "bounciness"),
    *("motor", "tau", "within"),
)


class Led(NamedTuple):
    """Result of a lead. notes: why it stopped, by name; none if all has arrived."""

    reached: float  # 1: all the way
    error: float  # rad, or parts of a linkage's size: what is open
    pivot: float  # how far the linkage that is nearest to a dead centre is from there: 1 far, 0 there
    notes: list[Message]


class Kinematics:
    """A mechanism of linkages with or without loops, closed where it stands, whose drives can be led.

    drives: names of joints with one coordinate (revolute, prismatic, screw). Coordinates count from where the mechanism
    is drawn. Raises MechanismError for a mechanism that is wrong, and for surfaces that ride on each other; ValueError
    for a drive that is none.
    """

    def __init__(self, mechanism: Mechanism, drives: Sequence[str] = ()) -> None:
        mechanism.refuse_wrong()
        self._refuse_drives(mechanism, drives)
        self.drives = list(drives)
        self.mechanism, self._poses = _without_forces(mechanism, frozenset(drives))
        self.linkages = [self._led(linkage) for linkage in find_linkages(self.mechanism)]
        self._leaders = [i for i, body in enumerate(self.mechanism.bodies) if body.motion != "dynamic"]
        self._number = {name: i for i, name in enumerate(self.drives)}
        self._places = [[self._number[name] for name in each.drives] for each in self.linkages]
        self._bounds = self._limits()
        self.values = np.array([(self._joint(name).coordinates or (0.0,))[0] for name in self.drives], float)
        self.lead((), *_standing_poses(mechanism))
        self._start = self.state()

    def lead(
        self,
        values: Mapping[str, float] | Sequence[float] = (),
        positions: np.ndarray | None = None,
        orientations: np.ndarray | None = None,
    ) -> Led:
        """Leads all drives straight to new values, and bodies that are not dynamic to new poses, as far as it goes.

        values: of drives by name, or of all in their order; positions (B, 3) m, orientations (B, 4): of all bodies in
        the mechanism's order, where only those count that are not dynamic. What stops keeps its last closed pose.
        """
        asked = self._asked(values)
        if positions is not None:
            self._take_leaders(positions, orientations)
        notes, reached, pivot = self._clamp(asked), 1.0, 1.0
        for linkage, places in zip(self.linkages, self._places, strict=True):
            if not linkage.lead(asked[places]):
                reached = min(reached, linkage.reached)
                notes.append(_note(linkage))
            pivot = min(pivot, linkage.pivot)
            self.values[places] = linkage.work.value
        return Led(reached, self.error, pivot, notes)

    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """(B, 3) m and (B, 4): frames of all bodies, in the mechanism's order."""
        positions, orientations = self._poses[0].copy(), self._poses[1].copy()
        for linkage in self.linkages:
            linkage.place()
            positions[linkage.bodies], orientations[linkage.bodies] = linkage.positions, linkage.orientations
        return positions, orientations

    def state(self) -> list[np.ndarray]:
        """All that the next lead depends on, for `restore`."""
        return [linkage.standing() for linkage in self.linkages]

    def restore(self, state: list[np.ndarray] | None = None) -> None:
        """Puts all linkages back to what `state` has given, or to the start; the next lead goes on from there."""
        for linkage, places, standing in zip(self.linkages, self._places, state or self._start, strict=True):
            linkage.stand(standing)
            self.values[places] = linkage.work.value

    def mobility(self) -> list[Mobility]:
        """Of each linkage, in its present pose: freedoms, drives too many or too few, rows too many, by name."""
        return [mobility_of(linkage) for linkage in self.linkages]

    @property
    def error(self) -> float:
        """Rad, or parts of a linkage's size: what is open."""
        return max((linkage.error for linkage in self.linkages), default=0.0)

    def _take_leaders(self, positions: np.ndarray, orientations: np.ndarray) -> None:
        leaders = self._leaders
        self._poses[0][leaders], self._poses[1][leaders] = positions[leaders], orientations[leaders]
        for linkage in self.linkages:
            linkage.take_leaders(*self._poses)

    def _led(self, linkage) -> LedLinkage:
        rides = [("joint", self.mechanism.joints[j].name) for j in linkage.rides]
        refuse(Message("ride-while-posing", ride) for ride in rides)
        return LedLinkage(self.mechanism, compile_linkage(self.mechanism, linkage, RECURSIVE), self.drives)

    def _limits(self) -> list[tuple[int, float, float]]:
        """(number, lower, upper) of each drive whose joint has limits."""
        found = []
        for i, name in enumerate(self.drives):
            low, high = (self._joint(name).limits or (None,))[0] or (None, None)
            found.append((i, -np.inf if low is None else low, np.inf if high is None else high))
        return [each for each in found if np.isfinite(each[1:]).any()]

    def _joint(self, name: str) -> Joint:
        return next(joint for joint in self.mechanism.joints if joint.name == name)

    @staticmethod
    def _refuse_drives(mechanism: Mechanism, drives: Sequence[str]) -> None:
        joints = {joint.name: joint for joint in mechanism.joints if joint.enabled}
        for name in drives:
            if name not in joints:
                raise ValueError(f"drive '{name}' is no joint of the mechanism")
            if joints[name].count != 1 or joints[name].type == "contact":
                raise ValueError(f"drive '{name}' is a {joints[name].type} joint; drives have one coordinate")
        if len(set(drives)) != len(drives):
            raise ValueError("drives must be different joints")

    def _asked(self, values) -> np.ndarray:
        asked = self.values.copy()
        if isinstance(values, Mapping):
            for name, value in values.items():
                asked[self._number[name]] = value
        elif len(values):
            asked[:] = values
        if not np.all(np.isfinite(asked)):
            raise ValueError("values must be finite numbers")
        return asked

    def _clamp(self, asked: np.ndarray) -> list[Message]:
        """Holds drives within the limits of their own joints."""
        notes = []
        for i, low, high in self._bounds:
            if not low <= asked[i] <= high:
                asked[i] = min(max(asked[i], low), high)
                notes.append(Message("drive-beyond-limit", ("joint", self.drives[i]), limit=f"{asked[i]:.6g}"))
        return notes


def _note(linkage: LedLinkage) -> Message:
    """The reason why a lead has stopped."""
    if linkage.status == LIMIT:
        return Message("led-to-limit", ("joint", linkage.stopping_joint))
    code = "led-to-dead-centre" if linkage.status != ARRIVED and linkage.pivot < 0.2 else "led-against"
    return Message.about_many(code, linkage.weakest_parts())


def _without_forces(mechanism: Mechanism, drives: frozenset[str]) -> tuple[Mechanism, tuple[np.ndarray, np.ndarray]]:
    """The mechanism with nothing but what holds, everything that leads standing still, and the poses of its bodies.

    A joint that says how fast it is stays in its tree, where it has a coordinate.
    """
    bodies, positions, orientations = [], [], []
    for body in mechanism.bodies:
        position, orientation = body_pose(body)
        if body.motion == "keyed":
            body = dataclasses.replace(body, motion="fixed", keys=None, position=position, orientation=orientation)
        bodies.append(body)
        positions.append(position)
        orientations.append(orientation)
    joints = []
    for joint in mechanism.joints:
        joint = dataclasses.replace(joint, **dict.fromkeys(_OF_FORCES), speeds=(0.0,) if joint.name in drives else None)
        joints.append(joint)
    constraints = [dataclasses.replace(each, tau=None) if each.tau else each for each in mechanism.constraints]
    bare = dataclasses.replace(
        mechanism,
        contact=None,
        forces=[],
        actions=[],
        gravity=(0.0, 0.0, 0.0),
        bodies=bodies,
        joints=joints,
        constraints=constraints,
    )
    return bare, (np.array(positions, float).reshape(-1, 3), np.array(orientations, float).reshape(-1, 4))


def _standing_poses(mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Poses of all bodies where keys put them at 0 s, which may be elsewhere than where the mechanism is drawn."""
    poses = [body_pose(body) for body in mechanism.bodies]
    for i, body in enumerate(mechanism.bodies):
        if body.motion == "keyed":
            (position,), (orientation,), _, _ = sample(body.keys, np.zeros(1))
            poses[i] = position, orientation
    return (
        np.array([position for position, _ in poses], float).reshape(-1, 3),
        np.array([orientation for _, orientation in poses], float).reshape(-1, 4),
    )
