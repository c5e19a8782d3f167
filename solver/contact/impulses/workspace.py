# SPDX-License-Identifier: GPL-3.0-or-later
"""Workspace of the impulses of a step: contacts, the blocks that they form, and the rows of these.

A block is all that acts between two bodies, about one point of space: contacts, and what the axes of a joint between
them may exert. A row is one direction of it: a wrench (about the block's centre, on the second body; the first takes
the opposite) for a unit impulse, and what that does to the bodies' relative motion. A contact has three rows: along its
normal and two tangents.
"""

from typing import NamedTuple

import numpy as np

from ...kernel import by_reference
from ...model.arrays import Model, records
from ...model.collision_shapes import Surfaces
from ..detection.points import POINT

CONTACT = np.dtype(
    [
        ("body", "i4", 2),  # the second one has the larger number
        ("part", "i4", 2),
        ("feature", "i8"),
        ("row", "i4"),  # the first of its three
        ("taken", "i4"),  # work of matching
        ("known", "i8"),  # 1 if it touched in the step before
        ("steered", "i8"),  # 1 if a foot stands there whose motors are steered, and press it down as they like
        ("is_speculative", "i8"),  # 1 if it is let come, to bounce when it arrives
        ("position", "f8", 3),  # m
        ("place", "f8", 3),  # m: where it was in the step before, or its position if it is new
        ("drift", "f8", 3),  # m/s: how its place moves along the bodies, beside the mean of their centres
        ("follows", "i8"),  # the body that its place goes with, or 0,
        ("share", "f8"),  # and the part of its way that it goes
        ("normal", "f8", 3),  # from the first to the second body
        ("faced", "f8", 3),  # the normal in the step before, or this one if it is new
        ("gap", "f8"),  # m: and after the step with what its impulses shift
        ("closing", "f8"),  # m/s: how fast it may close in a step, by its gap
        ("extent", "f8"),  # m: of the smaller of both shapes
        ("friction", "f8"),
        ("restitution", "f8"),
        ("force", "f8", 3),  # N: on the second body along world axes, without impacts
        ("rate", "f8"),  # m/s: of the gap, after the impacts
        ("driven", "f8"),  # m/s: approach that forces have brought in this step
        ("closed", "f8"),  # m: by how much the gap of a new contact has closed in this step, while nothing resisted
        ("sticking", "f8", 3),  # kg: inverse response of the tangents, xx, xy, yy
        ("sliding", "f8"),  # kg: inverse of its largest eigenvalue
        ("asked", "f8"),  # m/s: rate that an impact shall leave behind
    ],
    align=True,
)
BLOCK = np.dtype(
    [
        ("body", "i4", 2),
        ("first", "i4"),  # contacts
        ("last", "i4"),
        ("row_first", "i4"),  # rows of axes
        ("row_last", "i4"),
        ("start", "i4"),  # all rows
        ("end", "i4"),
        ("stiff", "i4"),  # the stiff force that it is, a number of the model's; else -1
        ("center", "f8", 3),  # m
        ("force", "f8", 3),  # N: of all its contacts, on the second body
        ("moment", "f8", 3),  # N m: and their moment about its centre,
        ("found", "f8", 3),  # N: that force in the step before, as it was
        ("spin", "f8", 3),  # rad/s: of the body that tilts it less,
        ("turns", "i8"),  # 1 if it has turned with that, -1 while nothing is known,
        ("turn", "f8", 3),  # rad/s: and turns so in this step,
        ("turned", "f8", 3),  # rad: as far as that
        ("turning", "f8", 3),  # rad/s: how the normals have turned in the step before
        ("regrouped", "i8"),  # 1 if its contacts are not where they were in the step before
        ("stops", "i8"),  # 1 if `block_stop` is its inverse response
        ("sticks", "i8"),  # 1 if `block_share` is for the contacts in
        ("pressing", "i8"),  # a bit for each contact: those that pressed last
        ("struck", "f8", 6),  # N m s, N s: impacts of this step, on the second body, about the centre,
        ("pressed_in", "i8"),  # 1 if driven bodies that move may leave no room for its island
        ("change", "f8"),  # m/s or rad/s: the largest change of a rate in the latest sweep
        ("approach", "f8"),  # m/s: the fastest approach of a point that met,
        ("pressed", "f8"),  # N s: the sum of what points pressed with, and
        ("where", "f8", 3),  # N s m: of that times their places
        ("lost", "f8"),  # J: see `IMPACT`
    ],
    align=True,
)
AXIS_ROW = np.dtype(
    [
        ("axis", "i4"),
        ("kind", "i4"),  # Hold of `model.arrays`: friction, motor, lower or upper limit
        ("component", "i4"),  # of a rotation vector that the row bounds, -1 for the axis itself
        ("row", "i4"),
        ("low", "f8"),  # N s or N m s: bounds of the impulse
        ("high", "f8"),
        ("bias", "f8"),  # rate + bias + softness impulse = 0, within the bounds
        ("softness", "f8"),
        ("opening", "f8"),  # m or rad: below zero, how far a limit is overstepped
        ("gradient", "f8", 3),  # of that component, along the child's axes
        ("bounces", "i4"),  # 1 for a limit of an axis, which may have a bounciness
        ("takes_part", "i4"),  # 1 in a blow at limits that bounce
        ("asked", "f8"),  # m/s or rad/s: the rate that it asks for there,
        ("met", "f8"),  # and the one that it has found in the last round
        ("gain", "f8"),  # times what the row alone would take: closures take a part back
    ],
    align=True,
)

