# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties of role FORCE become forces: motors, brakes, supports, springs, ..., and a body's own gravity."""

import bpy
import numpy as np

from ...solver.mechanism import (
    Balance,
    Brake,
    Damping,
    Drag,
    Expression,
    Force,
    Gravity,
    Motor,
    Reach,
    Rubber,
    Spring,
    Steering,
    Support,
    Table,
    Tyre,
)
from ...solver.model.curves import force_at
from ..geometry.rounding import as_typed
from ..owner import Owner
from ..parts.feet import feet_of, foot_places
from ..parts.formulas import formulas_of, not_understood
from ..parts.height_field import HeightField, height_of
from ..parts.tables import is_used
from ..parts.terrain import terrain_of, warn_of_wheel
from ..properties.figures import MOST_WEIGHTS
from ..properties.force_types import TYRE_LOAD
from .moving_frames import watch_frame
from .paths import refuses_leader
from .reading import Reading, number_over_time
from .sampling import Probe

STANDARD_GRAVITY = 9.81
TOO_DEEP = 5.0  # times a body's weight: a support that pushes harder than this at the start throws the body up


def read_force(reading: Reading, owner: bpy.types.Object) -> None:
    """Add a force to the mechanism, or say what is wrong with it. Animated numbers become tables."""
    settings = owner.ves
    if settings.body_a is None:
        reading.error(owner, "acts on nothing: choose its body")
        return
    body = reading.end(owner, settings.body_a)
    if body is None:
        return
    READERS[settings.force_type](reading, owner, body)


def _read_gravity(reading: Reading, owner: bpy.types.Object, body: str) -> None:
    force = _add(reading, Gravity(name=owner.name_full, body=body, acceleration=(0.0, 0.0, 0.0)))
    reading.over_time(owner, lambda s: list(s.acceleration), lambda values: setattr(force, "acceleration", values))


def _read_damping(reading: Reading, owner: bpy.types.Object, body: str) -> None:
    force = _add(reading, Damping(name=owner.name_full, body=body))

    def use(values: list) -> None:
        force.linear, force.angular = values

    reading.over_time(owner, lambda s: [s.linear, s.angular], use)


def _read_drag(reading: Reading, owner: bpy.types.Object, body: str) -> None:
    measure = owner.ves.drag_measure.lower()
    force = _add(reading, Drag(name=owner.name_full, body=body))

    def use(values: list) -> None:
        setattr(force, measure, values[0])
        force.wind = values[1:]

    reading.over_time(owner, lambda s: [getattr(s, f"drag_{measure}"), *s.wind], use)


def _read_motor(reading: Reading, owner: bpy.types.Object, body: str) -> None:
    pose = reading.poses[owner]
    force = _add(reading, Motor(name=owner.name_full, body=body, point=pose.position, orientation=pose.orientation))

    def use(values: list) -> None:
        force.force, force.torque = values[:3], values[3:]

    reading.over_time(owner, lambda s: [*s.force, *s.torque], use)
    watch_frame(reading, owner, force)


def _read_brake(reading: Reading, owner: bpy.types.Object, body: str) -> None:
    settings, pose = owner.ves, reading.poses[owner]
    force = _add(
        reading,
        Brake(name=owner.name_full, body=body, point=pose.position, orientation=pose.orientation, damping=0.0),
    )

    def use(values: list) -> None:
        force.damping = values[:3]
        force.max_force = values[3] if settings.use_max_force else None

    reading.over_time(owner, lambda s: [*s.brake_damping, s.max_force], use)
    watch_frame(reading, owner, force)


