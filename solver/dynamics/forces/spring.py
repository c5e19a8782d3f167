# SPDX-License-Identifier: GPL-3.0-or-later
"""A spring between two points, with damping, and a rubber, which only pulls.

Rubber (Schroeder 1990, 7.2) pulls only when stretched, and less while its ends approach: restitution times as much. The
thesis blends that jump around rate zero; there it is steep just where a structure comes to rest. Here the whole pull
acts at rest, and the blend lies on the approaching side with no slope at rate zero: no stiffness at rest, and a balance
of forces that is that of the springs. It is done at a hundredth of the speed at which the rubber's own bodies would
ring if it were stretched by its length. A rubber that damps begins to do so at once: that jump is switched
(`switching`). Either may have its pull by a table of force over length, and its damper by one over rate (`curves`).
"""

import math

from ...kernel import kernel
from ...mechanism.forces import SpringNumbers
from ...model.arrays import ForceKind
from ...spatial import (
    add,
    add_scaled,
    add_to_spatial,
    cross,
    dot,
    load_angular,
    load_linear,
    scale,
    subtract,
)
from .closing import is_closed
from .curves import curve_at, damper_gain, damper_of, has_damper
from .points import first_parameter, force_point, point_change

_SPRING = int(ForceKind.SPRING)
_BAND = 0.01  # of the speed at which a rubber rings: rates of approach over which its restitution sets in
_ZERO = (0.0, 0.0, 0.0)


@kernel
def spring_numbers(p, first):
    """The numbers of its law, or of a rubber's."""
    return SpringNumbers(p[first + 1], p[first + 2], p[first + 3], p[first + 4])


@kernel
def add_pull(model, scratch, number, first):
    """Adds what it pulls with to the wrenches of its bodies."""
    force, bodies = model.forces[number], scratch.bodies
    arm_a, arm_b, direction, length, rate = spring_length(force, bodies, scratch.parameters, first)
    pull = pull_of(model, scratch, number, length, rate)
    if force.body[0] >= model.driven:
        f = scale(pull, direction)
        add_to_spatial(bodies[force.body[0]].wrench, cross(arm_a, f), f)
    if force.body[1] >= model.driven:
        f = scale(-pull, direction)
        add_to_spatial(bodies[force.body[1]].wrench, cross(arm_b, f), f)


@kernel
def spring_length(force, bodies, p, first):
    """(arms, direction from the first end to the second, length, rate of length) of a spring or a rubber."""
    arm_a, a, velocity_a = force_point(force, bodies, p, first, 0)
    arm_b, b, velocity_b = force_point(force, bodies, p, first, 1)
    span = subtract(b, a)
    length = math.sqrt(dot(span, span))
    # ends that coincide have no direction to pull in
    direction = scale(1.0 / length, span) if length > 0.0 else _ZERO
    return arm_a, arm_b, direction, length, dot(direction, subtract(velocity_b, velocity_a))


@kernel
def pull_of(model, scratch, number, length, rate):
    """The pull (N) of a spring or a rubber of this length (m) and rate (m/s) on its ends."""
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    spring = spring_numbers(p, first)
    stretch = length - spring.rest
    if has_table(force) or has_damper(force):
        pull = elastic_pull(model, force, spring, length)[0] + damper_of(model, force, spring.damping, rate)[0]
    else:
        pull = spring.stiffness * stretch + spring.damping * rate
    if force.kind == _SPRING:
        return pull
    if not is_closed(force, scratch, number, stretch) or not pull > 0.0:
        return 0.0
    if rate < 0.0 and spring.stiffness > 0.0:
        pull *= share_of_pull(spring.restitution, -rate / band_of(force, spring.stiffness))
    return pull


@kernel
def has_table(force):
    """True for a spring that has its pull by a table of force over length, or a support by one over depth."""
    return force.pull_end > force.pull_start


@kernel
def elastic_pull(model, force, spring, length):
    """(N; N/m): the pull of a spring at a length (m) without its damper, as if it were no rubber, and its slope."""
    if has_table(force):
        pull, slope, _ = table_pull(model, force, length)
        return pull, slope
    return spring.stiffness * (length - spring.rest), spring.stiffness


@kernel
def table_pull(model, force, length):
    """(pull, N; slope, N/m; energy, J) of a spring by a table at a length (m)."""
    return curve_at(model.curves, force.pull_start, force.pull_end, length)


@kernel
def spring_tangent(model, scratch, number, length, rate):
    """Stiffness (N/m) and damping (N s/m) along a stretched spring of this length (m) and rate (m/s), and across it.

    Along a table that falls the stiffness is 0. The damping is what implicit steps take it for.
    """
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    spring = spring_numbers(p, first)
    damping = spring.damping
    if has_damper(force):
        drag, slope = damper_of(model, force, damping, rate)
        damping = damper_gain(drag, slope, rate)
    if has_table(force):
        pull, slope, _ = table_pull(model, force, length)
        return max(0.0, slope), damping, max(0.0, pull / length) if length > 0.0 else 0.0
    across = spring.stiffness if spring.rest == 0.0 else 0.0
    if length > 0.0:
        across = spring.stiffness * max(0.0, 1.0 - spring.rest / length)
    return spring.stiffness, damping, across


@kernel
def band_of(force, stiffness):
    """m/s: rates of approach over which a rubber's restitution sets in."""
    return _BAND * force.reach * math.sqrt(stiffness * force.mobility)


