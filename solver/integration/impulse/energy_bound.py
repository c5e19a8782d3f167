# SPDX-License-Identifier: GPL-3.0-or-later
"""No step in which things touch adds energy.

Forces that act evenly while normals turn, and shifts that lead overlaps apart or close closures, give or take some, in
proportion to the step. What they take is friction of a kind; what they give is taken back here from the motion of those
who got it. (Where these cannot pay, what lifts a weight out of an overlap stays: it was lost as the weight sank in. Not
so in a step with a blow: what falls deeper is faster, and bounces higher.)
They are an island, bodies that hang together by joints, closures, springs and contacts. Momenta are what contacts have
given, to the last digit, so a piece that floats (`momentum`) pays with what it moves beside its own rigid motion; one
that joints hold to driven bodies pays with all. With a share s of what can pay the energy falls by (1 - s^2) of that.
Only of floating pieces with closures, which a fold may leave without any motion within, the rigid motion pays what is
still missing.

A spring that is too stiff for the step is as good as rigid: its stretch differs from that of its pull by what steps
leave out, and the square of that is no energy. It is counted by its pull in the step, times how far it goes.

What keyed bodies and motors do is counted (`outside_work`), and is no gain. Nothing is asked for where it cannot be.
What is left, among loose bodies that springs press together, these pay with their motion beside each other
(`loose_bodies`).
"""

import math
from typing import NamedTuple

import numpy as np

from ...dynamics.forces.curves import axis_curve_energy, axis_curve_tangent, axis_drag, axis_pull, has_axis_curves
from ...dynamics.forces.laws import Form, form_of, is_spring, stored_energy, stretch_of
from ...dynamics.forces.spring import length_change, pull_of
from ...dynamics.tree.kinematics import update_kinematics
from ...evaluation.energy import body_energy, joint_energy
from ...kernel import by_reference, kernel
from ...model.arrays import AXIS_PARAMETERS, MOTOR_STIFFNESS, MOTOR_VALUE, REST, STIFFNESS, Model, Taken, records
from ...spatial import (
    add,
    add_scaled,
    apply_symmetric,
    cross,
    dot,
    load3,
    load6,
    load9,
    load_angular,
    load_linear,
    rotate_symmetric,
    subtract,
)
from .implicit import linear_spring
from .loose_bodies import pay_with_loose_bodies
from .momentum import find_rigid_energies, give_back, pieces
from .outside_work import is_spring_of_motor

_TAKEN = int(Taken.ALL)
_PUSHED, _HELD = 1, 2
_PUSHING = 0.05  # of its velocity: what a driven body comes towards another with
_ROUNDING = 1e-11  # of a weight lifted by the model's size: in a step, what nobody owes


GAIN = np.dtype(
    [
        ("part", "f8"),  # of the island's energy, its weight times the model's size included
        ("energy", "f8"),  # J
        ("time", "f8"),  # s
        ("body", "i8"),  # the island's first
    ],
    align=True,
)


@by_reference
class Islands(NamedTuple):
    """Islands of bodies that hang together, and their energy. By body; what is an island's, at its first body."""

    always: np.ndarray  # (B,) int64: the first body of those with which it hangs together without contacts
    is_closed: np.ndarray  # (B,) int64: whether its piece has closures
    island: np.ndarray  # (B,) int64: the first body with contacts; work
    touched: np.ndarray  # (B,) int64: a driven body that an island touches, or -1; work
    pressed: np.ndarray  # (B,) int64: whether one pushes, and another is touched; work
    is_met: np.ndarray  # (B,) int64: whether it touches something, or anything but its forces has moved it; work
    before: np.ndarray  # (B,) J: motion and joint's springs, at the step's start
    spring_before: np.ndarray  # (F,) J: of a force that is a spring; of one too stiff for the step its length, m
    lifted: np.ndarray  # (B,) J: weight out of overlaps in this step; then of an island
    drawn: np.ndarray  # (B,) J: springs by what is led out of overlaps in this step; then of an island
    had: np.ndarray  # (B,) J: an island's energy at the step's start, and its weight times the model's size; work
    gained: np.ndarray  # (B,) J: by an island in the step; work
    free: np.ndarray  # (B,) J: what it can pay with; work
    bound: np.ndarray  # (B,) J: the rigid motion of its floating pieces with closures; work
    rigid: np.ndarray  # (B,) J: of a floating piece; work
    share: np.ndarray  # (B,): of an island's motion that it keeps; then of rigid motions that come back; work
    moved: np.ndarray  # (B,) m: how far a shift moves any of its points, at most; work
    unpaid: np.ndarray  # (B,) J: what it has gained in the step and cannot pay
    worst: np.recarray  # (1,) GAIN: the most that could not be paid so far, as a part of what the island had


