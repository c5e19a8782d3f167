# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces by tables, as `model.curves` has their pieces: of springs, dampers, supports, and on the axes of joints.

A damper's law F(u) resists, so F u is never negative. Steps that take it implicitly do so with the larger of its slope
and F/u: with less than F/u a digressive damper might turn a motion round within a step.

Symbols: q coordinate of an axis, u its speed, or the rate of a length.
"""

from ...kernel import kernel
from ...model.arrays import AXIS_PARAMETERS, LOWER, UPPER


@kernel
def curve_at(curves, start, end, x):
    """(force; its slope; its integral) at a place x on the curve with pieces from `start` to before `end`."""
    k = start
    while k + 1 < end and x >= curves[k + 1, 0]:
        k += 1
    u, f, d, energy = x - curves[k, 0], curves[k, 1], curves[k, 2], curves[k, 5]
    square, cube = curves[k, 3], curves[k, 4]
    if u < 0.0:
        square, cube = 0.0, 0.0
    return (
        f + u * (d + u * (square + u * cube)),
        d + u * (2.0 * square + u * 3.0 * cube),
        energy + u * (f + u * (d / 2.0 + u * (square / 3.0 + u * (cube / 4.0)))),
    )


@kernel
def has_damper(force):
    """True for a force whose damper is a table of force over rate."""
    return force.damper_end > force.damper_start


@kernel
def damper_of(model, force, damping, rate):
    """(N; N s/m) of a force's damper at a rate (m/s), and its slope."""
    if has_damper(force):
        drag, slope, _ = curve_at(model.curves, force.damper_start, force.damper_end, rate)
        return drag, slope
    return damping * rate, damping


@kernel
def damper_gain(drag, slope, rate):
    """N s/m or N m s/rad: what implicit steps take a damper for that gives `drag` at a rate, with a slope there."""
    return max(0.0, slope, drag / rate) if rate != 0.0 else max(0.0, slope)


@kernel
def has_axis_curves(model):
    """True if a joint of the linkage has forces by tables."""
    return len(model.axis_curves) > 0


@kernel
def axis_pull(model, p, axis, q, u):
    """(effort of spring and stops; its change with q, and with u; J) of the tables of an axis."""
    row, curves, k = model.axis_curves[axis], model.curves, axis * AXIS_PARAMETERS
    effort, by_place, by_rate, energy = 0.0, 0.0, 0.0, 0.0
    if row.pull[1] > row.pull[0]:
        force, slope, energy = curve_at(curves, row.pull[0], row.pull[1], q)
        effort, by_place = -force, -slope
    if row.stops[1] > row.stops[0]:
        for side in range(2):
            way, depth = (1.0, p[k + LOWER] - q) if side == 0 else (-1.0, q - p[k + UPPER])
            if depth > 0.0:
                force, slope, stored = curve_at(curves, row.stops[0], row.stops[1], depth)
                energy += stored
                share = 1.0 - row.dissipation * way * u
                if share > 0.0:
                    effort += way * share * force
                    by_place -= share * slope
                    by_rate -= row.dissipation * force
    return effort, by_place, by_rate, energy


@kernel
def axis_drag(model, axis, u):
    """(effort of the damper by a table of an axis; its change with u)."""
    row = model.axis_curves[axis]
    if row.damper[1] > row.damper[0]:
        force, slope, _ = curve_at(model.curves, row.damper[0], row.damper[1], u)
        return -force, -slope
    return 0.0, 0.0


@kernel
def axis_curve_tangent(model, p, axis, q, u):
    """(effort, stiffness, damping) of the tables of an axis, as implicit steps take them: neither below 0."""
    pull, by_place, by_rate, _ = axis_pull(model, p, axis, q, u)
    drag, slope = axis_drag(model, axis, u)
    return pull + drag, max(0.0, -by_place), max(0.0, -by_rate) + damper_gain(-drag, -slope, u)


@kernel
def axis_curve_energy(model, p, axis, q):
    """J: in spring and stops by tables."""
    return axis_pull(model, p, axis, q, 0.0)[3]


@kernel
def axis_curve_change(model, p, axis, q, u, moved, faster):
    """The change of the effort of an axis's tables along one of its coordinate and of its speed: (pull, drag)."""
    _, by_place, by_rate, _ = axis_pull(model, p, axis, q, u)
    return by_place * moved + by_rate * faster, axis_drag(model, axis, u)[1] * faster
