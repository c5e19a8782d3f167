# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays for the linear systems of implicit steps."""

from typing import NamedTuple

import numpy as np

from ...kernel import by_reference
from ...model.arrays import MOST_ENDS, Model, records
from ..forces.laws import Form, form_of

DIRECTIONS = 3  # of a spring: along its line, and two across it
MOST_ROWS = 2000  # of closures and of springs between bodies: their matrix is dense, factored in every substep
SYSTEM_PRICE = 5.0  # about what a linear system of a tree costs, in evaluations

PAIR = np.dtype(
    [
        ("force", "i8"),
        ("is_along", "i8"),  # 1 if it is stiff in the present step along its line,
        ("is_across", "i8"),  # and across it,
        ("is_row", "i8"),  # and solved as a row: between moving bodies, or if it damps along a line that turns
    ],
    align=True,
)


@by_reference
class ImplicitWork(NamedTuple):
    """Room for one linear system. W: as many rows as closures have, then DIRECTIONS for each pair. World axes."""

    damps: np.ndarray  # (1,): 1, or 0 where speeds do not count, and so C = 0
    pairs: np.recarray  # (.,) PAIR: forces that pull
    axis_gain: np.ndarray  # (A,) kg m2 or kg: h c + h^2 k of joints, k stiffness, c damping
    cross_gain: np.ndarray  # (A, 2) of an axis of a ball joint with the one before it, and with the one before that
    body_gain: np.ndarray  # (B, 21) the same of forces that hold on to what is driven, as articulated inertias
    displacement: np.ndarray  # (B, 6) rad, m: the explicit change of a body's pose in the step,
    change: np.ndarray  # (B, 6) rad/s, m/s: and of its velocity
    wrench: np.ndarray  # (B, 6) N m, N: right-hand side, about the reference points
    effort: np.ndarray  # (A,) N m or N
    kept_wrench: np.ndarray  # (B, 6): those of the evaluation, where forces are driven by tables
    kept_effort: np.ndarray  # (A,)
    put_aside: np.ndarray  # (A,) accelerations, where a system is one without inertia
    turning: np.ndarray  # (A, 2, 6) by what velocities and accelerations change as the axis moves on
    block_velocity: np.ndarray  # (A, 6) of the axes that are eliminated together, at the first of them
    T: np.ndarray  # (A, 18) motion of a body for a unit of z
    W: np.ndarray  # (A, 18) effort for a motion of the body,
    Y: np.ndarray  # (A, 6) and force of the body for a unit of z
    F: np.ndarray  # (B, 6, 18) force for a motion
    inverse: np.ndarray  # (A, 3) of the pivots, in blocks
    handed: np.ndarray  # (A, 6) what the turning of the axes' forces hands inward in the explicit step
    applied: np.ndarray  # (B, 6) wrenches now, those of closures included,
    taken: np.ndarray  # (B, 6) and what the bodies further out take of them
    motion: np.ndarray  # (B, 18) of the bodies
    u: np.ndarray  # (A,) efforts that are left
    left: np.ndarray  # (A,)
    row: np.ndarray  # (18,)
    bias: np.ndarray  # (B, 6)
    acceleration: np.ndarray  # (B, 6)
    solution: np.ndarray  # (A,)
    row_wrench: np.ndarray  # (W, E, 6) of a unit multiplier on the row's bodies
    row_measure: np.ndarray  # (W, E, 6) what a unit of the bodies' motion changes its force by, over its gain
    row_body: np.ndarray  # (W, E) int64
    row_ends: np.ndarray  # (W,) int64: how many bodies; 0: the row is not there
    softness: np.ndarray  # (W,) 1/gain, or compliance
    asked: np.ndarray  # (W,) what the multiplier opposes already, over its gain
    columns: np.ndarray  # (W, A) response of the axes to a unit multiplier
    factor: np.ndarray  # (W, W) L and U of the rows' response
    most: np.ndarray  # (W,) each row's own response if all joints that it moves led along it
    order: np.ndarray  # (W,) int64: in which rows are eliminated; those that follow from others stand last
    multiplier: np.ndarray  # (W,)
    pull: np.ndarray  # (R,) N, N m: multipliers of closures, as the latest system from rest has found them


def _pairs_of(model: Model) -> np.ndarray:
    """Numbers of the forces that pull between two points, at least one of them on a dynamic body."""
    pulls = np.array([form_of(kind) == Form.PULL for kind in model.forces.kind], bool)
    return np.flatnonzero(pulls & (model.forces.body >= model.driven).any(axis=1))


def rows_of(model: Model) -> int:
    """The number of rows that a linear system of this model may have besides its trees."""
    return model.closing + DIRECTIONS * len(_pairs_of(model))


def new_implicit_work(model: Model) -> ImplicitWork:
    """Zeroed workspace for a model."""
    axes, bodies, rows = len(model.armature), len(model.bodies), rows_of(model)
    numbers = _pairs_of(model)
    pairs = records(len(numbers), PAIR)
    pairs.force = numbers
    return ImplicitWork(
        damps=np.ones(1),
        pairs=pairs,
        axis_gain=np.zeros(axes),
        cross_gain=np.zeros((axes, 2)),
        body_gain=np.zeros((bodies, 21)),
        displacement=np.zeros((bodies, 6)),
        change=np.zeros((bodies, 6)),
        wrench=np.zeros((bodies, 6)),
        effort=np.zeros(axes),
        kept_wrench=np.zeros((bodies, 6)),
        kept_effort=np.zeros(axes),
        put_aside=np.zeros(axes),
        turning=np.zeros((axes, 2, 6)),
        block_velocity=np.zeros((axes, 6)),
        T=np.zeros((axes, 18)),
        W=np.zeros((axes, 18)),
        Y=np.zeros((axes, 6)),
        F=np.zeros((bodies, 6, 18)),
        inverse=np.zeros((axes, 3)),
        handed=np.zeros((axes, 6)),
        applied=np.zeros((bodies, 6)),
        taken=np.zeros((bodies, 6)),
        motion=np.zeros((bodies, 18)),
        u=np.zeros(axes),
        left=np.zeros(axes),
        row=np.zeros(18),
        bias=np.zeros((bodies, 6)),
        acceleration=np.zeros((bodies, 6)),
        solution=np.zeros(axes),
        row_wrench=np.zeros((rows, MOST_ENDS, 6)),
        row_measure=np.zeros((rows, MOST_ENDS, 6)),
        row_body=np.zeros((rows, MOST_ENDS), np.int64),
        row_ends=np.zeros(rows, np.int64),
        softness=np.zeros(rows),
        asked=np.zeros(rows),
        columns=np.zeros((rows, axes)),
        factor=np.zeros((rows, rows)),
        most=np.zeros(rows),
        order=np.zeros(rows, np.int64),
        multiplier=np.zeros(rows),
        pull=np.zeros(model.closing),
    )