def new_islands(model: Model) -> Islands:
    """Zeroed room, and what hangs together without contacts."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    bodies, driven = len(model.bodies), model.driven
    piece, _ = pieces(model)
    springs = [each.body for each in model.forces if form_of(each.kind) == Form.PULL]
    links = np.array([ends for ends in springs if min(ends) >= driven], int).reshape(-1, 2)
    links = np.concatenate((links, np.column_stack((np.arange(bodies), piece))))
    _, label = connected_components(coo_array((np.ones(len(links)), links.T), shape=(bodies, bodies)), directed=False)
    _, first = np.unique(label, return_index=True)
    closures = model.closures[np.unique(model.rows.closure[: model.closing])]
    closed = np.array([end for each in closures for end in each.body[: each.ends] if end >= driven], int)
    return Islands(
        first[label].astype(np.int64),
        np.isin(piece, piece[closed]).astype(np.int64),
        *np.zeros((4, bodies), np.int64),
        np.zeros(bodies),
        np.zeros(len(model.forces)),
        *np.zeros((10, bodies)),
        records(1, GAIN),
    )


@kernel
def note_energy(model, state, scratch, contact, implicit, outside, islands):
    """Notes the energy at a step's start, where kinematics are up to date and it is known what is stiff."""
    for i in range(model.driven, len(model.bodies)):
        islands.before[i] = body_energy(model, state, scratch, i)
        islands.before[i] += _joint_energy(model, state, scratch, implicit, outside, i)
    for number in range(len(model.forces)):
        if contact.stiff[number].taken == _TAKEN:
            islands.spring_before[number] = stretch_of(model, scratch, number)
        else:
            islands.spring_before[number] = stored_energy(model, scratch, number)


@kernel
def _joint_energy(model, state, scratch, implicit, outside, i):
    """J: potential, in the springs of the joint to body i, and in its motors that are springs; without stiff ones."""
    p, energy = scratch.parameters, joint_energy(model, state, scratch, i)
    for axis in range(model.bodies[i].axis_start, model.bodies[i].axis_end):
        k, q = axis * AXIS_PARAMETERS, state.coordinates[axis]
        if _is_stiff(implicit, axis):
            energy -= 0.5 * p[k + STIFFNESS] * (q - p[k + REST]) ** 2
            if has_axis_curves(model):
                energy -= axis_curve_energy(model, p, axis, q)
        elif is_spring_of_motor(model, outside, p, axis):
            energy += 0.5 * p[k + MOTOR_STIFFNESS] * (q - p[k + MOTOR_VALUE]) ** 2
    return energy


@kernel
def _is_stiff(implicit, axis):
    return implicit.is_stiff[axis] and not implicit.in_chart[axis]


@kernel
def _given_to_stiff(model, state, scratch, implicit, began, h, i):
    """J: what the stiff springs of the joint to body i have taken up in a step of `h` (s) that `began` (2 A,) so.

    They pulled as they would a step farther on, as `implicit` says, and not as they are stretched at its end. Their
    dampers count where they gave, as none does that is resolved; what they take is lost.
    """
    taken = 0.0
    for axis in range(model.bodies[i].axis_start, model.bodies[i].axis_end):
        if _is_stiff(implicit, axis):
            stiffness, rest, damping = linear_spring(model, scratch, implicit, axis)
            q, u = state.coordinates[axis], state.speeds[axis]
            taken += stiffness * (q + h * u - rest) * (q - began[axis]) + min(0.0, damping * u * (q - began[axis]))
            if has_axis_curves(model):
                _, stiffness, _ = axis_curve_tangent(model, scratch.parameters, axis, q, u)
                pull = h * u * stiffness - axis_pull(model, scratch.parameters, axis, q, u)[0]
                drag = -axis_drag(model, axis, u)[0]
                taken += pull * (q - began[axis]) + min(0.0, drag * (q - began[axis]))
    return taken


