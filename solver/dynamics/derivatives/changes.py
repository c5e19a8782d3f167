# SPDX-License-Identifier: GPL-3.0-or-later
"""Room for the changes of a linkage along a direction of its state. All vectors are along world axes."""

from typing import NamedTuple

import numpy as np

from ...kernel import by_reference
from ...model.arrays import (
    LOAD,
    MOST_ENDS,
    MOVING_AXIS,
    ForceKind,
    Model,
    NoRides,
    Scratch,
    new_gram,
    records,
)

MOST_ROWS = 2000  # of closures: their factors are dense, 8 bytes times its square
_BALANCE = int(ForceKind.BALANCE)

BODY_CHANGE = np.dtype(
    [
        ("turn", "f8", 3),  # rad: of the body, about world axes
        ("shift", "f8", 3),  # m: of its reference point
        ("angular", "f8", 3),  # rad/s
        ("linear", "f8", 3),  # m/s
        ("acceleration", "f8", 6),  # without that of the axes' accelerations
        ("wrench", "f8", 6),  # of what is applied, closures included, about the centre of mass
        ("load", "f8", 6),  # what its outer bodies hand to it on the way inward
        ("response", "f8", 6),  # acceleration by the change of the axes' accelerations
        ("inertia", "f8", 6),  # kg m2: own inertia along world axes, at the evaluation
        ("moved", "i8"),  # 1 if its pose or velocity changes
    ],
    align=True,
)
ROW_CHANGE = np.dtype(
    [
        ("bias", "f8"),
        ("asked", "f8"),  # less of the row's acceleration, for the change of the axes' accelerations to make up for
        ("multiplier", "f8"),
        ("wrench", "f8", (MOST_ENDS, 6)),
    ],
    align=True,
)


@by_reference
class Changes(NamedTuple):
    """The factors of one evaluation, and what changes along one direction; B bodies, A axes, M rows of closures.

    `factors` shares bodies, forces and rows with the evaluation's scratch space; the articulated inertias in its axes
    and loads, and the response of the rows in its gram, are its own, so that no method loses its factors.
    """

    factors: Scratch
    bodies: np.recarray  # (B,) BODY_CHANGE
    motion: np.ndarray  # (A,): along the axes: that of the coordinates, of charts along the child's axes
    S: np.ndarray  # (A, 6): of the motion subspaces
    rows: np.recarray  # (M,) ROW_CHANGE
    efforts: np.ndarray  # (A,)
    direction: np.ndarray  # (3, A): of coordinates, speeds and efforts, for matrices


def new_changes(model: Model, scratch: Scratch) -> Changes:
    """Room for the derivatives of what is evaluated in this scratch space. Raises ValueError: see `reasons_against`."""
    reasons = reasons_against(model, scratch)
    if reasons:
        raise ValueError(f"no derivatives of {', '.join(reasons)}")
    bodies, axes = len(model.bodies), len(model.armature)
    factors = scratch._replace(
        axes=records(axes, MOVING_AXIS), loads=records(bodies, LOAD), gram=new_gram(model.closing, axes)
    )
    return Changes(
        factors=factors,
        bodies=records(bodies, BODY_CHANGE),
        motion=np.zeros(axes),
        S=np.zeros((axes, 6)),
        rows=records(model.closing, ROW_CHANGE),
        efforts=np.zeros(axes),
        direction=np.zeros((3, axes)),
    )


def reasons_against(model: Model, scratch: Scratch) -> list[str]:
    """The parts of a linkage that have no derivatives here: none, or an empty list."""
    found = []
    if type(model.rides) is not NoRides:
        found.append("contact joints")
    if scratch.soft is not None:
        found.append("soft contacts")
    if np.any(model.forces.kind == _BALANCE):
        found.append("balance")
    if len(model.followed):
        found.append("bodies that follow their keys")
    if np.any(model.closures.gives_way[model.rows.closure[: model.closing]] != 0):
        found.append("closures that give way")
    if np.any(model.closures.slips != 0):
        found.append("ropes that slip on their wheels")
    if np.any(model.closures.tau > 0.0):
        found.append("what is drawn together")
    if model.closing > MOST_ROWS:
        found.append(f"more than {MOST_ROWS} rows of closures")
    return found