def _read_balance(reading: Reading, owner: bpy.types.Object, body: str) -> None:
    settings, pose = owner.ves, reading.poses[owner]
    feet = feet_of(settings)
    if not feet:
        reading.error(owner, "has no feet: select them, then this Empty, and press Feet from Selection")
        return
    names = [reading.end(owner, foot) for foot in feet]
    if None in names:
        return
    places = foot_places(settings)
    if settings.use_balance_weights and len(places) and places[-1] >= MOST_WEIGHTS:
        reading.error(owner, f"has more than {MOST_WEIGHTS} feet, too many for weights: take some out, or Weights off")
        return
    if not settings.use_balance_weights:
        places = []
    if not reading.scene.ves.use_contact:
        reading.warn(owner, "stands on nothing while bodies pass through each other: turn on Contact")
    force = Balance(
        name=owner.name_full, body=body, feet=tuple(names), position=pose.position, orientation=pose.orientation
    )
    _add(reading, force)

    def use(values: list) -> None:
        gains = [values[8 + 3 * k : 11 + 3 * k] for k in range(4)] if settings.use_balance_directions else values[:4]
        force.frequency, force.damping_ratio = gains[:2]
        force.orientation_frequency, force.orientation_damping_ratio = gains[2:]
        if settings.use_balance_weights:
            force.weights, force.lifts = values[20 : 20 + len(feet)], values[20 + len(feet) :]
        force.max_torque = values[4] if settings.use_balance_max_torque else None
        force.step_time = values[5] if settings.use_balance_steps else 0.0
        force.step_height = values[6]
        force.load_time = values[7] if settings.use_balance_loads else 0.0

    reading.over_time(
        owner,
        lambda s: [
            s.balance_frequency,
            s.balance_damping_ratio,
            s.balance_turn_frequency,
            s.balance_turn_damping_ratio,
            s.balance_max_torque,
            s.balance_step_time,
            s.balance_step_height,
            s.balance_load_time,
            *(*s.balance_frequencies, *s.balance_damping_ratios),
            *(*s.balance_turn_frequencies, *s.balance_turn_damping_ratios),
            *(s.balance_weights[k] for k in places),
            *(s.balance_lifts[k] for k in places),
        ],
        use,
    )
    watch_frame(reading, owner, force, "position")


def _read_reach(reading: Reading, owner: bpy.types.Object, body: str) -> None:
    settings, target = owner.ves, owner.ves.reach_target
    if target is None:
        reading.error(owner, "has no target: choose an object that the hand follows")
        return
    if refuses_leader(reading, owner, target):
        return
    place = reading.poses[owner].position
    force = _add(reading, Reach(name=owner.name_full, body=body, point=place, target=place))

    def use(values: list) -> None:
        force.frequency, force.damping_ratio = values[:2]
        force.max_force = values[2] if settings.use_reach_max_force else None
        force.max_torque = values[3] if settings.use_reach_max_torque else None

    reading.over_time(
        owner,
        lambda s: [s.reach_frequency, s.reach_damping_ratio, s.reach_max_force, s.reach_max_torque],
        use,
    )
    _watch_target(reading, force, target)
    watch_frame(reading, owner, force)


def _read_steering(reading: Reading, owner: bpy.types.Object, body: str) -> None:
    settings = owner.ves
    if settings.body_b is None:
        reading.error(owner, "has no fork: choose the body that it turns")
        return
    if settings.body_b == settings.body_a:
        reading.error(owner, f"turns {settings.body_b.name} in itself: choose a fork that is not the frame")
        return
    fork = reading.end(owner, settings.body_b)
    if fork is None:
        return
    sizes = {"wheelbase": as_typed(settings.wheelbase), "center_height": as_typed(settings.center_height)}
    turn = reading.poses[owner].orientation
    force = _add(
        reading, Steering(name=owner.name_full, body=body, fork=fork, orientation=turn, stiffness=0.0, **sizes)
    )

    def use(values: list) -> None:
        force.frequency, force.damping_ratio, force.stiffness, force.damping = values[:4]
        force.max_torque = values[4] if settings.use_arm_max_torque else None
        force.max_lean, force.heading_time = values[5:7]
        force.heading = values[7] if settings.way == "HEADING" else None

    reading.over_time(
        owner,
        lambda s: [
            *(s.lean_frequency, s.lean_damping_ratio, s.arm_stiffness, s.arm_damping, s.arm_max_torque),
            *(s.max_lean, s.heading_time, s.heading),
        ],
        use,
    )
    target = settings.ride_target
    if settings.way == "TARGET" and target is None:
        reading.error(owner, "has no target: choose an object to ride towards, or another Way")
    elif settings.way == "TARGET" and not refuses_leader(reading, owner, target):
        _watch_target(reading, force, target)