@kernel
def note_lifts(model, scratch, contact, shift, h, islands):
    """Notes how bodies are led out of overlaps in a step of `h` (s), by `shift` (B, 6), rad and m."""
    p, gravity = scratch.parameters, len(scratch.parameters) - 3 * len(model.bodies)
    for i in range(model.driven, len(model.bodies)):
        way, k = load_linear(shift[i]), gravity + 3 * i
        islands.lifted[i] = -model.bodies[i].mass * dot((p[k], p[k + 1], p[k + 2]), way)
    for number in range(len(model.forces)):
        if is_spring(model, scratch, number):
            ends, pull = model.forces[number].body, _pull_of_stiff(contact, number, h)
            if contact.stiff[number].taken != _TAKEN:
                pull = pull_of(model, scratch, number, stretch_of(model, scratch, number), 0.0)
            islands.drawn[max(ends[0], ends[1])] += pull * length_change(model, scratch, number, shift)


@kernel
def _pull_of_stiff(contact, number, h):
    """N: of a stiff spring or support in a step of `h` (s)."""
    each = contact.stiff[number]
    return contact.impulse[each.row] / h if each.pulls else 0.0


@kernel
def find_moved(model, contact, shift, islands):
    """Finds how far a `shift` of bodies (B, 6), rad and m, moves any point of an island, at most."""
    moved = islands.moved
    for i in range(len(model.bodies)):
        moved[i] = 0.0
    for i in range(model.driven, len(model.bodies)):
        turn, way, first = load_angular(shift[i]), load_linear(shift[i]), islands.island[i]
        far = math.sqrt(dot(way, way)) + contact.reach[i] * math.sqrt(dot(turn, turn))
        moved[first] = max(moved[first], far)


@kernel
def forget_gains(islands):
    """Nothing is led out of an overlap in this step, and nothing is owed yet."""
    for i in range(len(islands.lifted)):
        islands.lifted[i] = islands.drawn[i] = islands.unpaid[i] = 0.0


@kernel
def note_gains(islands, time):
    """Notes what an island has gained in a step that ends at a time (s), and cannot pay, if there was none so much."""
    worst = islands.worst[0]
    for i in range(len(islands.unpaid)):
        if islands.unpaid[i] > worst.part * islands.had[i]:
            worst.part, worst.energy = islands.unpaid[i] / islands.had[i], islands.unpaid[i]
            worst.time, worst.body = time, i


@kernel
def remove_energy_gain(model, state, scratch, memory):
    """Takes from each island what it has gained in a step beyond what has been done on it from outside.

    Kinematics must be up to date, and are so afterwards. Returns the largest gain that is left, as a part of the
    island's energy at the step's start and what has been done on it.
    """
    islands, momenta = memory.islands, memory.momenta
    find_rigid_energies(model, scratch, momenta, islands.rigid)
    _find_gains(model, state, scratch, memory)
    _count_outside(model, memory.outside, islands)
    _forgive_unmet(model, memory)
    _count_lifts_of_blows(memory.contact, islands)
    island, share, owes, unpaid = islands.island, islands.share, False, 0.0
    owes_more = False
    for i in range(model.driven, len(model.bodies)):
        if island[i] == i:
            left = islands.gained[i] - max(0.0, islands.lifted[i])
            left -= max(0.0, islands.free[i]) + max(0.0, islands.bound[i])
            if left > 0.0:
                islands.unpaid[i], owes_more = left, True
                unpaid = max(unpaid, (left - max(0.0, islands.drawn[i])) / islands.had[i])
            share[i] = _kept(islands.gained[i], islands.free[i])
            islands.bound[i] = _kept(islands.gained[i] - islands.free[i], islands.bound[i])
            owes = owes or share[i] < 1.0 or islands.bound[i] < 1.0
    if owes:
        _slow_down(model, state, scratch, momenta, islands)
    if owes_more:
        pay_with_loose_bodies(model, scratch, state, memory.contact, memory.loose, islands)
        for i in range(model.driven, len(model.bodies)):
            islands.unpaid[i] = max(0.0, islands.unpaid[i] - max(0.0, islands.drawn[i]))
    return unpaid


