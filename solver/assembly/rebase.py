# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism described anew from assembled poses, which are its zero coordinates from then on.

Bodies stand where they were assembled; joint frames, points and curves go with their bodies; what belongs to the world
stays: anchors of nails, paths and curves without a body, and the world's ends of springs. `rest`, `limits` and the
targets of position motors are counted from the new zero, in actions too. Velocities and speeds stay as given. A joint
that could not be closed is attached where its parent has it.

Every joint means exactly the same as before, but for a spring, a position motor or limits in a spherical one: a
rotation vector cannot be counted from another zero by subtraction. There `rest` and a constant target keep the
orientation that they stand for; limits and tables are shifted by the assembled rotation vector, which is exact for
turns about one axis.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..mechanism import Action, Body, Constraint, Force, Joint, JointMotor, Mechanism, Nail, Table
from ..mechanism.constraints import Curve, FrameConstraint, PointPair, Span
from ..mechanism.joint_types import LENGTH, JointType
from ..mechanism.ropes import Rope
from ..mechanism.table import Number, mapped
from ..model.closures import start_coordinate
from ..model.topology import counted_joints
from . import rotations
from .connections import Connections
from .placement import Bodies, Poses
from .rows import LENGTHS, coordinate_names, near_coordinate

ENDS = ("point_a", "point_b")
_UNMOVED = 1e-14  # m or rad: rounding, not a coordinate

Turns = dict[tuple[str, str], float]
Coordinates = tuple[float, ...]


def rebased(mechanism: Mechanism, bodies: Bodies, connections: Connections, poses: Poses, turns: Turns) -> Mechanism:
    """The mechanism as it stands at `poses`; `turns`: angles whose whole turns are known."""
    move = _Move(bodies, poses)
    joints, reached = _joints(mechanism, connections, poses, turns)
    parts = {part.name: part for part in (*mechanism.joints, *mechanism.forces)}
    (a, turn_a), (b, turn_b) = connections.frames(poses)
    ends = {connection.part.name: (a[k], b[k]) for k, connection in enumerate(connections.parts)}
    turned = {connection.part.name: (turn_a[k], turn_b[k]) for k, connection in enumerate(connections.parts)}
    return dataclasses.replace(
        mechanism,
        bodies=[_body(body, i, poses) for i, body in enumerate(mechanism.bodies)],
        joints=joints,
        constraints=[
            _without_turns(_constraint(part, move, ends, turned), mechanism, reached) for part in mechanism.constraints
        ],
        forces=[_force(force, move) for force in mechanism.forces],
        actions=[_action(action, parts, reached, move) for action in mechanism.actions],
    )


class _Move:
    """Carries points and orientations of the world along with the bodies that they are fixed to."""

    def __init__(self, bodies: Bodies, poses: Poses) -> None:
        self._bodies, self._poses = bodies, poses

    def point(self, name: str | None, point: tuple) -> np.ndarray:
        body = np.array([self._bodies.number[name]])
        return self._poses.to_world(body, self._bodies.drawn.to_body(body, np.array([point])))[0]

    def orientation(self, name: str | None, orientation: tuple) -> np.ndarray:
        body = np.array([self._bodies.number[name]])
        own = self._bodies.drawn.turn_to_body(body, np.array([orientation]))
        return rotations.normalized(rotations.multiply(self._poses.orientation[body], own))[0]


def _body(body: Body, i: int, poses: Poses) -> Body:
    if body.motion == "fixed":
        return body
    return dataclasses.replace(body, position=poses.position[i], orientation=poses.orientation[i])


