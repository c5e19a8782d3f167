# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a linkage that are stretched, so that it cannot move though its rows look as if it could.

Rows J say which motions v are free to first order, J v = 0. Where rows depend on each other (stress s, s J = 0), a free
motion goes on only if s . (second change of the rows along v) vanishes. That is a quadratic form in v for each stress.
If one of them, or a sum of them, is definite on some motions, those are locked: no way leads on, neither along v nor
along -v, as in a chain that is pulled straight (second-order rigidity: Connelly and Whiteley 1996). Forms that are
indefinite are branches, which can be passed; forms that vanish belong to rows that are redundant in every pose.

Only what lies in loops can be locked, or held back, so branches that hang on by one connection are left out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterable
from typing import NamedTuple

import numpy as np

from ..mechanism import Mechanism
from ..mechanism.messages import Message, Part
from ..model.linkage.nearly_redundant import ALLOWED, Offset
from .bring_together import Assembly
from .connections import Connection
from .gauss_newton import Solver
from .placement import Bodies, Poses
from .system import Linkage

_LARGEST = 150  # bodies in loops, of which dense matrices are still quick
_DEPENDENT = 1e-5  # of the largest singular value: rows that depend on each other, in a drawing's few digits
_OPEN = 1e-5  # part of the size, or rad: what is open by more is not looked at
_STEP = 1e-4  # of the unknowns, for second changes; errors go with its square
_CURVED = 1e-4  # of a second change: one that is not zero
_PROJECTIONS, _MEETS = 500, 1e-6  # between forms and definite ones; of a form's size
_LOCKED = 1e-3  # of a form's largest eigenvalue
_CARRIES = 0.2  # of the largest stress: parts that are named
_SLACK = 3e-4  # of the size: enough to sag visibly


class Locked(NamedTuple):
    """Joints and constraints that are stretched so that nothing of them can move."""

    parts: list[Part]
    size: float  # m: of their linkage


def closed_part(linkage: Linkage, poses: Poses) -> Linkage | None:
    """The connections of a linkage that lie in loops or between things that stand; None if there are none.

    Its bodies have other masses.
    """
    ends, moves = linkage.connections.ends, linkage.bodies.moves
    kept = np.ones(ends.shape[1], bool)
    pairs = {id(connection): k for k, connection in enumerate(linkage.connections.parts)}
    adds = [
        (k, pairs[id(connection.adds_to)])
        for k, connection in enumerate(linkage.connections.parts)
        if connection.adds_to is not None
    ]
    tied = {k for pair in adds for k in pair}  # a coupling's sides hold on to each other as well
    while True:
        degree = np.bincount(ends[:, kept].ravel(), minlength=len(moves))
        loose = kept & ((moves[ends] & (degree[ends] == 1)).any(axis=0))
        loose[list(tied)] = False
        if not loose.any():
            break
        kept &= ~loose
    which = np.flatnonzero(kept)
    return Linkage(linkage.connections.some(which), _alike(linkage), poses) if len(which) else None


def _alike(linkage: Linkage) -> Bodies:
    """The bodies with masses that are all the same: what can move does not depend on them."""
    mass = linkage.bodies.moves.astype(float)
    moments = np.repeat(mass[:, None] * linkage.scales.length**2, 3, axis=1)
    return dataclasses.replace(linkage.bodies, mass=mass, moments=moments)


def find_locked(linkage: Linkage, poses: Poses) -> Locked | None:
    """The stretched parts of a linkage that is closed at these poses; None if all that its rows allow can go on."""
    if not 0 < len(linkage.moved) <= _LARGEST:
        return None
    J, is_row = _jacobian(linkage, poses)
    U, sizes, V = np.linalg.svd(J)
    rank = int(np.sum(sizes > _DEPENDENT * max(sizes.max(initial=0.0), 1e-300)))
    free, stress = V[rank:].T, U[:, rank:]
    if not free.shape[1] or not stress.shape[1]:
        return None
    forms = np.zeros((stress.shape[1], free.shape[1], free.shape[1]))
    for i in range(free.shape[1]):
        change = np.zeros_like(J)
        for sign in (1.0, -1.0):
            there = linkage.moved_by(poses, linkage.motion(sign * _STEP * free[:, i], poses))
            change += sign * _jacobian(linkage, there)[0] / (2.0 * _STEP)
        forms[:, i] = stress.T @ change @ free
    held = _definite_sum(0.5 * (forms + np.swapaxes(forms, 1, 2)))
    if held is None:
        return None
    carried = np.zeros(len(linkage.connections.parts))
    np.maximum.at(carried, linkage.connections.owner[is_row], np.abs(stress @ held))
    named = [part_of(linkage.connections.parts[k]) for k in np.flatnonzero(carried > _CARRIES * carried.max())]
    return Locked(list(dict.fromkeys(named)), linkage.scales.size)