def _watch_target(reading: Reading, force: Steering | Reach, target: bpy.types.Object) -> None:
    """Samples the object that a rider rides towards, or a hand follows."""
    frames, sample = reading.sampled_frames, Owner(target).world
    force.target = sample(reading.depsgraph)[:3, 3]

    def use(matrices: np.ndarray) -> None:
        places, times = matrices[:, :3, 3], reading.times(frames)
        if (places != places[0]).any():
            force.target = [number_over_time(times, column) for column in places.T]

    reading.probes.append(Probe(frames, sample, use))


def _read_expression(reading: Reading, owner: bpy.types.Object, body: str) -> None:
    settings, pose = owner.ves, reading.poses[owner]
    wrong = not_understood(settings)
    for axis, found in wrong.items():
        reading.error(owner, f"Force {axis.upper()} {found}")
    if wrong:
        return
    frame = {"point": pose.position, "orientation": pose.orientation, "axes": settings.expression_axes.lower()}
    force = _add(reading, Expression(name=owner.name_full, body=body, force=formulas_of(settings), **frame))

    def use(values: list) -> None:
        force.a, force.b, force.c = values

    reading.over_time(owner, lambda s: [s.expression_a, s.expression_b, s.expression_c], use)
    watch_frame(reading, owner, force)


def _read_support(reading: Reading, owner: bpy.types.Object, body: str) -> None:
    settings = owner.ves
    point = reading.poses[owner].position
    push, damper = reading.table(owner, "PUSH"), reading.table(owner, "DAMPER")
    name, field = terrain_of(reading, owner)
    numbers = {"stiffness": 0.0, "damping": 0.0, "push": push, "damper": damper}
    force = _add(reading, Support(name=owner.name_full, body=body, point=point, terrain=name, **numbers))

    def use(values: list) -> None:
        stiffness, damping, force.height, friction, slope, static = values
        force.stiffness, force.damping = None if push else stiffness, None if damper else damping
        force.friction = None if friction == 0.0 else friction
        if static != 0.0:
            force.static_friction, force.stribeck_speed = static, as_typed(settings.support_stribeck_speed)
        elif settings.use_slope:
            force.slope = slope

    reading.over_time(
        owner,
        lambda s: [
            *(s.support_stiffness, s.support_damping, s.support_height, s.support_friction, s.slope),
            s.support_static_friction,
        ],
        use,
    )
    _warn_of_depth(reading, owner, force, _ground_at(force, field, point) - point[2])
    watch_frame(reading, owner, force)


def _ground_at(force: Support | Tyre, field: HeightField | None, point: np.ndarray) -> float:
    """m: about the height of its ground at the start."""
    raised = force.height.values[0] if isinstance(force.height, Table) else force.height
    there = None if field is None else height_of(field, point[0], point[1])
    return raised + (there or 0.0)


def _warn_of_depth(reading: Reading, owner: bpy.types.Object, support: Support | Tyre, depth: float) -> None:
    """Say so if a support or a tyre starts so deep below the ground that it would throw its body up."""
    mass = reading.body_of(owner.ves.body_a).body.mass
    gravity = float(np.linalg.norm(reading.mechanism.gravity)) or STANDARD_GRAVITY
    push = 0.0 if isinstance(support.stiffness, Table) else (support.stiffness or 0.0) * depth
    if getattr(support, "push", None) is not None and depth > 0.0:
        push = float(force_at(support.push, np.array([depth]))[0])
    most = TOO_DEEP * (TYRE_LOAD if isinstance(support, Tyre) else 1.0)
    if mass is not None and push > most * mass * gravity:
        reading.warn(
            owner,
            f"starts {depth:.2g} m below the ground and will throw {owner.ves.body_a.name} up: "
            "raise the body or this Empty, or lower the Ground Height",
        )