def _joints(mechanism: Mechanism, connections: Connections, poses: Poses, turns: Turns) -> tuple[list[Joint], dict]:
    """(joints, {name: coordinates that they have in the old description})."""
    sight, ((place, turn), (_, child_turn)) = connections.sight(poses), connections.frames(poses)
    sprung = {action.target for action in mechanism.actions if "stiffness" in (action.set or ())}
    joints, reached = [], {}
    for k, joint in enumerate(mechanism.joints):
        names = coordinate_names(joint.joint_type)
        d, Q = sight.d[[k]], sight.Q[[k]]
        given = joint.start_coordinates or (0.0,) * len(names)
        near = [np.array([turns.get((joint.name, name), start)]) for name, start in zip(names, given, strict=True)]
        q = [float(near_coordinate(name, d, Q, n).residual[0, 0]) for name, n in zip(names, near, strict=True)]
        q = tuple(0.0 if abs(value) < _UNMOVED else value for value in q)
        reached[joint.name] = q
        place_now, frame = frame_at(joint, (place[k], turn[k]), child_turn[k], q)
        changes = {"position": place_now, "orientation": frame}
        if any(q):
            changes |= shifted(joint, q, _counted_from_zero(joint, joint.name in sprung))
        joints.append(dataclasses.replace(joint, coordinates=None, **changes))
    return joints, reached


def frame_at(
    joint: Joint, parent_side: tuple[np.ndarray, np.ndarray], child_turn: np.ndarray, q: Coordinates
) -> tuple[np.ndarray, np.ndarray]:
    """(position (3,), orientation (4,)) of the frame that a joint's coordinates are counted from once q are its zero.

    `parent_side`: position and orientation of its frame as the parent carries it, `child_turn`: orientation of the
    child's; all in the world.
    """
    place, turn = parent_side
    kept = np.zeros(3)
    for name, value in zip(coordinate_names(joint.joint_type), q, strict=True):
        if name in LENGTHS:
            kept[LENGTHS.index(name)] = value
    if joint.joint_type.is_threaded:
        kept[2] = joint.pitch * q[0]
    frame = _new_frame(joint.joint_type, turn, child_turn, q)
    return place + rotations.rotate(turn, kept), rotations.normalized(frame)


def _new_frame(joint_type: JointType, turn: np.ndarray, child_turn: np.ndarray, q: Coordinates) -> np.ndarray:
    """The orientation (4,) of a frame that has at zero coordinates the axes that the joint's has at q."""
    sides = [axis.side for axis in joint_type.axes]
    if "child" not in sides or LENGTH in (axis.kind for axis in joint_type.axes):
        return turn  # the travels' axes; turns that the child has are counted from there anew
    if "parent" not in sides:  # its speeds, damping, armature and motors act along the child's axes
        return child_turn
    for axis, value in zip(joint_type.axes, q, strict=True):
        if axis.side == "parent":
            turn = rotations.multiply(turn, rotations.exponential(value * np.eye(3)[axis.axis]))
    return turn


def _counted_from_zero(joint: Joint, is_sprung: bool) -> dict[str, Any]:
    """The settings that a new zero changes; a spring's rest is one of them even if it was not given."""
    settings = {name: getattr(joint, name) for name in ("rest", "pull", "limits", "motor")}
    if joint.rest is None and (is_sprung or joint.stiffness is not None):
        settings["rest"] = (0.0,) * joint.count
    return settings


