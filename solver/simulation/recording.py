# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of a simulation and of an evaluation, in the mechanism's own names, order and frames."""

import os
from dataclasses import dataclass, field, fields
from typing import ClassVar, NamedTuple

import numpy as np

from ..mechanism.messages import Part
from ..whole_file import whole_file


class _Arrays:
    """Saving and the wording of both results."""

    _OF_PARTS: ClassVar[dict[str, tuple[str, ...]]]  # arrays (.., parts, numbers) by the kind of part

    def save(self, path: str | os.PathLike) -> None:
        """Writes all arrays as a numpy .npz file, as a whole or not at all. Raises OSError."""
        with whole_file(path) as file:
            np.savez(file, **self._arrays())

    def _arrays(self) -> dict[str, np.ndarray]:
        """By their names in the file."""
        return {item.name: np.asarray(getattr(self, item.name)) for item in fields(self)}

    def unreal_parts(self) -> list[Part]:
        """The bodies, joints and constraints with something that is no finite number."""
        parts = []
        for kind, arrays in self._OF_PARTS.items():
            for k, name in enumerate(getattr(self, f"{kind}_names")):
                if not all(np.isfinite(getattr(self, array)[..., k, :]).all() for array in arrays):
                    parts.append((kind, str(name)))
        return parts


@dataclass
class Between:
    """The motion of n bodies of a recording between its frames: S samples and J jumps of velocity.

    World axes, SI units. A velocity has the linear one, of the body frame's origin, and the angular one. All but the
    times is single precision.
    """

    bodies: np.ndarray  # (n,): their places in the recording
    times: np.ndarray  # (S,)
    position: np.ndarray  # (S, n, 3)
    orientation: np.ndarray  # (S, n, 4)
    velocity: np.ndarray  # (S, n, 6)
    jump_bodies: np.ndarray  # (J,): places in the recording; of each the few hardest between two frames
    jump_times: np.ndarray  # (J,)
    jump_position: np.ndarray  # (J, 3)
    jump_orientation: np.ndarray  # (J, 4)
    velocity_before: np.ndarray  # (J, 6)
    velocity_after: np.ndarray  # (J, 6)


class Change(NamedTuple):
    """From a time (s) on another integrator; `farther`: times as far as the one before for the same work, measured."""

    time: float
    integrator: str
    farther: float


@dataclass(frozen=True)
class LinkageWork:
    """The integration of one linkage, from its start or from an action that made it."""

    bodies: tuple[int, ...]  # their places in the recording
    begun: float  # s
    integrator: str  # at its end
    evaluations: int
    steps: int
    order: int  # of the last step; 0 for integrators of one order
    changes: tuple[Change, ...]
    stiffest: Part | None  # where an integrator for stiff motions was chosen: whose spring or damper is the quickest
    touches: bool  # whether its bodies may touch something
    is_chosen: bool  # by `auto`


