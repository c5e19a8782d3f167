# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops that run otherwise than meant: that cannot follow what is keyed, that are stretched, or cannot move at all.

What is keyed may lead out of reach, past limits, or about another axis.

Loops are led along the keyed motion in a few steps, each assembled from the one before (`gauss_newton`). Dynamics may
lead them another way, but what no assembly closes no motion does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..mechanism import Mechanism
from ..mechanism.joint_types import LENGTH
from ..mechanism.keyed_motion import course, sample
from ..mechanism.messages import Message, Part, named
from ..mechanism.table import Table
from ..model.linkage.nearly_redundant import is_told, lined_up
from ..model.topology import find_linkages
from . import rotations
from .bring_together import Assembly
from .connections import Connection, guide_poses, leads_itself
from .gauss_newton import Solver
from .placement import Poses
from .rigidity import closed_part, conditions_too_many, locked_among, note_on_locked, note_on_offset, part_of
from .rows import Axis, Limit, Place
from .system import Linkage

_OPEN = 1e-3  # part of the size, or rad: what cannot be followed; drawings that are off leave less
_LOOKS = 24  # along a keyed motion
_WAY = 0.3  # rad, or part of the size: the farthest that a motor leads a joint from look to look,
_MOST_LOOKS = 400  # unless that takes more of them
_QUICK = 20  # bodies: of a linkage that is looked at so often; larger ones take longer
_SAME_AXIS = 0.999  # cosine
_TURNED = 1e-5  # rad: a turn that shows an axis


def end_of_keys(mechanism: Mechanism) -> float:
    """s: up to which something is keyed, or led along a path or by a motor."""
    ends = [body.keys.times[-1] for body in mechanism.bodies if body.motion == "keyed" and len(body.keys.times)]
    guides = [part.guide for part in mechanism.constraints if part.guide is not None]
    ends += [guide.times[-1] for guide in guides if len(guide.times)]
    ends += [target.times[-1] for joint in mechanism.joints for target in joint.led or () if isinstance(target, Table)]
    return max(ends, default=0.0)


class Loops:
    """The loops of a mechanism where it starts: assembled once for all that is asked of them.

    Keys and paths may be given their motion later, as long as they start where they stand. Raises MechanismError.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._assembly = Assembly(mechanism)
        self._start = self._assembly.start
        parts = (closed_part(linkage, self._start) for linkage in self._assembly.linkages)
        self._parts = [part for part in parts if part is not None]

    def are_led(self) -> bool:
        """True if something that stands at the start, but may be keyed, a path or a motor is part of a loop."""
        standing = [body.motion != "dynamic" for body in self._mechanism.bodies] + [False]
        return any(
            np.take(standing, part.connections.ends).any()
            or any(_leads(connection) for connection in part.connections.parts)
            for part in self._parts
        )

    def unfollowed(self, end: float) -> list[Message]:
        """Sentences on loops that what is keyed leads to where they cannot be closed, up to the time `end` (s)."""
        leaders, notes = _Leaders(self._mechanism), []
        for part in self._parts:
            if leaders.lead(part) and Solver(part, self._start).error <= _OPEN:
                notes += _follow(part, self._start, leaders, end)
                part.connections.restart()
                leaders.put(part, self._start, 0.0)
        return notes

    def notes(self, end: float) -> list[Message]:
        """Sentences on what cannot follow up to the time `end` (s), and on what else is wrong at the start.

        That is what is stretched, what is drawn off where it could move, and what is a structure as it is drawn.
        """
        unfollowed = self.unfollowed(end)
        told = {part for note in unfollowed for part in note.parts}
        locked = locked_among(self._parts, self._start)
        notes = unfollowed + [note_on_locked(each) for each in locked if told.isdisjoint(each.parts)]
        told = {part for note in notes for part in note.parts}
        return notes + [note for note in self._drawn_off() if told.isdisjoint(note.parts)]

    def _drawn_off(self) -> list[Message]:
        """On joints that are put in line, or are too far off for that, and on linkages of which nothing can move."""
        if not self._parts:
            return []
        mechanism, assembly, notes = self._mechanism, self._assembly, []
        for linkage in find_linkages(mechanism):
            mechanism, offsets = lined_up(mechanism, linkage)
            sizes = [whole.scales.size for whole in assembly.linkages if np.isin(linkage.bodies, whole.moved).any()]
            size = max(sizes, default=1.0)
            notes += [note_on_offset(mechanism, offset) for offset in offsets if is_told(offset, size)]
        told = {part for note in notes for part in note.parts}
        if mechanism is not self._mechanism:
            assembly = Assembly(mechanism)
        leaders = _Leaders(mechanism)
        for whole in assembly.linkages:
            part = closed_part(whole, assembly.start)
            if part is None or len(part.moved) < len(whole.moved) or leaders.lead(part):
                continue
            count = conditions_too_many(part, assembly.start)
            parts = list(dict.fromkeys(part_of(connection) for connection in part.connections.parts))
            if count and told.isdisjoint(parts):
                notes.append(Message.about_many("structure", parts, count=count))
        return notes


class _Leaders:
    """All that moves by itself: keyed bodies, the goals of paths, and joints whose motors lead them as keyed."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.keyed = {i: body for i, body in enumerate(mechanism.bodies) if body.motion == "keyed"}

    def lead(self, linkage: Linkage) -> bool:
        """True if a linkage hangs on any of them."""
        has_leader = any(_leads(connection) for connection in linkage.connections.parts)
        return has_leader or not self.keyed.keys().isdisjoint(linkage.connections.ends.ravel())

    def put(self, linkage: Linkage, poses: Poses, time: float) -> Poses:
        """The poses with what leads where it is at a time; the linkage's paths and motors go along."""
        position, orientation = poses.position.copy(), poses.orientation.copy()
        for i, body in self.keyed.items():
            (position[i],), (orientation[i],), _, _ = sample(body.keys, np.array([time]))
        for k, connection in enumerate(linkage.connections.parts):
            if _is_led(connection):
                (linkage.connections.points[0][k],), (linkage.connections.turns[0][k],) = guide_poses(
                    connection.part, np.array([time])
                )
        linkage.connections.lead(time)
        return Poses(position, orientation)


