# SPDX-License-Identifier: GPL-3.0-or-later
"""A look ahead in a step: how far points may come from, where it ends early, which contacts wait for their arrival."""

import math

from ...contact.impulses.approach import point_rate, predict_impacts
from ...contact.impulses.impacts import DRIVEN
from ...contact.impulses.stiff_forces import foresee_pulls
from ...contact.impulses.workspace import TOUCH
from ...kernel import kernel
from ...spatial import add, cross, dot, load3, load_angular, load_linear, subtract
from .memory import AHEAD, DEAD_CUT, MOST_CUTS, NEAR

SAME = 1e-6  # of a step: times that are one
SLOW = 2.0  # times what gravity does in a step: approach that does not bounce
_LEAST_GRAVITY = 1e-3  # m/s2, below a metre 1/s2 times the linkage's size: what counts as some where there is none
_MOST_BODIES_TO_CUT_FOR = 60  # among more of them something bounces nearly always


@kernel
def look_ahead(model, scratch, memory):
    """Reaches in which to look for points: as far as each body may come in the next steps."""
    fastest, gravity, small, h = 0.0, 0.0, math.inf, memory.interval
    p, first = scratch.parameters, len(scratch.parameters) - 3 * len(model.bodies)
    for k in range(len(memory.contact.size)):
        small = min(small, memory.contact.size[k])
    foresee_pulls(model, scratch, memory.contact, h)
    predict_impacts(model, scratch, memory.contact, memory.contact.contacts, memory.contact.counts[0].contacts, h)
    for i in range(len(model.bodies)):
        moving, k = scratch.bodies[i], first + 3 * i
        spin, v = load3(moving.angular), load3(moving.linear)
        speed = math.sqrt(dot(v, v)) + memory.contact.reach[i] * math.sqrt(dot(spin, spin))
        falling = math.sqrt(p[k] ** 2 + p[k + 1] ** 2 + p[k + 2] ** 2)
        gained = max(falling * h, _change_of_speed(memory, i, spin, v))
        memory.reach[i] = AHEAD * h * (speed + gained) + NEAR * small + memory.contact.blow[i]
        fastest, gravity = max(fastest, speed), max(gravity, falling)
    memory.clock[0].gravity, memory.clock[0].speed = max(gravity, _LEAST_GRAVITY * min(1.0, model.size)), fastest


@kernel
def _change_of_speed(memory, i, spin, v):
    """m/s: of any point of a body, since the step began."""
    began = memory.began.velocity[i]
    turn, way = subtract(spin, load_angular(began)), subtract(v, load_linear(began))
    return math.sqrt(dot(way, way)) + memory.contact.reach[i] * math.sqrt(dot(turn, turn))


@kernel
def may_cut(model, memory):
    """True if a step may end early, where something arrives."""
    return memory.counts[0].cuts < MOST_CUTS and len(model.bodies) - model.driven <= _MOST_BODIES_TO_CUT_FOR


@kernel
def mark_speculative(model, scratch, memory):
    """Contacts that will bounce are left alone until they arrive."""
    slow, cuts = SLOW * memory.clock[0].gravity * memory.clock[0].interval, may_cut(model, memory)
    for c in range(memory.contact.counts[0].contacts):
        each = memory.contact.contacts[c]
        each.is_speculative = 0
        each.rate = point_rate(scratch, each)
        if cuts and each.gap > TOUCH * each.extent and each.rate < -max(slow, DRIVEN * each.driven):
            each.is_speculative = 1


@kernel
def end_before_bounce(scratch, memory, moving, end):
    """Cuts a step short where something that bounces arrives; by accelerations, and the speeds at its start.

    moving: how many bodies do.
    """
    contact, t, price = memory.contact, memory.clock[0].time, moving
    for c in range(contact.counts[0].contacts):
        each = contact.contacts[c]
        if each.is_speculative:
            rate, second = point_rate(scratch, each), _gap_acceleration(scratch, contact, each)
            root = rate * rate - 2.0 * second * each.gap
            if rate < 0.0 and root >= 0.0:
                arrival = t + 2.0 * each.gap / (-rate + math.sqrt(root))
                if arrival < end:
                    end = max(arrival, t + 1e-9 * memory.interval)
                    price = moving if each.restitution > 0.0 else DEAD_CUT
    memory.counts[0].cuts = memory.counts[0].cuts + price if end < t + (1.0 - SAME) * memory.clock[0].interval else 0
    return end


@kernel
def _gap_acceleration(scratch, memory, each):
    """m/s2: second derivative of a contact's gap, the normal standing still; a round shape's place does not circle."""
    x, is_round = load3(each.position), memory.is_round
    a = _acceleration_at(scratch.bodies[each.body[0]], x, is_round[each.part[0]])
    b = _acceleration_at(scratch.bodies[each.body[1]], x, is_round[each.part[1]])
    return dot(load3(each.normal), subtract(b, a))


@kernel
def _acceleration_at(body, x, is_round):
    w, r = load3(body.angular), subtract(x, load3(body.center))
    there = add(load_linear(body.acceleration), cross(load_angular(body.acceleration), r))
    return there if is_round else add(there, cross(w, cross(w, r)))