@dataclass
class Recording(_Arrays):
    """A simulated motion. F frames, B bodies, J joints, D joint coordinates; world axes, SI units."""

    _OF_PARTS: ClassVar[dict[str, tuple[str, ...]]] = {
        "body": ("position", "orientation", "linear_velocity", "angular_velocity"),
        "joint": ("joint_force",),
        "constraint": ("constraint_force",),
    }
    times: np.ndarray  # (F,)
    body_names: np.ndarray  # (B,)
    position: np.ndarray  # (F, B, 3)
    orientation: np.ndarray  # (F, B, 4)
    linear_velocity: np.ndarray  # (F, B, 3) of the body frame's origin
    angular_velocity: np.ndarray  # (F, B, 3)
    joint_names: np.ndarray  # (J,)
    joint_force: np.ndarray  # (F, J, 6): parent on child, force then moment about the joint's position on the child
    joint_coordinates: np.ndarray  # (F, D)
    joint_speeds: np.ndarray  # (F, D)
    joint_offsets: np.ndarray  # (J + 1,)
    kinetic_energy: np.ndarray  # (F,)
    potential_energy: np.ndarray  # (F,)
    constraint_names: np.ndarray  # (C,)
    constraint_force: np.ndarray  # (F, C, 6)
    constraint_error: np.ndarray  # (F,)
    contact_force: np.ndarray  # (F, B, 6): mean since the frame before of all contacts on the body, impacts included:
    # force then moment about its centre of mass, of fixed and keyed bodies about their origin; 0 at the first frame
    contact_blow: np.ndarray  # (F, B) N s: the hardest impact on the body since the frame before
    balance_names: np.ndarray  # (G,): of the forces that keep figures on their feet
    balance_asked: np.ndarray  # (F, G, 6): of the ground, force then moment about the figure's centre of mass
    balance_force: np.ndarray  # (F, G, 6): what the feet got of that
    # I impacts, in their order:
    impact_time: np.ndarray = field(default_factory=lambda: np.zeros(0))  # (I,) s
    impact_bodies: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), np.int64))  # (I, 2): -1 is the ground
    impact_point: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))  # (I, 3) m
    impact_impulse: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))  # (I, 3) N s: on the second body
    impact_speed: np.ndarray = field(default_factory=lambda: np.zeros(0))  # (I,) m/s: fastest approach of a point
    between: list[Between] = field(default_factory=list)  # by linkages, if it was asked for; not in the file
    touches: bool = False  # whether anything may touch anything
    evaluations: int = 0
    steps: int = 0
    wall_time: float = 0.0  # s, without compilation
    work: list[LinkageWork] = field(default_factory=list)  # by linkages; not in the file
    notes: list[str] = field(default_factory=list)

    def save(self, path: str | os.PathLike) -> None:
        """Writes FORMAT's `simulate` arrays as a numpy .npz file. Raises OSError."""
        super().save(path)

    def _arrays(self) -> dict[str, np.ndarray]:
        """Those of balances only if there are any, those of contacts only if something may touch."""
        found = super()._arrays()
        del found["between"], found["work"]
        found["notes"] = np.array(self.notes, dtype=np.str_)
        if len(self.balance_names) == 0:
            found = {name: array for name, array in found.items() if not name.startswith("balance_")}
        if not found.pop("touches"):
            found = {name: array for name, array in found.items() if not name.startswith(("contact_", "impact_"))}
        return found

    def first_unreal(self) -> int | None:
        """The first frame with something that is no finite number; None if there is none."""
        count = len(self.times)
        arrays = [array for array in self._arrays().values() if array.dtype.kind == "f" and array.ndim]
        timed = [array.reshape(count, -1) for array in arrays if len(array) == count > 0 and array.size]
        unreal = [~np.isfinite(array).all(axis=1) for array in timed]
        frames = np.flatnonzero(np.any(unreal, axis=0)) if unreal else []
        return int(frames[0]) if len(frames) else None

    def up_to(self, frames: int) -> "Recording":
        """The same recording with its first frames only."""
        timed = ("times", "position", "orientation", "linear_velocity", "angular_velocity", "joint_force")
        timed += ("joint_coordinates", "joint_speeds", "kinetic_energy", "potential_energy")
        timed += (
            "constraint_force",
            "constraint_error",
            "balance_asked",
            "balance_force",
            "contact_force",
            "contact_blow",
        )
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        hits = self.impact_time <= self.times[:frames].max(initial=-np.inf)
        values |= {name: values[name][hits] for name in values if name.startswith("impact_")}
        return Recording(**{name: v[:frames] if name in timed else v for name, v in values.items()})


@dataclass
class Derivatives:
    """Of the accelerations along the A axes of all trees, at the start; m, rad, s, N and N m.

    An axis is a coordinate of a joint, or one of the six of a body that floats: first those of the joints, in the order
    of the file, then those of floating bodies. Joints that close loops have no axes. The coordinates of a ball joint
    are small turns about its axes on the child; the six of a floating body are travels of its centre of mass along the
    world's axes and small turns about its own.
    """

    axis_names: np.ndarray  # (A,): the joint, or the body that floats
    axis_numbers: np.ndarray  # (A,): of the coordinate in it, from 0
    acceleration_by_coordinates: np.ndarray  # (A, A): of the axis of the row by the coordinate of the column
    acceleration_by_speeds: np.ndarray  # (A, A)
    acceleration_by_efforts: np.ndarray  # (A, A): symmetric


@dataclass
class Evaluation(_Arrays):
    """Accelerations and forces at the start."""

    _OF_PARTS: ClassVar[dict[str, tuple[str, ...]]] = {
        "body": ("linear_acceleration", "angular_acceleration"),
        "joint": ("joint_force",),
        "constraint": ("constraint_force",),
    }
    body_names: np.ndarray  # (B,)
    linear_acceleration: np.ndarray  # (B, 3) of the body frame's origin
    angular_acceleration: np.ndarray  # (B, 3)
    joint_names: np.ndarray  # (J,)
    joint_acceleration: np.ndarray  # (D,)
    joint_offsets: np.ndarray  # (J + 1,)
    joint_force: np.ndarray  # (J, 6)
    constraint_names: np.ndarray  # (C,)
    constraint_force: np.ndarray  # (C, 6)
    derivatives: Derivatives | None = None  # if they were asked for

    def _arrays(self) -> dict[str, np.ndarray]:
        """With those of the derivatives, if there are any."""
        found = super()._arrays()
        del found["derivatives"]
        return found if self.derivatives is None else found | vars(self.derivatives)
