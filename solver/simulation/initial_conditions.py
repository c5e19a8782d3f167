# SPDX-License-Identifier: GPL-3.0-or-later
"""The start of a linkage: open closures are refused or closed, and speeds are what was asked for, or near it."""

from collections.abc import Container, Sequence

import numpy as np

from ..dynamics.loops.initial_projection import measure_openings, start_closed, start_tree
from ..mechanism import Body, Mechanism
from ..mechanism.error import refuse
from ..mechanism.keyed_motion import sample
from ..mechanism.messages import Message
from ..mechanism.ropes import OverWheels
from ..model.arrays import (
    COMPOSITE,
    LAGRANGE,
    PROPAGATION,
    RECURSIVE,
    SPARSE,
    ClosedTreeModel,
    Model,
    PropagationModel,
    new_scratch,
)
from ..model.closures import Source
from ..model.linkage.compilation import Compiled, part_of
from ..model.moment import Moment
from ..model.poses import ZERO, turned
from .catching.courses import begin_courses, said

_MISFIT = 1e-9  # of the linkage's largest speed
_STILL = 1e-8  # rad/s, and sizes of the linkage a second: changes of what moves already that are none


def set_start(mechanism: Mechanism, compiled: Compiled, moment: Moment | None = None) -> list[str]:
    """Closes compiled.state and fills its speeds; returns notes on what had to change, and on what is drawn together.

    With a `moment`, the bodies go on from there: what holds them anew stops them, and nothing else changes. Raises
    MechanismError for closures that are open by more than rounding.

    A joint's own `speeds` rule. A body without velocities asks for rest, or for the velocity of the keys that it
    follows, unless the joint to its inner body gives speeds: then it simply goes with it. The free speeds are the
    projection of `dynamics.loops.initial_projection`.
    """
    state, linkage = compiled.state, compiled.linkage
    bodies = [mechanism.bodies[i] for i in linkage.bodies]
    joints = [None if j is None else mechanism.joints[j] for j in linkage.joint]
    given = np.array([body.linear_velocity is not None or body.angular_velocity is not None for body in bodies])
    ruled = np.array([joint is not None and joint.speeds is not None for joint in joints])
    if moment is not None:
        given[:], ruled[:] = True, False
    model = _starting_model(compiled.model, ruled.any())
    scratch = new_scratch(model)
    state.speeds[:] = 0.0
    for k in np.flatnonzero(ruled):
        i = model.driven + k
        state.speeds[model.bodies[i].axis_start : model.bodies[i].axis_end] = joints[k].speeds
    asked, arms = np.zeros((len(model.bodies), 6)), np.zeros((len(model.bodies), 3))
    if moment is not None:
        asked[model.driven :, :3] = moment.angular_velocity[linkage.bodies]
        asked[model.driven :, 3:] = moment.linear_velocity[linkage.bodies]
    else:
        wanted = [_asked(body) for body in bodies]
        asked[model.driven :, :3] = [angular for _, angular in wanted]
        asked[model.driven :, 3:] = [linear for linear, _ in wanted]
    arms[model.driven :] = turned(compiled.own_rotation, compiled.center_of_mass)
    opening, time = np.zeros(model.closing), 0.0 if moment is None else moment.time
    relaxed, unruled = _relax(model, ruled, given), _without_ruled(model, ruled)
    when, notes = "the start" if moment is None else f"{time:g} s", []
    if np.any(compiled.model.closures.tau > 0.0):
        gap, rate = np.zeros(model.closing), np.zeros(model.closing)
        speeds = state.speeds.copy()
        measure_openings(model, relaxed, time, state, scratch, asked.copy(), arms, gap, rate)
        state.speeds[:] = speeds
        notes = begin_courses(mechanism, compiled, moment, gap, rate, when)
    if model.closing:
        start_closed(model, relaxed, unruled, time, state, scratch, asked, arms, opening)
    else:
        start_tree(model, relaxed, time, state, scratch, asked, arms)
    compiled.model.closures.curve_first[: len(scratch.bead)] = scratch.bead
    known = {} if moment is None else moment.known
    refuse(_open_closures(mechanism, compiled, opening, known, time, when))
    least = 0.0 if moment is None else _STILL
    return notes + _note_on_misfit(bodies, given, asked[model.driven :], scratch, model, least, when)


