# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps: a figure that would fall puts a foot where it can come to rest.

It is taken for an upside-down pendulum of constant height h, whose capture point xi says where it would have to stand
to come to rest (Pratt, Carff, Drakunov and Goswami 2006). While the ground's force acts at p, xi runs away from it
(Koolen, de Boer, Rebula, Goswami and Pratt 2012):

    xi = c + v / w,  w^2 = g / h,  xi(t) = p + (xi - p) e^(w t)

As long as xi is above the soles, leaning on them is enough. Beyond, the foot that has the shortest way is lifted and
led to where xi will be when it comes down; the place is decided anew at each step of the simulation on the way. Feet do
not cross, and go no farther than their legs reach; where one step is not enough, another follows.
"""

import math

import numpy as np

from ..kernel import kernel
from ..model.arrays import records
from ..rotation import conjugate, multiply_quaternions, quaternion_of_matrix
from ..spatial import (
    add,
    add_scaled,
    load3,
    load9,
    multiply,
    rotate,
    scale,
    store3,
    subtract,
    transpose,
    unrotate,
)
from .bearings import KEPT

_DIRECTIONS = 32  # in which it is asked whether the capture point is outside the soles
_STAYS = 0.08  # s: a foot stands at least, before the next one is lifted
_DOWN = 0.5  # of its time: from then on a foot that touches has come down
_DECIDED = 0.85  # of its time: from then on its place stays
_APART = 0.6  # of the way between two feet as drawn: what stays of it
_STRETCHED = 0.97  # of a leg's length: how far it reaches
_SHORT = 3.0  # times its way: what a foot costs that comes down short of where it should
_FIRM = 2.0 * math.pi * 4.0  # rad/s: with which a foot in the air keeps to its way
_BEYOND = 1.2  # times the way of the capture point: so far a foot goes, so that there is sole beyond it
_SINKS = 0.4  # m/s: of a foot that has found no ground in its time
_RAISED = 0.5  # of the height of a step: a foot that is so high is in the air
_NOWHERE = -1e30
_ZERO = (0.0, 0.0, 0.0)

STRIDE = np.dtype(
    [
        ("foot", "i8"),  # the number of the foot in the air and 1, or 0
        ("begun", "f8"),  # s: when it was lifted, or the last one came down
        ("start", "f8", 3),  # m: of its frame, level from the mean of the other feet, and its height; as is
        ("goal", "f8", 3),  # m: its place when it is down
    ],
    align=True,
)


def new_strides(count: int) -> np.recarray:
    """Of figures that stand on all their feet."""
    strides = records(count, STRIDE)
    strides.begun = -np.inf
    return strides


@kernel
def plan_step(scratch, steering, figure, stride, count, pendulum, balance, time):
    """Decides whether a foot comes down, is lifted, and where it goes; pendulum: c, v, gravity (m/s2)."""
    figures, bearings, aloft = steering.figures, steering.bearings, steering.aloft
    if stride.foot > 0:
        landed = stands_on(bearings, count, figures.feet[stride.foot - 1].body)
        if landed and time > stride.begun + _DOWN * balance.step_time:
            stride.foot, stride.begun = 0, time
    number = stride.foot - 1
    if number < 0 and time < stride.begun + _STAYS:
        return
    there, velocity, turn = ground_of(scratch, figures, figure, aloft, number)
    c, v, gravity = pendulum
    height = c[2] - there[2]
    if not height > 0.0 or not gravity > 0.0:
        return
    w = math.sqrt(gravity / height)
    xi = add_scaled(c, 1.0 / w, subtract(v, velocity))
    if number >= 0:
        left = stride.begun + balance.step_time - time
        if left > (1.0 - _DECIDED) * balance.step_time:
            goal, _ = _foothold(scratch, figures, figure, aloft, number, bearings, count, xi, v, w, left)
            store3(stride.goal, subtract(goal, level(there)))
        return
    if _lowers_foot(scratch, figures, figure, aloft, stride, bearings, count, xi, v, w, balance, time):
        return
    off, _, _ = beyond(bearings, count, -1, xi)
    if off <= 0.0:
        return
    least = math.inf
    for k in range(figure.foot_start, figure.foot_end):
        if not stands_elsewhere(bearings, count, figures.feet[k].body):
            continue
        goal, short = _foothold(scratch, figures, figure, aloft, k, bearings, count, xi, v, w, balance.step_time)
        place = place_of(scratch, figures.feet[k])
        way = math.hypot(goal[0] - place[0], goal[1] - place[1])
        if _SHORT * short + way < least:
            least = _SHORT * short + way
            _lift(scratch, figures, figure, aloft, stride, k, place, goal, time)


@kernel
def _lift(scratch, figures, figure, aloft, stride, number, place, goal, time):
    stride.foot, stride.begun = number + 1, time
    others, _, _ = ground_of(scratch, figures, figure, aloft, number)
    store3(stride.start, subtract(place, level(others)))
    store3(stride.goal, subtract(goal, level(others)))


@kernel
def _lowers_foot(scratch, figures, figure, aloft, stride, bearings, count, xi, v, w, balance, time):
    """Lets a foot come down that is in the air, as after the figure has been changed; True if there was one."""
    for k in range(figure.foot_start, figure.foot_end):
        foot = figures.feet[k].body
        if not aloft[k] and not stands_on(bearings, count, foot) and stands_elsewhere(bearings, count, foot):
            goal, _ = _foothold(scratch, figures, figure, aloft, k, bearings, count, xi, v, w, balance.step_time)
            place = place_of(scratch, figures.feet[k])
            if place[2] - goal[2] > _RAISED * balance.step_height:
                _lift(scratch, figures, figure, aloft, stride, k, place, goal, time)
                return True
    return False


@kernel
def leave_out(bearings, count, foot):
    """Leaves out the bearings of a foot in the air; returns how many remain."""
    kept = 0
    for k in range(count):
        if bearings[k].foot != foot:
            bearings[kept] = bearings[k]
            kept += 1
    return kept


@kernel
def swing(scratch, figures, figure, aloft, stride, balance, time):
    """(a, alpha): the accelerations asked of the foot in the air."""
    number = stride.foot - 1
    there, velocity, turn = ground_of(scratch, figures, figure, aloft, number)
    T = balance.step_time
    s = min(1.0, max(0.0, (time - stride.begun) / T))
    start, way = load3(stride.start), subtract(load3(stride.goal), load3(stride.start))
    even, quick, quicker = s**3 * (10.0 - 15.0 * s + 6.0 * s * s), 30.0 * (s * (1.0 - s)) ** 2 / T, 0.0
    quicker = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (T * T)
    lift = 16.0 * balance.step_height
    up = lift * (s * (1.0 - s)) ** 2
    rise = 2.0 * lift * s * (1.0 - s) * (1.0 - 2.0 * s) / T
    quicken = 2.0 * lift * ((1.0 - 2.0 * s) ** 2 - 2.0 * s * (1.0 - s)) / (T * T) if s < 1.0 else 0.0
    late = max(0.0, time - stride.begun - T)
    target = add(add(level(there), add_scaled(start, even, way)), (0.0, 0.0, up - _SINKS * late))
    speed = add(add(level(velocity), scale(quick, way)), (0.0, 0.0, rise - (_SINKS if late > 0.0 else 0.0)))
    a, alpha = hold_foot(scratch, figures.feet[number], turn, target, speed)
    return add(a, add(scale(quicker, way), (0.0, 0.0, quicken))), alpha


@kernel
def hold_foot(scratch, foot, turn, target, speed):
    """(a, alpha): the accelerations that lead a foot to a place that moves, and keep it level."""
    moving = scratch.bodies[foot.body]
    R, spin, x, v = load9(moving.rotation), load3(moving.angular), load3(moving.center), load3(moving.linear)
    a = add_scaled(scale(_FIRM * _FIRM, subtract(target, x)), 2.0 * _FIRM, subtract(speed, v))
    error = multiply_quaternions(quaternion_of_matrix(landing_of(foot, turn)), conjugate(quaternion_of_matrix(R)))
    sense = 2.0 if error[0] >= 0.0 else -2.0
    alpha = scale(sense * _FIRM * _FIRM, (error[1], error[2], error[3]))
    return a, add_scaled(alpha, -2.0 * _FIRM, spin)


@kernel
def ground_of(scratch, figures, figure, aloft, without):
    """(mean of the feet but one and those aloft, its velocity, how far they have turned about the vertical)."""
    x, v, sine, cosine, count = _ZERO, _ZERO, 0.0, 0.0, 0
    for number in range(figure.foot_start, figure.foot_end):
        count += 0 if number == without or aloft[number] else 1
    part = 1.0 / max(1, count)
    for number in range(figure.foot_start, figure.foot_end):
        if number == without or aloft[number]:
            continue
        foot = figures.feet[number]
        moving = scratch.bodies[foot.body]
        x, v = add_scaled(x, part, load3(moving.center)), add_scaled(v, part, load3(moving.linear))
        T = multiply(load9(moving.rotation), load9(foot.axes))
        sine, cosine = sine + T[3] - T[1], cosine + T[0] + T[4]
    length = math.sqrt(sine * sine + cosine * cosine)
    if length > 0.0:
        sine, cosine = sine / length, cosine / length
    else:
        sine, cosine = 0.0, 1.0
    return x, v, (cosine, -sine, 0.0, sine, cosine, 0.0, 0.0, 0.0, 1.0)


@kernel
def level(x):
    """Without its height."""
    return x[0], x[1], 0.0


@kernel
def flat_height(scratch, foot, bearings, count, turn):
    """m: of a foot if it stood flat on the points in which it bears, as on its toes; if it bears nowhere, now.

    So a foot that rises to its toes does not lift what stands on it, and itself by that, ever higher.
    """
    moving, lowest = scratch.bodies[foot.body], math.inf
    R, landing = load9(moving.rotation), landing_of(foot, turn)
    for k in range(count):
        if bearings[k].foot == foot.body:
            x = load3(bearings[k].position)
            to_sole = rotate(landing, unrotate(R, subtract(x, load3(moving.center))))
            lowest = min(lowest, x[2] - to_sole[2])
    return lowest if lowest < math.inf else place_of(scratch, foot)[2]


@kernel
def reachable_height(scratch, figures, figure, aloft, bearings, count, now, above, turn):
    """m: how high the central body is to be, `above` its feet but as far as its legs reach; `now`: how high it is."""
    rise, mean, feet, central = math.inf, 0.0, 0, scratch.bodies[figure.body]
    for number in range(figure.foot_start, figure.foot_end):
        foot = figures.feet[number]
        mean, feet = mean + foot.place[2], feet + 1
        if not aloft[number]:
            rise = min(rise, flat_height(scratch, foot, bearings, count, turn) - foot.place[2])
    height = mean / feet + rise + above
    lowered = 0.0
    for number in range(figure.foot_start, figure.foot_end):
        if not aloft[number]:
            foot = figures.feet[number]
            moving = scratch.bodies[foot.body]
            ankle = add(load3(moving.center), rotate(load9(moving.rotation), load3(foot.ankle)))
            flat = rotate(landing_of(foot, turn), load3(foot.ankle))
            hip = add(load3(central.center), rotate(load9(central.rotation), load3(foot.hip)))
            square = (_STRETCHED * foot.reach) ** 2 - (hip[0] - ankle[0]) ** 2 - (hip[1] - ankle[1]) ** 2
            top = foot.place[2] + rise + flat[2] + math.sqrt(max(0.0, square))
            lowered = max(lowered, hip[2] + height - now - top)
    return height - lowered


@kernel
def landing_of(foot, turn):
    """A foot's kernel axes when it is down, as it stood as drawn, turned with the others."""
    return multiply(turn, transpose(load9(foot.axes)))