_MIXED = 24  # sweeps that are remembered

TOUCH = 1e-5  # of the smaller shape's size: a gap that is none
SLACK = 1e-4  # likewise: overlap that is left, and a gap with which what pressed may rest

STIFF_FORCE = np.dtype(
    [
        ("taken", "i8"),  # Taken of `model.arrays`
        ("known", "i8"),  # 1 once impulses have been found for it
        ("undone", "f8"),  # part of a speed that it undoes in a step,
        ("rubbed", "f8"),  # and that a support's friction does
        ("lateral", "f8"),  # 1/kg: what a force across a spring makes of its ends
        ("spin", "f8"),  # 1/(kg m2): and what a moment makes of its bodies
        ("row", "i4"),  # the first of its rows in this step
        ("rows", "i4"),  # how many it has; none while it has nothing to say
        ("pulls", "i4"),  # 1 if the first one is that of a spring
        ("one_sided", "i4"),  # 1 if that never pushes its row back
        ("turns", "i4"),  # 1 if a spring keeps to the line between its ends, whichever way that turns
        ("form", "i4"),  # Form of `dynamics.forces.laws`
        ("way", "i4"),  # in which its resistance goes: see `dynamics.forces.resistance`
        ("carried", "f8"),  # the share of what it exerted that goes on
        ("pull", "f8"),  # N: of such a spring
        ("force", "f8", 3),  # N: of all others, on the block's second body; world axes
        ("moment", "f8", 3),  # N m: and a damper's moment
        ("asked", "f8", 6),  # N s, N m s: the impulse of a row shall be asked - gain rate,
        ("gain", "f8", 6),  # kg, kg m2
        ("touch", "f8"),  # m/s: rate of the first row that lets its gap just close,
        ("fastest", "f8"),  # and the largest that its impulse may lead to
        ("friction", "f8"),
        ("largest", "f8"),  # N s: of its resistance
        ("creep", "f8"),  # m/s: see `dynamics.forces.support`,
        ("steep", "f8"),  # kg: or how steeply friction rises
        ("sticks", "i4"),  # 1 if what stands does not creep at all
        ("pressed", "f8"),  # N s: what a support presses with whose push is no row
        ("restitution", "f8"),  # of a rubber,
        ("band", "f8"),  # m/s: and rates over which it sets in
        ("wind", "f8", 3),  # m/s
        ("rate", "f8", 3),  # m/s: of an expression's point along its axes, where the smooth motion has led
    ],
    align=True,
)

