# SPDX-License-Identifier: GPL-3.0-or-later
"""Weight on single feet, and feet that are lifted once they bear none of it.

Each foot has a share s_k of the weight, and the figure's centre of mass is led over sum s_k x_k, x_k the places of the
feet. A foot without a share bears nothing more as soon as the capture point (`stepping`) is above the soles of the
others. Then it is led, lies where it is or rises, and comes down where it stood, at once where the figure would fall.

Symbols: s shares, w weights of points, xi capture point.
"""

import math

import numpy as np

from ..kernel import kernel
from ..model.arrays import AXIS_PARAMETERS, FOOT_LIFT, FOOT_PARAMETERS, FOOT_WEIGHT, FORCE_PARAMETERS, records
from ..spatial import add, add_scaled, load3, rotate, scale, store3, subtract, unrotate
from .stepping import (
    beyond,
    flat_height,
    ground_of,
    hold_foot,
    place_of,
    stands_elsewhere,
    stands_on,
)

_RISES, _DROPS = 0.4, 1.5  # m/s: of a foot, at most, and of one that comes down to catch the figure
_HARDEST = 30.0  # m/s2: the most that is asked of a foot
_KEPT_UP = 0.03  # of the height of the centre of mass: how far off the capture point may be before a foot comes down
_CALM = 0.02  # of that height: how far from above itself the capture point may be for a foot to begin
_SLIGHT = 0.03  # of the weight: what a foot that shall bear none still bears until the others can

RISE = np.dtype(
    [
        ("is_up", "i8"),  # 1 while it is led through the air
        ("time", "f8"),  # s: of the step before
        ("height", "f8"),  # m: over where it stood
        ("place", "f8", 3),  # m: where it stood from the mean of the standing feet, turned back with them
    ],
    align=True,
)


def new_rises(count: int) -> np.recarray:
    """Of feet that stand."""
    return records(count, RISE)


@kernel
def foot_parameter(model, foot, which):
    """The place of a foot's number among the parameters."""
    first = len(model.armature) * AXIS_PARAMETERS + len(model.forces) * FORCE_PARAMETERS
    return first + FOOT_PARAMETERS * foot.entry + which


@kernel
def share_weight(model, p, figures, figure, shares):
    """Fills the shares of the weight of a figure's feet, alike where none are told; returns whether some are."""
    total, count = 0.0, figure.foot_end - figure.foot_start
    for number in range(figure.foot_start, figure.foot_end):
        shares[number] = max(0.0, p[foot_parameter(model, figures.feet[number], FOOT_WEIGHT)])
        total += shares[number]
    for number in range(figure.foot_start, figure.foot_end):
        shares[number] = shares[number] / total if total > 0.0 else 1.0 / count
    return total > 0.0


@kernel
def weigh_points(figures, figure, shares, bearings, count):
    """Divides the share of each foot among the points in which it stands."""
    for number in range(figure.foot_start, figure.foot_end):
        points, body = 0, figures.feet[number].body
        for k in range(count):
            points += 1 if bearings[k].foot == body else 0
        for k in range(count):
            if bearings[k].foot == body:
                bearings[k].weight = max(_SLIGHT, shares[number]) / points


@kernel
def plan_lifts(model, scratch, steering, figure, stride, count, pendulum, time):
    """Decides which feet are led and how high they are; pendulum: c, v, gravity (m/s2)."""
    figures, bearings = steering.figures, steering.bearings
    for number in range(figure.foot_start, figure.foot_end):
        foot, rise = figures.feet[number], steering.rises[number]
        stands, others = stands_on(bearings, count, foot.body), stands_elsewhere(bearings, count, foot.body)
        is_bare, margin = steering.shares[number] == 0.0, _KEPT_UP if rise.is_up else 0.0
        is_free = is_bare and _is_borne(scratch, steering, figure, number, count, pendulum, margin)
        if stride.foot == number + 1 or not others:
            rise.is_up = 0
        elif rise.is_up:
            lift = scratch.parameters[foot_parameter(model, foot, FOOT_LIFT)] if is_free else -math.inf
            most = (_RISES if is_free else _DROPS) * max(0.0, time - rise.time)
            rise.height += max(-most, min(most, lift - rise.height))
            rise.is_up = 1 if is_free or not stands else 0
        elif is_free or (is_bare and not stands):
            _begin(scratch, steering, figure, number, count, stands)
        rise.time = time
        steering.aloft[number] = 1 if rise.is_up or stride.foot == number + 1 else 0


@kernel
def keep_down(steering, figure):
    """No foot of a figure is led any more."""
    for number in range(figure.foot_start, figure.foot_end):
        steering.rises[number].is_up, steering.aloft[number] = 0, 0


@kernel
def _is_borne(scratch, steering, figure, number, count, pendulum, margin):
    """True if the capture point is above the soles of the other feet, or no farther off than a part of its height."""
    c, v, gravity = pendulum
    there, velocity, _ = ground_of(scratch, steering.figures, figure, steering.aloft, number)
    height = c[2] - there[2]
    if not height > 0.0 or not gravity > 0.0:
        return False
    xi = add_scaled(c, math.sqrt(height / gravity), subtract(v, velocity))
    off, _, _ = beyond(steering.bearings, count, steering.figures.feet[number].body, xi)
    sways = math.hypot(xi[0] - c[0], xi[1] - c[1])
    return off <= margin * height and (margin > 0.0 or sways <= _CALM * height)


@kernel
def _begin(scratch, steering, figure, number, count, stands):
    """Notes where a foot stands that is going to rise, or would stand that is in the air."""
    figures, rise = steering.figures, steering.rises[number]
    foot = figures.feet[number]
    there, _, turn = ground_of(scratch, figures, figure, steering.aloft, number)
    place, rise.is_up, rise.height = place_of(scratch, foot), 1, 0.0
    if not stands:
        ground = foot.place[2] + ground_rise(scratch, steering, figure, number, count, turn)
        rise.height = max(0.0, place[2] - ground)
    store3(rise.place, unrotate(turn, subtract(add(place, (0.0, 0.0, -rise.height)), there)))


@kernel
def ground_rise(scratch, steering, figure, without, count, turn):
    """m: by how much the standing feet are higher than as drawn, by their shares; of all alike if they have none."""
    figures, total, shared, mean, feet = steering.figures, 0.0, 0.0, 0.0, 0
    for number in range(figure.foot_start, figure.foot_end):
        if number != without and not steering.aloft[number]:
            foot = figures.feet[number]
            rise = flat_height(scratch, foot, steering.bearings, count, turn) - foot.place[2]
            total, shared = total + steering.shares[number], shared + steering.shares[number] * rise
            mean, feet = mean + rise, feet + 1
    if total > 0.0:
        return shared / total
    return mean / feet if feet > 0 else 0.0


@kernel
def risen(scratch, steering, figure, number):
    """(a, alpha): the accelerations asked of a foot that is lifted."""
    figures, rise = steering.figures, steering.rises[number]
    there, velocity, turn = ground_of(scratch, figures, figure, steering.aloft, number)
    target = add(add(there, rotate(turn, load3(rise.place))), (0.0, 0.0, rise.height))
    a, alpha = hold_foot(scratch, figures.feet[number], turn, target, velocity)
    size = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    return scale(_HARDEST / size, a) if size > _HARDEST else a, alpha