def conditions_too_many(linkage: Linkage, poses: Poses) -> int:
    """The number of directions that a linkage closed at these poses must have free again to move; 0 if it can.

    By its rows as they are, to first order: what only looks free is `find_locked`'s.
    """
    if not 0 < len(linkage.moved) <= _LARGEST:
        return 0
    J, _ = _jacobian(linkage, poses)
    if J.shape[0] < J.shape[1]:
        return 0
    sizes = np.linalg.svd(J, compute_uv=False)
    return J.shape[0] - J.shape[1] + 1 if sizes[-1] > _DEPENDENT * sizes[0] else 0


def _jacobian(linkage: Linkage, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
    """(r, 6 n): derivatives of the rows that act at all poses, and (r,): which of the connections' rows these are.

    Limits are none of them: those that are not reached hold nothing.
    """
    sight = linkage.connections.sight(poses)
    matrix = linkage.matrix(linkage.connections.evaluate(sight), sight, poses).toarray()
    counts = ~linkage.connections.is_limit & (linkage.connections.row == np.arange(len(linkage.connections.owner)))
    return matrix[counts], np.flatnonzero(counts)


def _definite_sum(forms: np.ndarray) -> np.ndarray | None:
    """Weights (s,) of symmetric forms (s, d, d) whose sum is positive semidefinite and not zero; None if none are.

    By alternating projections between the forms' span and the cone of positive semidefinite ones (Bregman 1965).
    """
    count, d, _ = forms.shape
    span, sizes, back = np.linalg.svd(forms.reshape(count, d * d), full_matrices=False)
    curved = sizes > _CURVED
    basis, weights = back[curved], span[:, curved]
    if not curved.any():
        return None
    x = basis @ np.eye(d).ravel()
    for _ in range(_PROJECTIONS):
        size = np.linalg.norm(x)
        if size <= _MEETS:
            return None  # forms without a trace, none of which is definite
        x = x / size
        form = (x @ basis).reshape(d, d)
        values, vectors = np.linalg.eigh(form)
        if values[0] >= -_LOCKED * values[-1]:
            return weights @ (x / sizes[curved])
        x = basis @ ((vectors * np.maximum(values, 0.0)) @ vectors.T).ravel()
    return None


def locked_parts(
    mechanism: Mechanism, poses: Poses | None = None, bodies: Container[str] | None = None
) -> list[Locked]:
    """Stretched parts at these poses, or at the start, of a mechanism whose closures are closed there.

    bodies: names of those whose linkages are asked for, if not all are.
    """
    assembly = Assembly(mechanism)
    poses = assembly.start if poses is None else poses
    asked = [
        linkage
        for linkage in assembly.linkages
        if bodies is None or any(mechanism.bodies[i].name in bodies for i in linkage.moved)
    ]
    parts = (closed_part(linkage, poses) for linkage in asked)
    return locked_among((part for part in parts if part is not None), poses)


def locked_among(parts: Iterable[Linkage], poses: Poses) -> list[Locked]:
    """Those of some parts, each of loops alone (`closed_part`), that are closed at these poses and stretched."""
    found = (find_locked(part, poses) for part in parts if Solver(part, poses).error <= _OPEN)
    return [locked for locked in found if locked is not None]


def note_on_locked(found: Locked) -> Message:
    """One sentence."""
    slack = f"{_SLACK * found.size:.1g}"
    return Message.about_many("no-slack", found.parts, slack=slack)


def note_on_offset(mechanism: Mechanism, offset: Offset) -> Message:
    """One sentence on joints that were put in line, or hold each other since they are not."""
    parts = [("joint", mechanism.joints[j].name) for j in offset.joints if j >= 0]
    how = {"angle": f"{offset.angle:.2g}", "distance": f"{offset.distance:.2g}"}
    if offset.is_mended:
        return Message.about_many("lined-up", parts, **how)
    effect = "nothing in it moves" if offset.stands else "it moves less freely than it could"
    return Message.about_many("off-line", parts, effect=effect, allowed=f"{ALLOWED:g}", **how)


def part_of(connection: Connection) -> Part:
    """The joint or constraint of a connection, by kind and name."""
    return connection.kind, connection.part.name
