# SPDX-License-Identifier: GPL-3.0-or-later
"""Which efforts of drives in joints move bodies as they are keyed: inverse dynamics over time, linkage by linkage.

In trees each axis has the one effort that Newton's and Euler's laws ask of it. Where loops are closed, of all efforts
that make the same motion those have the least sum of squares, forces counted by the size of the linkage; what no drive
can give is `unmet`. Contacts and limits push nothing here. Symbols: F frames, J joints, D joint coordinates, B bodies.
"""

import dataclasses
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..mechanism import Balance, Body, Mechanism
from ..mechanism.constraints import Coupling, Curve, Span
from ..mechanism.error import refuse
from ..mechanism.joint_types import LENGTH
from ..mechanism.joints import Joint, JointMotor
from ..mechanism.keyed_motion import sample
from ..mechanism.messages import Message
from ..model.arrays import LAGRANGE
from ..model.linkage.compilation import Compiled, compile_linkage
from ..model.poses import body_pose
from ..model.topology import constraint_bodies, find_linkages
from ..simulation.catching.holding import at_work
from ..simulation.recording_assembly import BodiesMotion
from ..whole_file import whole_file
from .least_norm import shared
from .loads import Loads, linkage_loads
from .motion import leads, led_motion

UNMET = 1e-4  # of a linkage's largest load: what counts as not taken up
_NOTHING, _GRAVITY = 1e-6, 9.81  # of a linkage's weight times its size, and m/s2: what is rounding
_OFF = 1e-4  # of a linkage's size: how far keys may be off what joints allow before it is said
_MOST_ROWS = 2000  # of loops in one linkage: the work grows with their cube


class Peak(NamedTuple):
    """One driven coordinate of a joint over the whole time."""

    joint: str
    coordinate: str  # "angle"
    is_length: bool
    effort: float  # N m or N: the largest one, with its sign,
    time: float  # s: and when that is
    rms: float  # N m or N: root of the mean square
    speed: float  # rad/s or m/s: the largest one, without a sign
    power: float  # W: the largest one that is given
    braking: float  # W: the largest one that is taken back, not negative
    work: float  # J: given in all, less what is taken back

    def __str__(self) -> str:
        effort, speed = ("N", "m/s") if self.is_length else ("N m", "rad/s")
        most = f"{self.effort:.6g} {effort} at {self.time:.6g} s, rms {self.rms:.6g} {effort}, {self.speed:.6g} {speed}"
        power = f"{self.power:.6g} W, braking {self.braking:.6g} W, work {self.work:.6g} J"
        return f"{self.joint}, {self.coordinate}: {most}, {power}"


@dataclass
class DriveEfforts:
    """Efforts of drives over time, in the mechanism's order."""

    times: np.ndarray  # (F,) s
    joint_names: np.ndarray  # (J,)
    joint_offsets: np.ndarray  # (J + 1,)
    driven: np.ndarray  # (D,) bool: the coordinates that drives act along
    joint_coordinates: np.ndarray  # (F, D) rad or m
    joint_speeds: np.ndarray  # (F, D) rad/s or m/s
    joint_effort: np.ndarray  # (F, D) N m or N: of the drives, 0 elsewhere
    joint_unmet: np.ndarray  # (F, D) N m or N: what the motion takes along coordinates without a drive
    body_names: np.ndarray  # (B,)
    body_unmet: np.ndarray  # (F, B, 6): force and moment about the centre of mass that nothing gives to a floating body
    redundancy: np.ndarray  # (F,) int64: how many drives there are more than the motion needs
    notes: list[str] = field(default_factory=list)
    mechanism: Mechanism | None = None  # of which these are

    def unmet(self) -> set[str]:
        """Names of the joints and bodies of which the motion takes what nothing gives."""
        codes = "torques-unmet", "torques-floats"
        return {name for note in self.notes if getattr(note, "code", "") in codes for _, name in note.parts}

    def power(self) -> np.ndarray:
        """(F, D) W: that the drives give."""
        return self.joint_effort * self.joint_speeds

    def peaks(self) -> list[Peak]:
        """Of each driven coordinate, in the order of the joints."""
        found, power = [], self.power()
        for j, joint in enumerate(self.mechanism.joints):
            for c, axis in enumerate(joint.joint_type.axes, start=self.joint_offsets[j]):
                if not self.driven[c]:
                    continue
                effort, given = self.joint_effort[:, c], power[:, c]
                most = int(np.argmax(np.abs(effort)))
                work = float(np.sum(0.5 * (given[1:] + given[:-1]) * np.diff(self.times)))
                found.append(
                    Peak(
                        joint.name, axis.name, axis.kind == LENGTH, float(effort[most]), float(self.times[most]),
                        float(np.sqrt(np.mean(np.square(effort)))), float(np.abs(self.joint_speeds[:, c]).max()),
                        max(0.0, float(given.max())), max(0.0, float(-given.min())), work,
                    )
                )  # fmt: skip
        return found

    def save(self, path: str | os.PathLike) -> None:
        """Writes the arrays, and `joint_power`, as a numpy .npz file, whole or not at all. Raises OSError."""
        arrays = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        arrays |= {"joint_power": self.power(), "notes": np.array(self.notes, dtype=np.str_)}
        with whole_file(path) as file:
            np.savez(file, **arrays)