def _is_led(connection: Connection) -> bool:
    return connection.kind == "constraint" and connection.part.guide is not None


def _leads(connection: Connection) -> bool:
    return _is_led(connection) or leads_itself(connection)


def _count_looks(linkage: Linkage, end: float) -> int:
    """The number of looks at a linkage on its way: where motors lead it, they go only a little between two of them."""
    looks = int(np.clip(_LOOKS * _QUICK / max(len(linkage.moved), 1), 6, _LOOKS))
    for connection in filter(leads_itself, linkage.connections.parts):
        for target, axis in zip(connection.part.led, connection.part.joint_type.axes, strict=True):
            if target is None:
                continue
            times, values = course(target)
            way = np.abs(np.diff(values[times <= end])).sum() / (linkage.scales.size if axis.kind == LENGTH else 1.0)
            looks = max(looks, int(np.ceil(min(way / _WAY, _MOST_LOOKS))))
    return looks


def _follow(linkage: Linkage, poses: Poses, leaders: _Leaders, end: float) -> list[Message]:
    for time in np.linspace(0.0, end, _count_looks(linkage, end) + 1)[1:]:
        before, poses = poses, leaders.put(linkage, poses, time)
        solver = _brought_together(linkage, poses)
        poses = solver.poses
        if solver.error > _OPEN:
            return [_note_on_unfollowed(linkage, poses, before, leaders, time)]
    return []


def _brought_together(linkage: Linkage, poses: Poses) -> Solver:
    """As far as need be: what is nearly closed, but cannot be wholly, would take hundreds of steps for what is left."""
    solver = Solver(linkage, poses, _OPEN)
    for _ in solver.run():
        pass
    return solver