def shifted(joint: Joint, q: Coordinates, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of a joint (`rest`, `limits`, `motor`, ...), counted from its coordinates q; -q undoes it."""
    result = dict(settings)
    pulls = result.get("pull", joint.pull) or (None,) * len(q)
    if result.get("rest") is not None:
        rest = counted_from(joint, q, result["rest"])
        result["rest"] = tuple(0.0 if pull else value for value, pull in zip(rest, pulls, strict=True))
    if result.get("pull") is not None:
        result["pull"] = tuple(
            pull and dataclasses.replace(pull, coordinates=tuple(x - zero for x in pull.coordinates))
            for pull, zero in zip(pulls, q, strict=True)
        )
    if result.get("limits") is not None:
        result["limits"] = tuple(
            bounds and tuple(None if bound is None else bound - zero for bound in bounds)
            for bounds, zero in zip(result["limits"], q, strict=True)
        )
    motor = result.get("motor")
    if isinstance(motor, JointMotor) and motor.mode in ("position", "keyed"):
        target = counted_from(joint, q, motor.per_coordinate("target", len(q)))
        result["motor"] = dataclasses.replace(motor, target=target if isinstance(motor.target, tuple) else target[0])
    elif isinstance(motor, tuple):
        result["motor"] = tuple(map(_motor_from, motor, q))
    return result


def _motor_from(motor: JointMotor | None, zero: float) -> JointMotor | None:
    """The motor of one coordinate, counted from another zero."""
    if motor is None or motor.mode not in ("position", "keyed"):
        return motor
    return dataclasses.replace(motor, target=_less(motor.per_coordinate("target", 1)[0], zero))


def _less(value: Number, zero: float) -> Number:
    if isinstance(value, Table):
        return Table(value.times, tuple(entry - zero for entry in value.values))
    return value - zero


def counted_from(joint: Joint, q: Coordinates, values: Sequence[Number]) -> list[Number]:
    """Coordinates of a joint, or tables of them, counted from its coordinates q."""
    less = list(map(_less, values, q))
    if joint.joint_type.is_charted and not any(isinstance(value, Table) for value in values[-3:]):
        wanted, zero = rotations.exponential(np.array(values[-3:])), rotations.exponential(np.array(q[-3:]))
        less[-3:] = rotations.logarithm(rotations.multiply(rotations.conjugate(zero), wanted))
    return less


_Sides = dict[str, tuple[np.ndarray, np.ndarray]]


def _constraint(part: Constraint, move: _Move, ends: _Sides, turned: _Sides) -> Constraint:
    """`ends`, `turned`: places and turns of the frames a and b of the enabled constraints."""
    if isinstance(part, FrameConstraint):
        return _between_frames(part, move, ends, turned)
    if isinstance(part, Nail):
        return part if part.to is None else dataclasses.replace(part, point=ends.get(part.name, (part.point,))[0])
    if isinstance(part, Curve):
        return part.carried(move.point, move.orientation)
    places = [move.point(name, point) for name, point in zip(part.end_bodies, part.end_points, strict=False)]
    if isinstance(part, PointPair):
        places = list(ends.get(part.name, places[::-1]))[::-1]
    moved = part.with_end_points(places)
    return dataclasses.replace(moved, **{part.LENGTH: part.drawn_length}) if isinstance(part, Span) else moved


def _without_turns(part: Constraint, mechanism: Mechanism, reached: dict[str, Coordinates]) -> Constraint:
    """A rope that is shorter by what its drums wind up until they stand as they do now."""
    if not isinstance(part, Rope) or not part.drums:
        return part
    turned = zip(part.radii, counted_joints(mechanism, part), strict=True)
    wound = sum(radius * (reached[hinge.name][0] - start_coordinate(hinge)) for radius, hinge in turned)
    return dataclasses.replace(part, length=part.length - wound)


def _between_frames(part: FrameConstraint, move: _Move, ends: _Sides, turned: _Sides) -> FrameConstraint:
    both = list(zip(part.held_bodies, part.sides, strict=True))
    places = ends.get(part.name, [move.point(body, place) for body, (place, _) in both])
    turns = turned.get(part.name, [move.orientation(body, turn) for body, (_, turn) in both])
    held_to, held = zip(places, turns, strict=True)
    if part.guide is not None:
        held_to = part.sides[0]
    return part.with_sides(*((place, rotations.normalized(turn)) for place, turn in (held_to, held)))


def _force(force: Force, move: _Move) -> Force:
    return dataclasses.replace(force, **_moved_settings(force, move, vars(force)))


def _moved_settings(force: Force, move: _Move, settings: dict[str, Any]) -> dict[str, Any]:
    """Those of a force's settings that are places, where they have got to."""
    moved = {}
    for name in ("point", *ENDS):
        if name in settings and hasattr(force, name):
            body = force.body if name == "point" else getattr(force, f"body_{name[-1]}")
            moved[name] = mapped(settings[name], lambda point, body=body: move.point(body, point))
    if "orientation" in settings and hasattr(force, "orientation"):
        moved["orientation"] = mapped(settings["orientation"], lambda q: move.orientation(force.body, q))
    return moved


def _action(action: Action, parts: dict[str, Any], reached: dict[str, Coordinates], move: _Move) -> Action:
    part = parts.get(action.target)
    if action.set is None:
        return action
    if isinstance(part, Force):
        return dataclasses.replace(action, set=action.set | _moved_settings(part, move, action.values_for(part)))
    if isinstance(part, Joint) and any(reached[part.name]):
        return dataclasses.replace(action, set=shifted(part, reached[part.name], action.values_for(part)))
    return action