class DriveSearch:
    """One search for the efforts of drives.

    duration: s; frame_rate: frames per second, the first at 0; relative: tolerance of the motion of what has no keys.
    drives: names of joints; left out, those with a motor, or if there are none all that can move. Raises MechanismError
    for what it cannot take, SimulationFailed where the motion of what has no keys cannot go on, and RunError.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        duration: float,
        frame_rate: float = 24.0,
        relative: float = 1e-6,
        drives: Collection[str] | None = None,
    ) -> None:
        mechanism.refuse_wrong()
        self.mechanism = mechanism
        self.drives = _drives(mechanism, drives)
        _refuse_what_is_not_smooth(mechanism, self.drives)
        self._led = led_motion(mechanism, duration, frame_rate, relative)
        self._result: DriveEfforts | None = None

    @property
    def result(self) -> DriveEfforts:
        """The efforts. Raises RuntimeError before `run` has come to its end."""
        if self._result is None:
            raise RuntimeError("the search has not run to its end")
        return self._result

    def run(self) -> Iterator[float]:
        """Searches, a little between two yields, which tell how far it is (0 to 1)."""
        while True:
            try:
                yield 0.5 * next(self._led)
            except StopIteration as end:
                motion, times, notes = end.value
                break
        self._result = result = _empty(self.mechanism, motion, times, notes)
        if self.mechanism.contact is not None and self.mechanism.contact.enabled:
            result.notes.append(Message("torques-contact"))
        free = at_work(free_mechanism(self.mechanism, self.drives, result))
        linkages = find_linkages(free)
        for number, linkage in enumerate(linkages):
            compiled = compile_linkage(free, linkage, LAGRANGE)
            _refuse_rows(free, compiled)
            sharing = _Sharing(free, compiled, self.drives, result)
            for loads in linkage_loads(compiled, dataclasses.replace(motion, mechanism=free), times):
                sharing.add(loads)
                yield 0.5 + 0.5 * (number + (loads.first + len(loads.load)) / len(times)) / len(linkages)
            result.notes += sharing.notes()


def drive_efforts(mechanism: Mechanism, duration: float, frame_rate: float = 24.0, **options) -> DriveEfforts:
    """The efforts of drives in one go; options and errors as for `DriveSearch`."""
    search = DriveSearch(mechanism, duration, frame_rate, **options)
    for _ in search.run():
        pass
    return search.result


def free_mechanism(mechanism: Mechanism, drives: Collection[str], result: DriveEfforts) -> Mechanism:
    """The mechanism with its leading bodies dynamic and no effort in drives, as it starts; limits push nothing.

    What lies between bodies without a mass, that are carried as keyed, is switched off.
    """
    bodies = [freed(body) if leads(body) else body for body in mechanism.bodies]
    moving = {body.name for body in bodies if body.motion == "dynamic"}
    joints = []
    for j, joint in enumerate(mechanism.joints):
        start = tuple(result.joint_coordinates[0, result.joint_offsets[j] : result.joint_offsets[j + 1]])
        motor = JointMotor("force", value=0.0) if joint.name in drives else joint.motor
        bare = {"motor": motor, "limits": None, "bounciness": None, "speeds": None}
        bare["enabled"] = joint.enabled and bool({joint.parent, joint.child} & moving)
        joints.append(dataclasses.replace(joint, coordinates=start or None, **bare))
    constraints = [
        each if moving & set(constraint_bodies(mechanism, each)) else dataclasses.replace(each, enabled=False)
        for each in mechanism.constraints
    ]
    return dataclasses.replace(mechanism, bodies=bodies, joints=joints, constraints=constraints, contact=None)


def freed(body: Body) -> Body:
    """A leading body as a dynamic one, where it is drawn and as fast as its keys begin."""
    position, orientation = body_pose(body)
    _, _, linear, angular = (array[0] for array in sample(body.keys, np.zeros(1)))
    return dataclasses.replace(
        body, motion="dynamic", keys=None, follow=None, released=False, position=position, orientation=orientation,
        linear_velocity=tuple(linear), angular_velocity=tuple(angular),
    )  # fmt: skip


def _can_move(joint: Joint) -> bool:
    return joint.enabled and bool(joint.joint_type.axes)


def _drives(mechanism: Mechanism, names: Collection[str] | None) -> set[str]:
    able = [joint for joint in mechanism.joints if _can_move(joint)]
    if names is None:
        with_motor = {joint.name for joint in able if any(joint.motors)}
        return with_motor or {joint.name for joint in able}
    known = {joint.name for joint in able}
    refuse(Message("torques-no-joint", joint=repr(name)) for name in sorted(set(names) - known))
    return set(names)


def _refuse_what_is_not_smooth(mechanism: Mechanism, drives: Collection[str]) -> None:
    found = [Message("torques-by-actions", count=len(mechanism.actions))] if mechanism.actions else []
    found += [Message("torques-balance", ("force", f.name)) for f in mechanism.forces if isinstance(f, Balance)]
    slack = (each for each in mechanism.constraints if isinstance(each, Span) and each.enabled and each.slack)
    found += [Message("torques-slack", ("constraint", each.name)) for each in slack]
    cams = (each for each in mechanism.constraints if isinstance(each, Curve) and each.enabled and each.one_sided)
    found += [Message("torques-cam", ("constraint", each.name)) for each in cams]
    loose = (each for each in mechanism.constraints if isinstance(each, Coupling) and each.enabled and each.backlash)
    found += [Message("torques-backlash", ("constraint", each.name)) for each in loose]
    for joint in mechanism.joints:
        if joint.enabled and joint.type == "contact":
            found.append(Message("torques-ride", ("joint", joint.name)))
        elif joint.name not in drives and any(motor is not None and motor.mode == "speed" for motor in joint.motors):
            found.append(Message("torques-speed-motor", ("joint", joint.name)))
    refuse(found)


def _refuse_rows(mechanism: Mechanism, compiled: Compiled) -> None:
    if compiled.model.closing > _MOST_ROWS:
        body = mechanism.bodies[compiled.linkage.bodies[0]].name
        refuse([Message("torques-rows", ("body", body), rows=compiled.model.closing, most=_MOST_ROWS)])


def _empty(mechanism: Mechanism, motion: BodiesMotion, times: np.ndarray, notes: list[str]) -> DriveEfforts:
    """Without efforts yet; coordinates and speeds as the bodies move."""
    counts = [joint.count for joint in mechanism.joints]
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    shape = len(times), int(offsets[-1])
    coordinates, speeds = np.zeros((2, *shape))
    for j, joint in enumerate(mechanism.joints):
        columns = slice(offsets[j], offsets[j + 1])
        if _can_move(joint):
            coordinates[:, columns], speeds[:, columns], _ = motion.of_joint(j)
    return DriveEfforts(
        times=times,
        joint_names=np.array([joint.name for joint in mechanism.joints], dtype=np.str_),
        joint_offsets=offsets,
        driven=np.zeros(shape[1], bool),
        joint_coordinates=coordinates,
        joint_speeds=speeds,
        joint_effort=np.zeros(shape),
        joint_unmet=np.zeros(shape),
        body_names=np.array([body.name for body in mechanism.bodies], dtype=np.str_),
        body_unmet=np.zeros((len(times), len(mechanism.bodies), 6)),
        redundancy=np.zeros(len(times), np.int64),
        notes=[note for note in notes if getattr(note, "code", "") != "integrator"],
        mechanism=mechanism,
    )


class _Sharing:
    """The loads of one linkage, shared among its drives into the result."""

    def __init__(self, mechanism: Mechanism, compiled: Compiled, drives: Collection[str], result: DriveEfforts) -> None:
        self._mechanism, self._compiled, self._result = mechanism, compiled, result
        model, linkage = compiled.model, compiled.linkage
        self._scale = np.where(model.is_length, model.size, 1.0)
        self._driven = np.zeros(len(model.armature), bool)
        self._columns, self._floating = [], []  # (axes, coordinates in the file's order); (axes, body)
        for k, joint in enumerate(linkage.joint):
            body = model.bodies[model.driven + k]
            axes = slice(body.axis_start, body.axis_end)
            if joint is None:
                self._floating.append((axes, linkage.bodies[k]))
                continue
            columns = slice(result.joint_offsets[joint], result.joint_offsets[joint + 1])
            self._columns.append((axes, columns))
            if mechanism.joints[joint].name in drives:
                self._driven[axes] = True
                result.driven[columns] = True
        # N m: the largest load, or what is rounding beside weights
        self._most = _NOTHING / UNMET * float(model.bodies.mass[model.driven :].sum()) * _GRAVITY * model.size
        self._off = np.zeros(len(linkage.bodies))

    def add(self, loads: Loads) -> None:
        """Shares the loads of some frames."""
        result, when = self._result, slice(loads.first, loads.first + len(loads.load))
        efforts, unmet, rank = shared(loads.load, loads.rows, self._driven, self._scale)
        unmet = np.sign(unmet) * np.maximum(np.abs(unmet) - loads.friction, 0.0)
        for axes, columns in self._columns:
            result.joint_effort[when, columns] = efforts[:, axes]
            result.joint_unmet[when, columns] = unmet[:, axes]
        for axes, body in self._floating:
            wrench = (unmet[:, axes, None] * loads.axes[:, axes]).sum(axis=1)
            force = (unmet[:, axes, None] * loads.axes[:, axes])[:, :3, 3:].sum(axis=1)
            result.body_unmet[when, body, :3], result.body_unmet[when, body, 3:] = force, wrench[:, :3]
        result.redundancy[when] += rank
        self._most = max(self._most, np.abs(loads.load * self._scale).max(initial=0.0))
        self._off = np.maximum(self._off, loads.off.max(axis=0, initial=0.0))

    def notes(self) -> list[str]:
        """Messages on loads that nothing takes up, drives that share, and keys that joints do not allow."""
        return [*self._about_redundancy(), *self._about_floating(), *self._about_joints(), *self._about_keys()]

    def _about_joints(self) -> Iterator[Message]:
        result = self._result
        for axes, columns in self._columns:
            joint = self._mechanism.joints[np.searchsorted(result.joint_offsets, columns.start, side="right") - 1]
            for c, axis in enumerate(joint.joint_type.axes):
                load = np.abs(result.joint_unmet[:, columns.start + c])
                k = int(np.argmax(load))
                if load[k] * self._scale[axes.start + c] > UNMET * self._most:
                    unit = "N" if axis.kind == LENGTH else "N m"
                    values = {"axis": axis.name, "load": f"{load[k]:.3g} {unit}", "time": f"{result.times[k]:g}"}
                    yield Message("torques-unmet", ("joint", joint.name), **values)

    def _about_floating(self) -> Iterator[Message]:
        result = self._result
        for _, body in self._floating:
            force, moment = (np.linalg.norm(result.body_unmet[:, body, s], axis=1) for s in (np.s_[:3], np.s_[3:]))
            size = self._compiled.model.size
            k = int(np.argmax(np.maximum(force * size, moment)))
            if max(force[k] * size, moment[k]) > UNMET * self._most:
                loads = {"force": f"{force.max():.3g}", "moment": f"{moment.max():.3g}", "time": f"{result.times[k]:g}"}
                yield Message("torques-floats", ("body", self._mechanism.bodies[body].name), **loads)

    def _about_redundancy(self) -> Iterator[Message]:
        count = int(self._result.redundancy.max(initial=0))
        if count and not any(getattr(note, "code", "") == "torques-shared" for note in self._result.notes):
            in_trees = {j for j in self._compiled.linkage.joint if j is not None}
            drives = [
                ("joint", self._mechanism.joints[j].name)
                for j in sorted(in_trees)
                if self._result.driven[self._result.joint_offsets[j] : self._result.joint_offsets[j + 1]].any()
            ]
            yield Message.about_many("torques-shared", drives, count=count)

    def _about_keys(self) -> Iterator[Message]:
        size = self._compiled.model.size
        k = int(np.argmax(self._off))
        if self._off[k] > _OFF * size:
            body = self._mechanism.bodies[self._compiled.linkage.bodies[k]].name
            yield Message("torques-off", ("body", body), gap=f"{self._off[k]:.3g}")