@kernel
def place_of(scratch, foot):
    """m: of a foot, its centre of mass, wherever the origin of its frame is."""
    return load3(scratch.bodies[foot.body].center)


@kernel
def beyond(bearings, count, without, x):
    """(m, and the level direction): how far a point is outside the soles of all feet but one, below 0 within.

    Each point of a sole keeps some load, so the ground's force cannot act at their very edge.
    """
    most, along, across, x_mean, y_mean, found = _NOWHERE, 1.0, 0.0, 0.0, 0.0, 0
    for b in range(count):
        if bearings[b].foot != without:
            found += 1
            x_mean, y_mean = x_mean + bearings[b].position[0], y_mean + bearings[b].position[1]
    if found == 0:
        return most, along, across
    x_mean, y_mean = x_mean / found, y_mean / found
    for k in range(_DIRECTIONS):
        angle = 2.0 * math.pi * k / _DIRECTIONS
        u, v, farthest = math.cos(angle), math.sin(angle), _NOWHERE
        for b in range(count):
            if bearings[b].foot != without:
                farthest = max(
                    farthest, u * (bearings[b].position[0] - x_mean) + v * (bearings[b].position[1] - y_mean)
                )
        off = u * (x[0] - x_mean) + v * (x[1] - y_mean) - (1.0 - KEPT) * farthest
        if off > most:
            most, along, across = off, u, v
    return most, along, across