IMPACT = np.dtype(
    [
        ("time", "f8"),  # s
        ("body", "i8", 2),  # numbers of the kernels; 0 is the world
        ("point", "f8", 3),  # m
        ("impulse", "f8", 3),  # N s: on the second body
        ("speed", "f8"),  # m/s: fastest approach of a point
        ("lost", "f8"),  # J: what all impacts of the step lost since those that should bounce were ended at once, or 0
    ],
    align=True,
)

OVERLAP = np.dtype(
    [
        ("part", "f8"),  # of the thinner shape's thickness
        ("depth", "f8"),  # m
        ("time", "f8"),  # s
        ("body", "i8", 2),  # as in `IMPACT`
    ],
    align=True,
)

COUNTS = np.dtype(
    [
        ("points", "i8"),  # used so far in the arrays of these names
        ("contacts", "i8"),
        ("blocks", "i8"),
        ("rows", "i8"),
        ("axis_rows", "i8"),
        ("blocks_before", "i8"),
        ("contacts_before", "i8"),
        ("noted", "i8"),
        ("sweeps", "i8"),  # of the latest search
        ("impacts", "i8"),  # of the latest round
        ("silent", "i8"),  # 1 while stiff forces, and what has a maximum, have no say, since only impacts have
        ("bounces", "i8"),  # 1 if the latest impacts bounced
    ],
    align=True,
)


class Rows(NamedTuple):
    """One row after the other, each a direction of a block."""

    wrench: np.ndarray  # (R, 6): moment and force, on the second body, for a unit impulse
    response: np.ndarray  # (R, 6): relative motion, angular and linear, that it gives
    own: np.ndarray  # (R,): rate that a unit impulse of a row gives itself


@by_reference
class ContactMemory(NamedTuple):
    """Room for contacts. Constant: what surfaces are like, of parts (P + 1,), the last ones the ground's."""

    friction: np.ndarray
    static_friction: np.ndarray
    stribeck_speed: np.ndarray
    restitution: np.ndarray
    size: np.ndarray
    thickness: np.ndarray
    is_round: np.ndarray
    reach: np.ndarray  # (B,) m: nothing of a body's shapes is farther from its reference point
    thinnest: np.ndarray  # (B,) m: the least thickness of a body's shapes
    points: np.recarray  # (C,) POINT: what detection found
    following: np.ndarray  # (C,) int64: next point of the same body
    of_body: np.ndarray  # (B,) int64: first point of a body
    contacts: np.recarray  # (C,) CONTACT: by block
    before: np.recarray  # (C,) CONTACT: those of the step before
    blocks: np.recarray  # (K,) BLOCK
    blocks_before: np.recarray  # (K,) BLOCK
    block_of_body: np.ndarray  # (B,) int64: the first of `blocks_before` whose second body it is
    block_response: np.ndarray  # (K, 6, 6): relative motion about the centre for a unit wrench
    block_stop: np.ndarray  # (K, 6, 6): its inverse
    block_share: np.ndarray  # (K, 6, 6): inverse of the squares of the rows of contacts that press
    block_given: np.ndarray  # (K, 6): what impulses have made of the relative motion about the centre
    axis_rows: np.recarray  # (X,) AXIS_ROW
    axis_force: np.ndarray  # (A, 4) N or N m: of friction, motor, and the two limits
    rows: Rows
    impulse: np.ndarray  # (R,) N s or N m s: over the step
    event: np.ndarray  # (R,): of an impact; or shifts (kg m, kg m2) that lead out of overlaps
    changed: np.ndarray  # (R,): by how much the latest sweep has changed either of them
    started: np.ndarray  # (R,): where sweeps start from
    change_before: np.ndarray  # (R,): by the latest sweep that was led on, and where it led
    result_before: np.ndarray  # (R,)
    changes: np.ndarray  # (M, R): differences of both between sweeps
    results: np.ndarray  # (M, R)
    squares: np.ndarray  # (M, M): of the columns of `changes`
    fit: np.ndarray  # (M, M + 1) work
    mixed: np.ndarray  # (1,) int64: differences since leading on began, -1 before the first sweep
    servo: np.ndarray  # (A,) int64: 1 where a stiff motor with a maximum is to be a row
    stiff: np.recarray  # (F,) STIFF_FORCE
    order: np.ndarray  # (F,) int64: the forces, by the larger one of their bodies' numbers
    blow: np.ndarray  # (B,) m: how far what is about to hit a body may carry it in a step
    drawn: np.ndarray  # (B,) m: how far stiff springs may draw a body in a step
    load: np.ndarray  # (B,): part of a body's speed that its forces may undo in a step
    given: np.ndarray  # (B, 6) N m s, N s: by all contacts since the last frame, about the reference points,
    hardest: np.ndarray  # (B,) N s: and the hardest impact
    noted: np.recarray  # (2 C,) IMPACT: until somebody takes them
    deepest: np.recarray  # (1,) OVERLAP: so far, of those that have not come to an end within a step
    counts: np.recarray  # (1,) COUNTS