@kernel
def _slow_down(model, state, scratch, momenta, islands):
    """Leaves each island only the shares of its motion that are its own: of pieces' rigid motions, those in `bound`."""
    island, share = islands.island, islands.share
    for i in range(model.driven, len(model.bodies)):
        for k in range(model.bodies[i].axis_start, model.bodies[i].axis_end):
            state.speeds[k] *= share[island[i]]
    update_kinematics(model, state, scratch)
    for i in range(len(model.bodies) - 1, model.driven - 1, -1):
        first = island[i]
        share[i] = (islands.bound[first] if islands.is_closed[i] else 1.0) - share[first]
    give_back(model, scratch, state, momenta, share)


@kernel
def _count_outside(model, outside, islands):
    """Takes work from outside off the gains; where it is not known, there are none."""
    island = islands.island
    for i in range(model.driven, len(model.bodies)):
        islands.gained[island[i]] -= outside.done[i]
        islands.had[island[i]] += abs(outside.done[i])
    for i in range(model.driven, len(model.bodies)):
        if outside.is_driven[i]:
            islands.gained[island[i]] = 0.0


@kernel
def _forgive_unmet(model, memory):
    """Leaves out what nothing has touched, closed or held: what it gains is what its smooth motion is off."""
    contact, islands = memory.contact, memory.islands
    island, is_met = islands.island, islands.is_met
    for i in range(len(model.bodies)):
        is_met[i] = 0
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        if block.last > block.first:
            is_met[island[block.body[1]]] = 1
    for i in range(model.driven, len(model.bodies)):
        met = islands.is_closed[i]
        for k in range(model.bodies[i].axis_start, model.bodies[i].axis_end):
            met |= memory.shift[k] != 0.0
        is_met[island[i]] |= met
    for i in range(model.driven, len(model.bodies)):
        if island[i] == i and not is_met[i]:
            islands.gained[i] = 0.0


@kernel
def _count_lifts_of_blows(contact, islands):
    """Counts as a gain, too, what lifts an island out of overlaps, if a blow has struck it in this step."""
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        blow = load_linear(block.struck)
        if block.last > block.first and dot(blow, blow) > 0.0:
            islands.lifted[islands.island[block.body[1]]] = 0.0


@kernel
def _kept(owed, available):
    """The share of a motion of so much energy that is left when something is paid with it."""
    if not (owed > 0.0 and available > 0.0):
        return 1.0
    return math.sqrt(max(0.0, 1.0 - owed / available))


@kernel
def find_islands(model, contact, islands):
    """Finds what hangs together by contacts, too."""
    island = islands.island
    for i in range(len(model.bodies)):
        island[i] = islands.always[i]
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        one, other = _first(island, block.body[0]), _first(island, block.body[1])
        if min(one, other) >= model.driven:
            island[max(one, other)] = min(one, other)
    for i in range(len(model.bodies)):
        island[i] = _first(island, i)


@kernel
def note_room(model, scratch, contact, islands):
    """Marks the blocks of islands that touch two driven bodies, one of which pushes: these may leave them no room."""
    find_islands(model, contact, islands)
    island, touched, pressed = islands.island, islands.touched, islands.pressed
    for i in range(len(model.bodies)):
        touched[i], pressed[i] = -1, 0
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        driven, first = block.body[0], island[block.body[1]]
        if block.last > block.first and driven < model.driven:
            if _pushes(scratch, contact, block):
                pressed[first] |= _PUSHED
            if touched[first] >= 0 and touched[first] != driven:
                pressed[first] |= _HELD
            touched[first] = driven
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        block.pressed_in = 1 if pressed[island[block.body[1]]] == _PUSHED + _HELD else 0


