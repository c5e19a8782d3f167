# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of a tree's pose by turns of its bodies, each about an axis that stands still in the world.

A change of joint coordinates turns each body by the sum t of what its joints inward add. In space turns do not add up,
and in a long chain what they are off by grows from joint to joint: the energy along such a change has another curvature
than a system knows that counts in turns of bodies (`dynamics.implicit.tension`). So joints are corrected until bodies
are where their t, as turns about fixed axes, take them, as far as joints can.
"""

import math

from ...kernel import kernel
from ...rotation import exponential, logarithm, matrix_of_quaternion, quaternion_of_matrix
from ...spatial import add_scaled, dot, load9, load_angular, multiply, store9, subtract, transpose
from ..motion.motion import recenter

_SWEEPS = 3  # over the axes of a joint, which need not be perpendicular
_ZERO = (0.0, 0.0, 0.0)


@kernel
def shorten_turns(model, scratch, work, farthest, turn, is_turned, change):
    """Cuts a change (A,), whose motion is in work.acceleration, so that no body turns by more than `farthest` (rad)."""
    for i in range(model.driven, len(model.bodies)):
        t = load_angular(work.acceleration[i])
        share = min(1.0, farthest / max(farthest, math.sqrt(dot(t, t))))
        for c in range(3):
            turn[i, c] = share * t[c]
    spread_turns(model, scratch, turn, is_turned, change)


@kernel
def want_turns(model, scratch, work, wanted, turn):
    """Fills the orientations (B, 9) to which bodies turn, and the turns (B, 3), by the change in work.acceleration."""
    for i in range(model.driven, len(model.bodies)):
        t = load_angular(work.acceleration[i])
        store9(wanted[i], multiply(matrix_of_quaternion(exponential(t)), load9(scratch.bodies[i].rotation)))
        for c in range(3):
            turn[i, c] = t[c]


@kernel
def correct_turns(model, state, scratch, work, wanted, is_turned):
    """One correction of the coordinates of the axes (A,) that are marked; kinematics must be up to date."""
    for i in range(model.driven, len(model.bodies)):
        R = load9(scratch.bodies[i].rotation)
        off = logarithm(quaternion_of_matrix(multiply(load9(wanted[i]), transpose(R))))
        for c in range(3):
            work.displacement[i, c] = off[c]
    recenter_all(model, state)
    spread_turns(model, scratch, work.displacement, is_turned, work.left)
    for k in range(len(is_turned)):
        if is_turned[k]:
            state.coordinates[k] += work.left[k]


@kernel
def recenter_all(model, state):
    """Every chart begins where its joint is, so that a change of its coordinates is a turn."""
    for chart in range(len(model.charted)):
        recenter(state, chart, model.bodies[model.charted[chart]].axis_end - 3)


@kernel
def spread_turns(model, scratch, turn, is_turned, change):
    """Fills changes (A,) of the marked axes by which bodies turn (B, 3 or more) as nearly as joints can."""
    for i in range(model.driven, len(model.bodies)):
        body, inner = model.bodies[i], model.bodies[i].inner
        t = (turn[i, 0], turn[i, 1], turn[i, 2])
        left = subtract(t, (turn[inner, 0], turn[inner, 1], turn[inner, 2])) if inner >= model.driven else t
        for k in range(body.axis_start, body.axis_end):
            if is_turned[k]:
                change[k] = 0.0
        for _ in range(_SWEEPS):
            for k in range(body.axis_start, body.axis_end):
                s = load_angular(scratch.axes[k].S)
                if is_turned[k] and s != _ZERO:
                    share = dot(s, left) / dot(s, s)
                    change[k] += share
                    left = add_scaled(left, -share, s)