def _note_on_unfollowed(linkage: Linkage, poses: Poses, before: Poses, leaders: _Leaders, time: float) -> Message:
    connections = linkage.connections
    residual = np.abs(connections.evaluate(connections.sight(poses)).residual) / np.where(
        connections.is_length, linkage.scales.size, 1.0
    )
    worst = np.zeros(len(connections.parts))
    np.maximum.at(worst, connections.owner, residual)
    parts = list(
        dict.fromkeys(part_of(connections.parts[k]) for k in np.argsort(-worst) if worst[k] > 0.5 * worst.max())
    )
    how = "lead less far, or give it longer parts"
    if stopped := _limits_in_the_way(linkage, poses, before, leaders, time):
        parts = list(dict.fromkeys(parts + stopped))
        how = f"widen the limits of {named(tuple(stopped))}, or lead less far"
    elif (axis := _axis_that_would_do(linkage, before, leaders, time)) is not None:
        parts = [part_of(connection) for connection in connections.parts if _is_hinge(connection)]
        how = f"turn the axes of its hinges to {axis}"
    return Message.about_many("cannot-follow", parts, time=f"{time:.3g}", how=how)


def _is_hinge(connection: Connection) -> bool:
    return connection.kind == "joint" and connection.part.type == "revolute"


def _limits_in_the_way(linkage: Linkage, poses: Poses, before: Poses, leaders: _Leaders, time: float) -> list[Part]:
    """The joints that are at their limits, or beyond, if the linkage could follow without any."""
    connections = linkage.connections
    room = np.abs(connections.room(connections.sight(poses))).min(axis=1) / np.where(
        connections.is_length, linkage.scales.size, 1.0
    )
    beyond = connections.evaluate(connections.sight(poses)).residual != 0.0
    at = list(dict.fromkeys(connections.owner[connections.is_limit & (beyond | (room < _OPEN))]))
    if not at:
        return []
    free = _with_parts(linkage, [_without_limits(connection) for connection in connections.parts], before)
    if _brought_together(free, leaders.put(free, before, time)).error > _OPEN:
        return []
    return [part_of(connections.parts[k]) for k in at]


def _without_limits(connection: Connection) -> Connection:
    rows = [row for row in connection.rows if row[0] is not Limit]
    return replace(connection, rows=rows) if len(rows) < len(connection.rows) else connection


def _with_parts(linkage: Linkage, parts: list[Connection], poses: Poses) -> Linkage:
    """The same bodies, held by other rows of the same joints and constraints."""
    connections = linkage.connections.some(np.arange(len(parts)))
    connections.parts = parts
    connections.restart()
    return Linkage(connections, linkage.bodies, poses)


def _axis_that_would_do(linkage: Linkage, before: Poses, leaders: _Leaders, time: float) -> str | None:
    """The axis about which all hinges would turn if they were free to turn about any; None if that would not help."""
    hinges = [k for k, connection in enumerate(linkage.connections.parts) if _is_hinge(connection)]
    if not hinges:
        return None
    free = [_as_ball(connection) if _is_hinge(connection) else connection for connection in linkage.connections.parts]
    balls = _with_parts(linkage, free, before)
    solver = _brought_together(balls, leaders.put(balls, before, time))
    if solver.error > _OPEN:
        return None
    turns = []
    for k in hinges:
        a, b = linkage.connections.ends[:, k]
        now, then = (
            rotations.multiply(rotations.conjugate(poses.orientation[[a]]), poses.orientation[[b]])
            for poses in (solver.poses, before)
        )
        turn = rotations.logarithm(rotations.multiply(now, rotations.conjugate(then)))[0]
        turns.append(rotations.rotate(before.orientation[[a]], turn[None])[0])
    sizes = np.linalg.norm(turns, axis=1)
    axes = [turn / size for turn, size in zip(turns, sizes, strict=True) if size > _TURNED]
    if not axes or any(abs(axis @ axes[0]) < _SAME_AXIS for axis in axes):
        return None
    axis = axes[0] * np.sign(axes[0][np.argmax(np.abs(axes[0]))])
    if axis.max() > _SAME_AXIS:
        return "XYZ"[int(np.argmax(axis))]
    return "({:.3g}, {:.3g}, {:.3g})".format(*axis)


def _as_ball(connection: Connection) -> Connection:
    rows = [row for row in connection.rows if row[0] is not Axis]
    rows = [(Place, ((0, 1, 2),), {}) if kind is Place else (kind, *others) for kind, *others in rows]
    return Connection(connection.part, connection.kind, connection.bodies, connection.frames, rows)