@kernel
def stands_on(bearings, count, foot):
    """True if a foot bears."""
    stands = False
    for k in range(count):
        stands = stands or bearings[k].foot == foot
    return stands


@kernel
def stands_elsewhere(bearings, count, foot):
    """True if another foot bears."""
    stands = False
    for k in range(count):
        stands = stands or bearings[k].foot != foot
    return stands


@kernel
def _foothold(scratch, figures, figure, aloft, number, bearings, count, xi, v, w, left):
    """(m, m): where a foot is to come down in so long (s), and by how much it falls short."""
    foot = figures.feet[number]
    there, _, turn = ground_of(scratch, figures, figure, aloft, number)
    off, along, across = beyond(bearings, count, foot.body, xi)
    off, grown = max(0.0, off), math.exp(w * left)
    wanted = (xi[0] + off * (_BEYOND * grown - 1.0) * along, xi[1] + off * (_BEYOND * grown - 1.0) * across, 0.0)
    landing, raised, others = landing_of(foot, turn), 0.0, 0
    goal = wanted
    for j in range(figure.foot_start, figure.foot_end):
        if j != number and not aloft[j]:
            other = figures.feet[j]
            place = place_of(scratch, other)
            raised += flat_height(scratch, other, bearings, count, turn) - other.place[2]
            others += 1
            between = rotate(turn, subtract(load3(foot.place), load3(other.place)))
            apart = math.hypot(between[0], between[1])
            if apart > 0.0:
                x, y = between[0] / apart, between[1] / apart
                missing = _APART * apart - (goal[0] - place[0]) * x - (goal[1] - place[1]) * y
                if missing > 0.0:
                    goal = add(goal, (missing * x, missing * y, 0.0))
    goal = (goal[0], goal[1], foot.place[2] + raised / max(1, others))
    central = scratch.bodies[figure.body]
    hip = add(load3(central.center), rotate(load9(central.rotation), load3(foot.hip)))
    ankle = rotate(landing, load3(foot.ankle))
    x = goal[0] + ankle[0] - hip[0] - left * v[0]
    y = goal[1] + ankle[1] - hip[1] - left * v[1]
    height = hip[2] - goal[2] - ankle[2]
    reach, way = math.sqrt(max(0.0, (_STRETCHED * foot.reach) ** 2 - height * height)), math.hypot(x, y)
    if way > reach:
        goal = add_scaled(goal, reach / way - 1.0, (x, y, 0.0))
    return goal, math.hypot(goal[0] - wanted[0], goal[1] - wanted[1])
