# SPDX-License-Identifier: GPL-3.0-or-later
"""The state as one vector, charts, the measure of error, and the ends of an advance, for all integrators."""

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from ...dynamics.forces.switching import SLIGHT, has_switches, margin
from ...dynamics.tree.inverse_dynamics import update_joint_wrenches
from ...dynamics.tree.surface_joints import has_rides
from ...kernel import by_reference, kernel
from ...model.arrays import State
from ...rotation import exponential, multiply_quaternions, normalized

_PAST = 0.05  # of SLIGHT: how far behind the end of a mode a guess aims, so that it seldom falls short


class Status(IntEnum):
    """Ends of an advance."""

    DONE = 0  # reached the time that was asked for
    PAUSED = 1  # used up its evaluations; call again
    NOT_FINITE = 2  # accelerations are infinite or not a number, however short the step
    STEP_TOO_SHORT = 3  # the tolerance cannot be met by a step that still changes the time
    SWITCHED = 4  # a force is about to change its mode: enter the new ones and begin anew
    NEEDS_ROOM = 5  # there are more points of contact than there is room for: make some and call again
    STOPPED = 6  # something that is not a kernel has failed: no contacts could be found
    OPEN = 7  # closures cannot be brought back together
    STEP_TOO_LONG = 8  # a step of fixed length has no solution that can be found
    CUTS_IN = 9  # surfaces that ride on each other would touch in more than one point
    NO_HEADWAY = 10  # so many evaluations have not led to the next frame that none may come
    ROPE_OUT = 11  # the free rope at one side of a pulley has run out
    CONTRADICTED = 12  # motors without a maximum keep speeds that cannot be
    FOLDED = 13  # steps of fixed length find no way through a pose in which loops could go on in two ways
    STIFF = 14  # stability, not accuracy, bounds the steps: another integrator may be cheaper


@by_reference
class Motion(NamedTuple):
    """One state vector y = (coordinates, speeds), (2 A,), seen also as a State over the same memory."""

    y: np.ndarray
    state: State


def new_motion(state: State) -> Motion:
    """A copy of the state on memory of its own."""
    axes = len(state.coordinates)
    y = np.concatenate([state.coordinates, state.speeds])
    return Motion(y, State(y[:axes], y[axes:], state.anchor.copy()))


@by_reference
class Tolerance(NamedTuple):
    """Largest local errors, as parts of the linkage's size, of a radian, and of the largest speed so far."""

    relative: float
    absolute: float
    drift: float  # how far closures may be open before they are closed
    per_scale: np.ndarray  # (A,): 1 / size of the linkage for lengths, 1 for angles
    per_coordinate: np.ndarray  # (A,): the same of coordinates, which only where surfaces ride are not those of axes


@kernel
def spare(model, state, scratch, tolerance, fastest):
    """The margin of the modes at a state that has just been evaluated; infinite where nothing switches."""
    if not has_switches(model):
        return math.inf
    if len(model.switched) > 0 or has_rides(model.rides):
        update_joint_wrenches(model, scratch)
    return margin(model, state, scratch, tolerance.per_scale, fastest)


@kernel
def keep_gaps(target, source):
    """Copies which gaps are closed: `spare` opens some, also at the end of a step that is taken again."""
    for number in range(len(target)):
        target[number] = source[number]


@kernel
def next_guess(low, low_spare, high, high_spare):
    """A guess at the time between two, never at their ends, at which a mode has just been left by less than SLIGHT."""
    share = (low_spare + _PAST * SLIGHT) / (low_spare - high_spare) if low_spare < math.inf else 0.5
    return low + min(0.95, max(0.05, share)) * (high - low)


@kernel
def fastest_speed(speeds, per_scale):
    """The largest speed of a linkage, in units of its scale per second."""
    largest = 0.0
    for k in range(len(speeds)):
        largest = max(largest, abs(speeds[k]) * per_scale[k])
    return largest


@kernel
def is_finite(values):
    """True if none of them is infinite or no number."""
    total = 0.0
    for k in range(len(values)):
        total += abs(values[k])
    return math.isfinite(total)


@kernel
def weighted_norm(vector, tolerance, fastest):
    """The largest entry of a (2 A,) vector over its allowed error: one bad coordinate is not hidden by many good ones.

    Coordinates may err by a part of their scale, speeds by a part of the `fastest` so far (units of scale per second).
    """
    axes = len(tolerance.per_scale)
    coordinate, speed = 0.0, 0.0
    for k in range(axes):
        e = abs(vector[k]) * tolerance.per_coordinate[k]
        if not e <= coordinate:  # so worded that NaN gets through
            coordinate = e
        e = abs(vector[axes + k]) * tolerance.per_scale[k]
        if not e <= speed:
            speed = e
    coordinate /= tolerance.relative + tolerance.absolute
    speed /= tolerance.relative * fastest + tolerance.absolute
    return coordinate if not speed >= coordinate else speed


@kernel
def copy_anchors(source, target):
    """Takes over the anchors (C, 4) of another state's charts."""
    for chart in range(len(source.anchor)):
        for k in range(4):
            target.anchor[chart, k] = source.anchor[chart, k]


@kernel
def chart_quaternion(state, chart, first):
    """The rotation that a chart stands at."""
    q = state.coordinates
    turn = exponential((q[first], q[first + 1], q[first + 2]))
    anchor = (state.anchor[chart, 0], state.anchor[chart, 1], state.anchor[chart, 2], state.anchor[chart, 3])
    return normalized(multiply_quaternions(anchor, turn))


@kernel
def recenter(state, chart, first):
    """Anchors a chart where it stands, so that its rotation vector is zero."""
    q = chart_quaternion(state, chart, first)
    for k in range(4):
        state.anchor[chart, k] = q[k]
    for k in range(3):
        state.coordinates[first + k] = 0.0


@kernel
def chart_angle(state, first):
    """The angle (rad) by which a chart, whose first coordinate is given, is turned from its anchor."""
    q = state.coordinates
    return math.sqrt(q[first] ** 2 + q[first + 1] ** 2 + q[first + 2] ** 2)