def new_contact_memory(model: Model, surfaces: Surfaces, most_points: int) -> ContactMemory:
    """Room for so many points of contact."""
    bodies, axes = len(model.bodies), len(model.armature)
    axis_rows = 3 * len(model.switched) + 6 * len(model.charted) + 2 * len(model.sprung)
    forces = len(model.forces)
    blocks, rows = most_points + bodies + forces, 3 * most_points + axis_rows + 6 * forces
    return ContactMemory(
        friction=surfaces.friction,
        static_friction=surfaces.static_friction,
        stribeck_speed=surfaces.stribeck_speed,
        restitution=surfaces.restitution,
        size=surfaces.size,
        thickness=surfaces.thickness,
        is_round=surfaces.is_round,
        reach=surfaces.reach(bodies),
        thinnest=surfaces.thinnest(bodies),
        points=records(most_points, POINT),
        following=np.zeros(most_points, np.int64),
        of_body=np.zeros(bodies, np.int64),
        contacts=records(most_points, CONTACT),
        before=records(most_points, CONTACT),
        blocks=records(blocks, BLOCK),
        blocks_before=records(blocks, BLOCK),
        block_of_body=np.zeros(bodies, np.int64),
        block_response=np.zeros((blocks, 6, 6)),
        block_stop=np.zeros((blocks, 6, 6)),
        block_share=np.zeros((blocks, 6, 6)),
        block_given=np.zeros((blocks, 6)),
        axis_rows=records(axis_rows, AXIS_ROW),
        axis_force=np.zeros((axes, 4)),
        rows=Rows(np.zeros((rows, 6)), np.zeros((rows, 6)), np.zeros(rows)),
        impulse=np.zeros(rows),
        event=np.zeros(rows),
        changed=np.zeros(rows),
        started=np.zeros(rows),
        change_before=np.zeros(rows),
        result_before=np.zeros(rows),
        changes=np.zeros((_MIXED, rows)),
        results=np.zeros((_MIXED, rows)),
        squares=np.zeros((_MIXED, _MIXED)),
        fit=np.zeros((_MIXED, _MIXED + 1)),
        mixed=np.zeros(1, np.int64),
        servo=np.zeros(axes, np.int64),
        stiff=records(forces, STIFF_FORCE),
        order=np.argsort(model.forces.body.max(axis=1), kind="stable"),
        blow=np.zeros(bodies),
        drawn=np.zeros(bodies),
        load=np.zeros(bodies),
        given=np.zeros((bodies, 6)),
        hardest=np.zeros(bodies),
        noted=records(2 * most_points, IMPACT),
        deepest=records(1, OVERLAP),
        counts=records(1, COUNTS),
    )