def _asked(body: Body) -> tuple[Sequence[float], Sequence[float]]:
    """Linear and angular velocity that a body asks for at the start."""
    if body.follow is None or body.linear_velocity is not None or body.angular_velocity is not None:
        return body.linear_velocity or ZERO, body.angular_velocity or ZERO
    _, _, linear, angular = sample(body.keys, np.zeros(1))
    return linear[0], angular[0]


def _starting_model(model: Model, is_ruled: bool) -> Model:
    """Axes whose speeds joints give are taken out of the trees, which only methods that go through them can do."""
    if not model.closing:
        return Model(*model._replace(method=RECURSIVE))
    if is_ruled and model.method in (LAGRANGE, SPARSE):
        return PropagationModel(*model._replace(method=PROPAGATION))
    if is_ruled and model.method == COMPOSITE:
        return ClosedTreeModel(*model._replace(method=RECURSIVE))
    return model


def _open_closures(
    mechanism: Mechanism, compiled: Compiled, opening: np.ndarray, known: Container[Source], time: float, when: str
) -> list[str]:
    """One line for each joint and constraint that is open, with the gap; those that held before may be."""
    model, problems = compiled.model, []
    for source, closure in zip(compiled.sources, model.closures, strict=True):
        if source.kind == "tree" or source in known:
            continue
        gap = said(model, slice(closure.row_start, closure.row_end), opening)
        part = part_of(mechanism, source)
        rope = mechanism.constraints[source.index] if source.kind == "constraint" else None
        if gap and isinstance(rope, OverWheels) and rope.given_length is not None:
            length = rope.length_at(time)[0]
            way = length + float(opening[closure.row_start])
            problems.append(Message("rope-length", part, gap=gap, when=when, length=f"{length:.6g}", way=f"{way:.6g}"))
        elif gap:
            code = "open-at-start" if when == "the start" else "open-later"
            problems.append(Message(code, part, gap=gap, when=when))
    return problems


def _without_ruled(model, ruled: np.ndarray):
    """The model in which ruled joints have no axes left."""
    if not ruled.any():
        return model
    bodies = model.bodies.copy()
    rows = model.driven + np.flatnonzero(ruled)
    bodies.axis_end[rows] = bodies.axis_start[rows]
    return model._replace(bodies=bodies)


def _relax(model, ruled: np.ndarray, given: np.ndarray):
    """The model in which ruled joints have no axes left and bodies that ask for nothing weigh nothing."""
    bodies = _without_ruled(model, ruled).bodies.copy()
    silent = model.driven + np.flatnonzero(ruled & ~given)
    bodies.mass[silent], bodies.inertia[silent] = 0.0, 0.0
    still, armature = _still_axes(model), np.zeros(len(model.armature))
    armature[still] = model.armature[still]
    return model._replace(bodies=bodies, armature=armature)


def _still_axes(model) -> np.ndarray:
    """The axes along which contact joints that roll would slide: they move nothing, but must weigh something."""
    if not len(model.rides.joints):
        return np.zeros(0, int)
    first = model.bodies.axis_start[model.rides.joints.body[model.rides.joints.rolling == 1]]
    return np.concatenate([first, first + 1])


def _note_on_misfit(
    bodies: list, given: np.ndarray, asked: np.ndarray, scratch, model, least: float, when: str
) -> list[str]:
    if not given.any():
        return []
    got = np.hstack([scratch.bodies.angular, scratch.bodies.linear])[model.driven :]
    scale = max(np.abs(asked).max(initial=0.0), np.abs(got).max(initial=0.0))
    units = np.repeat((1.0, model.size), 3)  # rad/s, m/s
    changed = given & (np.abs(got - asked) > np.maximum(_MISFIT * max(scale, 1e-12), least * units)).any(axis=1)
    parts = list(dict.fromkeys(("body", bodies[k].name) for k in np.flatnonzero(changed)))
    if not parts:
        return []
    return [Message.about_many("velocities-changed", parts, when=when)]