@kernel
def _pushes(scratch, contact, block):
    """True if a driven body moves towards what it touches, or back; a belt that runs along below does not."""
    driven, pushes = scratch.bodies[block.body[0]], False
    w, v = load3(driven.angular), load3(driven.linear)
    for c in range(block.first, block.last):
        each = contact.contacts[c]
        at = add(v, cross(w, subtract(load3(each.position), load3(driven.center))))
        pushes = pushes or abs(dot(load3(each.normal), at)) > _PUSHING * math.sqrt(dot(at, at))
    return pushes


@kernel
def _first(island, i):
    while island[i] != i:
        island[i] = island[island[i]]
        i = island[i]
    return i


@kernel
def _own_energy(model, scratch, anchor, i, energy):
    """J: of the `energy` of motion of body i, what it has beside the driven one on which its piece hangs, if that is
    one: that of its joints' speeds."""
    if anchor < 0:
        return energy
    body, moving, carrier = model.bodies[i], scratch.bodies[i], scratch.bodies[anchor]
    w, v, W = load3(moving.angular), load3(moving.linear), load3(carrier.angular)
    V = add(load3(carrier.linear), cross(W, subtract(load3(moving.center), load3(carrier.center))))
    IW = apply_symmetric(rotate_symmetric(load9(moving.rotation), load6(body.inertia)), W)
    with_carrier = body.mass * dot(V, add_scaled(v, -0.5, V)) + dot(IW, add_scaled(w, -0.5, W))
    return energy - with_carrier


@kernel
def _find_gains(model, state, scratch, memory):
    """Finds the gains of islands, and what they can pay with."""
    contact, implicit, began, piece = memory.contact, memory.implicit, memory.began, memory.momenta.piece
    islands = memory.islands
    island, gained, free, bound = islands.island, islands.gained, islands.free, islands.bound
    for i in range(len(model.bodies)):
        gained[i] = free[i] = bound[i] = islands.had[i] = 0.0
    p, gravity = scratch.parameters, len(scratch.parameters) - 3 * len(model.bodies)
    for i in range(model.driven, len(model.bodies)):
        first, k = island[i], gravity + 3 * i
        energy = body_energy(model, state, scratch, i)
        way = subtract(load3(scratch.bodies[i].center), load3(began.center[i]))
        falling = (p[k], p[k + 1], p[k + 2])
        raised = -model.bodies[i].mass * dot(falling, way)
        owed = energy + _joint_energy(model, state, scratch, implicit, memory.outside, i) - islands.before[i] + raised
        owed += _given_to_stiff(model, state, scratch, implicit, began.y, memory.clock[0].h, i)
        lifting = model.bodies[i].mass * math.sqrt(dot(falling, falling)) * model.size
        gained[first] += owed - _ROUNDING * lifting
        islands.had[first] += islands.before[i] + lifting
        free[first] += _own_energy(model, scratch, memory.outside.anchor[i], i, energy)
        if piece[i] == i:
            free[first] -= islands.rigid[i]
            if islands.is_closed[i]:
                bound[first] += islands.rigid[i]
    for number in range(len(model.forces)):
        ends, before = model.forces[number].body, islands.spring_before[number]
        if contact.stiff[number].taken == _TAKEN:
            pull = _pull_of_stiff(contact, number, memory.clock[0].h)
            added = pull * (stretch_of(model, scratch, number) - before)
        else:
            added = stored_energy(model, scratch, number) - before
        gained[island[max(ends[0], ends[1])]] += added
    for i in range(len(model.bodies) - 1, -1, -1):  # an island's first body comes after all others
        if island[i] != i:
            islands.lifted[island[i]] += islands.lifted[i]
            islands.drawn[island[i]] += islands.drawn[i]
