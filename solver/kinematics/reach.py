# SPDX-License-Identifier: GPL-3.0-or-later
"""Needs of a hand on a linkage with loops: all rows and points along all axes, the mass matrix, and closed steps."""

from ..dynamics.tree.composite_body import fill_mass_matrix
from ..kernel import entry
from ..spatial import add, cross, load3, load9, load_angular, load_linear, rotate, subtract
from .arrays import COUPLED
from .rows import coefficient, look, move_axes
from .steps import correct


@entry
def fill_rows(model, state, scratch, plan, J):
    """Fills J (rows of closures, A) in the units of the plan, driven axes too."""
    look(model, state, scratch)
    for r in range(len(J)):
        closure = model.closures[model.rows[r].closure]
        for k in range(len(plan.unit)):
            J[r, k] = 0.0
        for e in range(plan.entry_start[r], plan.entry_start[r + 1]):
            axis, end = plan.entry_axis[e], plan.entry_end[e]
            if end == COUPLED:
                along = plan.entry_share[e]
            else:
                along = coefficient(scratch, scratch.rows[r].wrench[end], closure.body[end], axis, plan.entry_body[e])
            J[r, axis] += along * plan.row_unit[r] * plan.unit[axis]


@entry
def fill_points(model, scratch, plan, bodies, arms, ways, places, H):
    """Fills places (p, 3) in m of points, and H (3 p, A), how they move, in m for a unit of the plan.

    bodies (p,); arms (p, 3): from their reference points, along the kernels' axes; ways (w, 3): number of the point,
    axis, its outer body. Kinematics must be up to date.
    """
    for k in range(len(bodies)):
        body = scratch.bodies[bodies[k]]
        place = add(load3(body.center), rotate(load9(body.rotation), load3(arms[k])))
        for i in range(3):
            places[k, i] = place[i]
            for axis in range(len(plan.unit)):
                H[3 * k + i, axis] = 0.0
    for w in range(len(ways)):
        k, axis, outer = ways[w, 0], ways[w, 1], ways[w, 2]
        S = scratch.axes[axis].S
        arm = subtract(load3(places[k]), load3(scratch.bodies[outer].center))
        motion = add(load_linear(S), cross(load_angular(S), arm))
        for i in range(3):
            H[3 * k + i, axis] = motion[i] * plan.unit[axis]


@entry
def fill_masses(model, scratch):
    """Fills scratch.dense (A, A) with the mass matrix; kinematics must be up to date."""
    fill_mass_matrix(model, scratch)


@entry
def move_by(model, state, scratch, work):
    """Moves the coordinates by work.tangent (A,), and brings bodies and rows up to date."""
    move_axes(model, state, work.tangent, 1.0)
    look(model, state, scratch)


@entry
def close_near(model, state, scratch, plan, work, results, way):
    """Brings the coordinates onto the closed poses, if these are as near as befits a step of way[0]; fills status."""
    results[0].looks = 0
    results[0].status = correct(model, state, scratch, plan, work, results[0], way[0])


@entry
def look_at(model, state, scratch):
    """Brings all bodies and rows up to date."""
    look(model, state, scratch)
