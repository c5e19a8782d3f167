# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyed bodies, and targets of what follows: by time alone, but for the leads that they have within implicit steps.

Substeps of Euler's go on by h times the velocity at their end. What is keyed along a curve is not there at its end: it
is off by h^2 / 2 of its acceleration. What is tied to it stiffly makes up for that by a wrong speed, with a part that
falls with 1 / (w^2 h), w the pace of the tie, which no extrapolation to h = 0 removes (Prothero and Robinson 1974 have
the like of first order). So within a step the keyed go on by h times the velocity at the end too, and what they are off
by, their lead, is a series in h as all else is.

Tracks are numbered: keyed and fixed bodies, then targets.
"""

from ...kernel import kernel
from ...rotation import conjugate, exponential, logarithm, multiply_quaternions
from ...spatial import add
from .splines import sample_pose

_ZERO = (0.0, 0.0, 0.0)


@kernel
def sample_track(model, scratch, number, time):
    """(position, velocity, acceleration, quaternion, angular velocity and its rate) of a keyed track, with its lead."""
    held, place, linear, speeding, q, w, turn = _sample(model, number, time)
    lead = scratch.leads[number, 0]
    if lead[0] != 0.0 or lead[1] != 0.0 or lead[2] != 0.0:
        q = multiply_quaternions(exponential((lead[0], lead[1], lead[2])), q)
    place = add(place, (lead[3], lead[4], lead[5]))
    if held != time:
        return place, _ZERO, _ZERO, q, _ZERO, _ZERO
    return place, linear, speeding, q, w, turn


@kernel
def acceleration_of_track(model, number, time):
    """(linear, angular) of the keys at this time (s)."""
    held, _, _, speeding, _, _, turn = _sample(model, number, time)
    return (speeding, turn) if held == time else (_ZERO, _ZERO)


@kernel
def find_next_leads(model, time, scratch, h):
    """Fills the leads, and velocities, at the end of an implicit substep of h (s) from this time (s)."""
    for number in range(len(scratch.leads)):
        if number < model.driven and model.driven_bodies[number].key_start < 0:
            continue
        now, then, velocity = scratch.leads[number, 0], scratch.leads[number, 1], scratch.leads[number, 2]
        _, place, _, _, q, _, _ = _sample(model, number, time)
        held, place_then, linear, _, q_then, w, _ = _sample(model, number, time + h)
        turned = logarithm(multiply_quaternions(q_then, conjugate(q)))
        for c in range(3):
            velocity[c], velocity[3 + c] = (w[c], linear[c]) if held == time + h else (0.0, 0.0)
            then[c] = now[c] + h * velocity[c] - turned[c]
            then[3 + c] = now[3 + c] + h * velocity[3 + c] - (place_then[c] - place[c])


@kernel
def exchange_leads(scratch):
    """Exchanges the leads with those at the end of the substep."""
    for number in range(len(scratch.leads)):
        now, then = scratch.leads[number, 0], scratch.leads[number, 1]
        for c in range(6):
            now[c], then[c] = then[c], now[c]


@kernel
def forget_leads(scratch):
    """Everything is where its keys have it."""
    for number in range(len(scratch.leads)):
        for c in range(6):
            scratch.leads[number, 0, c] = 0.0


@kernel
def _sample(model, number, time):
    if number < model.driven:
        driven = model.driven_bodies[number]
        start, end, stop = driven.key_start, driven.key_end, driven.key_stop
    else:
        followed = model.followed[number - model.driven]
        start, end, stop = followed.target[0], followed.target[1], followed.stop
    return sample_pose(model.key_times, model.key_coefficients, start, end, stop, time)
