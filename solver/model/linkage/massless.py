# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies without inertia of their own where a joint leaves them free: what the recursion would divide by is rounding.

Eliminating an axis s divides by D = s . I_A s, I_A the articulated inertia (Featherstone 2008, 7.3). Of what hangs on a
body only that counts in I_A which its own joint does not leave free; where it leaves all free, as a hinge on a coaxial
hinge does, D is the body's own, and what is left of the rest by rounding. Symbols: s motion of an axis (6,), U = I_A s,
and C centre of mass; world axes at zero coordinates, angular part first.
"""

import numpy as np

from ...mechanism.error import refuse
from ...mechanism.messages import Message
from ..arrays import TYPES, Kind
from .numbering import NumberedLinkage

LEAST = 1e-12  # of the inertia that hangs on an axis: as many digits are lost, and a thousandth is as good as nothing


def refuse_massless(linkage: NumberedLinkage, bodies: np.recarray, armature: np.ndarray) -> None:
    """Raises MechanismError for bodies that have next to no inertia where their joints leave them free.

    Where surfaces ride on each other nothing is found.
    """
    first, dynamic = linkage.first, bodies[linkage.first :]
    if not len(dynamic) or not _may_be_massless(dynamic) or (bodies.kind == Kind.CONTACT).any():
        return
    whole = np.zeros((len(bodies), 6, 6))  # I_A, about C
    unprojected = np.zeros_like(whole)  # the same, had the joints of what hangs on it been fixed
    found: dict[str, Message] = {}
    for i in range(len(bodies) - 1, first - 1, -1):
        axes = linkage.kernel_axes(i)
        own = _own_inertia(bodies[i], axes)
        whole[i] += own
        unprojected[i] += own
        projected = whole[i].copy()
        for number, s in enumerate(_motions(bodies[i], axes)):
            reflected = armature[bodies[i].axis_start + number]
            is_turn = s[:3].any()
            U, beside = projected @ s, s @ unprojected[i] @ s + reflected
            if is_turn:
                beside = max(beside, np.trace(own[:3, :3]) / 2.0)  # rounding of its own moments, as of a needle
            D = s @ U + reflected
            if LEAST * beside > D:
                name = linkage.bodies[i - 1].name
                found.setdefault(name, _message(name, max(0.0, D), beside, is_turn))
            else:
                projected -= np.outer(U, U) / D
        inner = bodies[i].inner
        if inner >= first:
            shift = _shift(linkage.start[1][i] - linkage.start[1][inner])
            unprojected[inner] += shift.T @ whole[i] @ shift
            whole[inner] += shift.T @ projected @ shift
    refuse(found.values())


def _message(name: str, own: float, beside: float, is_turn: bool) -> Message:
    unit = "kg m²" if is_turn else "kg"
    own, beside, least = (f"{number:.3g} {unit}" for number in (own, beside, LEAST * beside))
    return Message("massless", ("body", name), own=own, beside=beside, least=least)


def _may_be_massless(dynamic: np.recarray) -> bool:
    """True if masses or moments are far enough apart for it; of most linkages this is all that is looked at."""
    moments = np.linalg.eigvalsh(_matrices(dynamic.inertia))
    reach = moments.max() + dynamic.mass.max() * np.square(dynamic.center_offset).sum(axis=1).max()
    return bool(moments.min() < LEAST * reach or dynamic.mass.min() < LEAST * dynamic.mass.max())


def _matrices(inertia: np.ndarray) -> np.ndarray:
    """(n, 3, 3) of the six entries of each."""
    return inertia[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)


def _own_inertia(body: np.record, axes: np.ndarray) -> np.ndarray:
    result = np.zeros((6, 6))
    result[:3, :3] = axes @ _matrices(np.array([body.inertia]))[0] @ axes.T
    result[3:, 3:] = body.mass * np.eye(3)
    return result


def _motions(body: np.record, axes: np.ndarray) -> list[np.ndarray]:
    """The motion of C for each axis of the body's joint."""
    arm, result = axes @ body.center_offset, []
    for axis in TYPES[body.kind].axes:
        along, is_turn = axes[:, axis.axis], axis.kind == "angle"
        angular = along if is_turn else np.zeros(3)
        linear = body.pitch * along if is_turn and TYPES[body.kind].is_threaded else (0.0 if is_turn else 1.0) * along
        result.append(np.concatenate([angular, linear + np.cross(angular, arm)]))
    return result


def _shift(arm: np.ndarray) -> np.ndarray:
    """(6, 6): from motions at a point to those at one that lies an arm further."""
    x, y, z = arm
    result = np.eye(6)
    result[3:, :3] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
    return result
