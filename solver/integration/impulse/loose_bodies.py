# SPDX-License-Identifier: GPL-3.0-or-later
"""Loose bodies pay for what their island has gained, with their motion beside that of all of them together.

A loose body has no motion within that could pay (`energy_bound`). But it touches others, which may slow it down, as
contacts do that are not quite elastic. So the loose bodies of an island give up a part of their motion beside the rigid
motion that all of them have together: neither the momentum nor the spin of the whole changes, and what each gives to
the others counts as given by contacts.

A gain is small, and comes as things are led out of an overlap into which springs had pressed them.
"""

import math
from typing import NamedTuple

import numpy as np

from ...evaluation.energy import body_energy
from ...kernel import kernel
from ...model.arrays import Kind, Model
from ...spatial import apply_symmetric, load3, load6, load9, rotate_symmetric, scale
from .momentum import Momenta, find_rigid_energies, give_back, new_momenta

_MOST = 0.5  # of such motion's energy: what is paid in a step, so that nothing stops dead
_FREE = int(Kind.FREE)


class LooseBodies(NamedTuple):
    """Bodies without joints and closures; by body, and of an island at its first loose one."""

    is_loose: np.ndarray  # (B,) int64
    together: Momenta  # whose pieces are the loose bodies of islands that owe something; work
    first: np.ndarray  # (B,) int64: an island's first loose body, at the island's first body; work
    touches: np.ndarray  # (B,) int64: whether an island has contacts, at its first body; work
    energy: np.ndarray  # (B,) J; work
    rigid: np.ndarray  # (B,) J: of their motion together; work
    share: np.ndarray  # (B,): of the motion beside it that they keep, then of the rigid motion that comes back; work


def new_loose_bodies(model: Model) -> LooseBodies:
    """Zeroed room, and which bodies are loose."""
    bodies, together = len(model.bodies), new_momenta(model)
    alone = np.bincount(together.piece[together.piece >= 0], minlength=bodies) == 1
    is_loose = alone & (model.bodies.kind == _FREE) & (together.piece == np.arange(bodies))
    return LooseBodies(
        is_loose.astype(np.int64), together, *np.zeros((2, bodies), np.int64), *np.zeros((3, bodies)),
    )  # fmt: skip


@kernel
def pay_with_loose_bodies(model, scratch, state, contact, loose, islands):
    """Takes from the loose bodies of each island what it still owes, and off `islands.unpaid` what they have paid.

    Kinematics must be up to date, and are so afterwards.
    """
    if not _find_payers(model, contact, loose, islands):
        return
    piece = loose.together.piece
    find_rigid_energies(model, scratch, loose.together, loose.rigid)
    for i in range(model.driven, len(model.bodies)):
        loose.energy[i] = 0.0
    for i in range(model.driven, len(model.bodies)):
        if piece[i] >= 0:
            loose.energy[piece[i]] += body_energy(model, state, scratch, i)
    for i in range(model.driven, len(model.bodies)):
        if piece[i] == i:
            first = islands.island[i]
            beside = max(0.0, loose.energy[i] - loose.rigid[i])
            paid = min(islands.unpaid[first], _MOST * beside)
            islands.unpaid[first] -= paid
            loose.share[i] = math.sqrt(1.0 - paid / beside) if beside > 0.0 else 1.0
    _note_given(model, scratch, contact, piece, -1.0)
    for i in range(model.driven, len(model.bodies)):
        if piece[i] >= 0:
            share, moving = loose.share[piece[i]], scratch.bodies[i]
            for k in range(model.bodies[i].axis_start, model.bodies[i].axis_end):
                state.speeds[k] *= share
            for k in range(3):
                moving.angular[k] *= share
                moving.linear[k] *= share
    for i in range(model.driven, len(model.bodies)):
        loose.share[i] = 1.0 - loose.share[i]
    give_back(model, scratch, state, loose.together, loose.share)
    _note_given(model, scratch, contact, piece, 1.0)


@kernel
def _find_payers(model, contact, loose, islands):
    """Gathers the loose bodies of islands that owe something, if things touch there; True if there are any."""
    first, touches, piece, found = loose.first, loose.touches, loose.together.piece, False
    for i in range(len(model.bodies)):
        first[i], touches[i], piece[i] = -1, 0, -1
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        if block.last > block.first:
            touches[islands.island[block.body[1]]] = 1
    for i in range(model.driven, len(model.bodies)):
        island = islands.island[i]
        if loose.is_loose[i] and touches[island] and islands.unpaid[island] > 0.0:
            if first[island] < 0:
                first[island] = i
            piece[i], found = first[island], True
    return found


@kernel
def _note_given(model, scratch, contact, piece, sign):
    """Adds the momenta of bodies to what contacts have given them, about their centres."""
    for i in range(model.driven, len(model.bodies)):
        if piece[i] >= 0:
            body, moving = model.bodies[i], scratch.bodies[i]
            I = rotate_symmetric(load9(moving.rotation), load6(body.inertia))
            l, p = apply_symmetric(I, load3(moving.angular)), scale(body.mass, load3(moving.linear))
            for k in range(3):
                contact.given[i, k] += sign * l[k]
                contact.given[i, 3 + k] += sign * p[k]