@kernel
def share_of_pull(restitution, approach):
    """The share of a rubber's pull while its ends approach, by parts of its band."""
    s = min(1.0, approach)
    return 1.0 - (1.0 - restitution) * s * s * (3.0 - 2.0 * s)


@kernel
def slack_of(force, bodies, p, first):
    """m: how loose a rubber hangs."""
    _, _, _, length, _ = spring_length(force, bodies, p, first)
    return spring_numbers(p, first).rest - length


@kernel
def pull_energy(model, scratch, number):
    """J: potential, in a spring or a stretched rubber."""
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    spring = spring_numbers(p, first)
    _, _, _, length, _ = spring_length(force, scratch.bodies, p, first)
    stretch = length - spring.rest
    if has_table(force):
        return table_pull(model, force, length)[2] if force.kind == _SPRING or stretch > 0.0 else 0.0
    return 0.5 * spring.stiffness * stretch * stretch if force.kind == _SPRING or stretch > 0.0 else 0.0


@kernel
def length_change(model, scratch, number, shift):
    """m: what a `shift` of bodies (B, 6), rad and m, adds to the length."""
    force, first = model.forces[number], first_parameter(model, number)
    arm_a, arm_b, direction, _, _ = spring_length(force, scratch.bodies, scratch.parameters, first)
    return dot(direction, subtract(_shifted(shift, force.body[1], arm_b), _shifted(shift, force.body[0], arm_a)))


@kernel
def _shifted(shift, i, arm):
    return add(load_linear(shift[i]), cross(load_angular(shift[i]), arm))


@kernel
def pull_change(model, scratch, changes, number, first):
    """Adds the change of its pull along a motion to the wrenches of its bodies.

    A rubber has that of the side, pulling or loose, that it is on now; at no rate and at the end of its band, where the
    blend bends, the slope is the same on both sides. Ends that coincide have no direction, and change nothing.
    """
    force, bodies, p = model.forces[number], scratch.bodies, scratch.parameters
    arm_a, arm_b, direction, length, rate = spring_length(force, bodies, p, first)
    if not length > 0.0:
        return
    _, _, velocity_a = force_point(force, bodies, p, first, 0)
    _, _, velocity_b = force_point(force, bodies, p, first, 1)
    arm_a_change, a_change, velocity_a_change = point_change(force, bodies, changes, p, first, 0)
    arm_b_change, b_change, velocity_b_change = point_change(force, bodies, changes, p, first, 1)
    span_change = subtract(b_change, a_change)
    longer = dot(direction, span_change)
    turned = scale(1.0 / length, add_scaled(span_change, -longer, direction))
    faster = dot(turned, subtract(velocity_b, velocity_a))
    faster += dot(direction, subtract(velocity_b_change, velocity_a_change))
    pull = pull_of(model, scratch, number, length, rate)
    by_length, by_rate = pull_slopes(model, scratch, number, length, rate)
    f, f_change = scale(pull, direction), scale(by_length * longer + by_rate * faster, direction)
    f_change = add_scaled(f_change, pull, turned)
    if force.body[0] >= model.driven:
        n_change = add(cross(arm_a_change, f), cross(arm_a, f_change))
        add_to_spatial(changes[force.body[0]].wrench, n_change, f_change)
    if force.body[1] >= model.driven:
        n_change = add(cross(arm_b_change, f), cross(arm_b, f_change))
        add_to_spatial(changes[force.body[1]].wrench, scale(-1.0, n_change), scale(-1.0, f_change))


@kernel
def pull_slopes(model, scratch, number, length, rate):
    """(N/m, N s/m): the derivatives of `pull_of` with respect to length and rate, on the side that it is on."""
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    spring = spring_numbers(p, first)
    stretch, stiffness, damping = length - spring.rest, spring.stiffness, spring.damping
    pull = stiffness * stretch + damping * rate
    if has_table(force) or has_damper(force):
        elastic, stiffness = elastic_pull(model, force, spring, length)
        drag, damping = damper_of(model, force, damping, rate)
        pull = elastic + drag
    if force.kind == _SPRING:
        return stiffness, damping
    if not is_closed(force, scratch, number, stretch) or not pull > 0.0:
        return 0.0, 0.0
    if rate >= 0.0 or not spring.stiffness > 0.0:
        return stiffness, damping
    band = band_of(force, spring.stiffness)
    share, s = share_of_pull(spring.restitution, -rate / band), min(1.0, -rate / band)
    steeper = (1.0 - spring.restitution) * 6.0 * s * (1.0 - s) / band
    return share * stiffness, share * damping + pull * steeper


@kernel
def pull_tangent(model, scratch, number, length, rate):
    """Stiffness (N/m) and damping (N s/m) along a spring or rubber of this length (m) and rate (m/s), and across it.

    Where its pull falls with length or rate, that resistance is taken as none.
    """
    force = model.forces[number]
    by_length, by_rate = pull_slopes(model, scratch, number, length, rate)
    if length > 0.0:
        across = pull_of(model, scratch, number, length, rate) / length
    else:
        across = spring_tangent(model, scratch, number, length, rate)[2] if force.kind == _SPRING else 0.0
    if has_damper(force) and by_rate > 0.0:
        by_rate = max(by_rate, spring_tangent(model, scratch, number, length, rate)[1])
    return max(0.0, by_length), max(0.0, by_rate), max(0.0, across)