def _read_tyre(reading: Reading, owner: bpy.types.Object, body: str) -> None:
    settings, pose = owner.ves, reading.poses[owner]
    name, field = terrain_of(reading, owner)
    force = Tyre(
        name=owner.name_full,
        body=body,
        point=pose.position,
        orientation=pose.orientation,
        radius=as_typed(settings.tyre_radius),
        width=as_typed(settings.tyre_width),
        stiffness=0.0,
        slip_stiffness=0.0,
        cornering_stiffness=0.0,
        slip_speed=as_typed(settings.slip_speed),
        terrain=name,
    )
    _add(reading, force)

    def use(values: list) -> None:
        force.stiffness, force.damping, force.height, force.friction = values[:4]
        force.slip_stiffness, force.cornering_stiffness, force.rolling_resistance = values[4:]

    reading.over_time(
        owner,
        lambda s: [
            *(s.tyre_stiffness, s.tyre_damping, s.support_height, s.tyre_friction),
            *(s.slip_stiffness, s.cornering_stiffness, s.rolling_resistance),
        ],
        use,
    )
    lowest = np.array(pose.position) - (0.0, 0.0, force.radius)
    _warn_of_depth(reading, owner, force, _ground_at(force, field, lowest) - lowest[2])
    warn_of_wheel(reading, owner, field)
    watch_frame(reading, owner, force)


def _read_spring(reading: Reading, owner: bpy.types.Object, body: str) -> None:
    settings, point_a = owner.ves, reading.poses[owner].position
    if settings.body_b is None and not settings.to_world:
        reading.error(owner, "has only one end: choose its second body, or turn on To World")
        return
    other, point_b = None, np.array(settings.point_b, dtype=np.float64)
    if settings.body_b:
        other = reading.end(owner, settings.body_b)
        if other is None:
            return
        matrix = reading.world(settings.body_b)
        point_b = matrix[:3, :3] @ point_b + matrix[:3, 3]
    relaxed = float(np.linalg.norm(point_a - point_b))
    is_rubber = settings.force_type == "RUBBER"
    pull, damper = reading.table(owner, "PULL"), reading.table(owner, "DAMPER")
    if is_used(settings, "PULL") and pull is None:
        return
    force = _add(
        reading,
        (Rubber if is_rubber else Spring)(
            name=owner.name_full,
            body_a=body,
            body_b=other,
            point_a=point_a,
            point_b=point_b,
            stiffness=None if pull else 0.0,
            rest_length=None if pull else relaxed,
            pull=pull,
            damper=damper,
        ),
    )

    def use(values: list) -> None:
        stiffness, damping, length, restitution = values
        force.damping = 0.0 if damper else damping
        if pull is None:
            force.stiffness, force.rest_length = stiffness, length if settings.use_rest_length else relaxed
        if is_rubber:
            force.restitution = restitution

    reading.over_time(owner, lambda s: [s.spring_stiffness, s.spring_damping, s.rest_length, s.restitution], use)
    watch_frame(reading, owner, force, "point_a")


def _add(reading: Reading, force: Force) -> Force:
    reading.mechanism.forces.append(force)
    return force


READERS = {
    "GRAVITY": _read_gravity,
    "BALANCE": _read_balance,
    "DAMPING": _read_damping,
    "DRAG": _read_drag,
    "EXPRESSION": _read_expression,
    "MOTOR": _read_motor,
    "BRAKE": _read_brake,
    "REACH": _read_reach,
    "STEERING": _read_steering,
    "SUPPORT": _read_support,
    "SPRING": _read_spring,
    "RUBBER": _read_spring,
    "TYRE": _read_tyre,
}
