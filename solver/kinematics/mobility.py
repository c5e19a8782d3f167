# SPDX-License-Identifier: GPL-3.0-or-later
"""Mobility of a linkage in its present pose: how many drives it needs, and who moves what.

With J the rows along all coordinates, the freedoms are its null space, whatever Gruebler's count says: rows that follow
from others (parallel hinges have three of them) take none away. Of the drives, only as many count as the null space
can tell apart; what is left of it when they stand is not decided. At a dead centre there is a freedom more, to first
order: ask elsewhere as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..mechanism.messages import Message, Part
from .reach import fill_rows, look_at

if TYPE_CHECKING:
    from .led_linkage import LedLinkage

_RANK = 1e-7  # of the largest singular value
_MOVES = 1e-7  # of the fastest body


class Mobility(NamedTuple):
    """Freedoms of one linkage, and the drives that decide them."""

    bodies: list[str]  # dynamic ones
    freedoms: int  # how many drives it needs
    count: int  # the same by Gruebler's (Kutzbach's) count: coordinates less rows
    drives: list[str]
    moved_by: dict[str, list[str]]  # bodies that move when one drive does and the others stand
    undecided: int  # freedoms that the drives leave
    moving: list[str]  # bodies that these may move
    contradicting: int  # drives too many
    spare: int  # rows that follow from others
    spare_parts: list[Part]  # joints and constraints of the loops where they are

    @property
    def notes(self) -> list[Message]:
        """Faults of it, in words."""
        notes, parts = [], [("body", name) for name in self.bodies]
        if not self.freedoms:
            return [Message.about_many("structure", self.spare_parts or parts, count=1)]
        if self.undecided:
            shown = ", ".join(f"'{name}'" for name in self.moving[:5])
            notes.append(Message.about_many("drives-missing", parts, count=self.undecided, bodies=shown))
        if self.contradicting:
            drives = [("joint", name) for name in self.drives]
            notes.append(Message.about_many("drives-too-many", drives, count=self.contradicting))
        return notes


def mobility_of(linkage: LedLinkage) -> Mobility:
    """Of a linkage that is closed where it stands."""
    model, plan = linkage.model, linkage.plan
    J = np.zeros((model.closing, len(model.armature)))
    fill_rows(model, linkage.state, linkage.scratch, plan, J)
    free = _null_space(J)
    driven = plan.drives
    chosen = np.where(np.abs(free[driven]) > _RANK, free[driven], 0.0)  # of a basis with unit columns
    telling = int(np.linalg.matrix_rank(chosen, _RANK)) if chosen.size else 0
    left = free @ _null_space(chosen) if chosen.size else free
    names = [linkage.mechanism.bodies[i].name for i in linkage.bodies]
    moved_by = {}
    for d, name in enumerate(linkage.drives):
        asked = np.eye(len(driven))[d]
        rates = free @ np.linalg.lstsq(chosen, asked, rcond=_RANK)[0]
        moved_by[name] = _moving(linkage, rates[:, None], names)
    spare = np.diff(plan.block_rows) - linkage.work.rank
    for block in range(len(spare)):
        rows = plan.rows[plan.block_rows[block] : plan.block_rows[block + 1]]
        spare[block] += model.closures.implied[np.unique(model.rows.closure[rows])].sum()
    return Mobility(
        bodies=names,
        freedoms=free.shape[1],
        count=len(model.armature) - model.closing - int(model.closures.implied.sum()),
        drives=list(linkage.drives),
        moved_by=moved_by,
        undecided=left.shape[1],
        moving=_moving(linkage, left, names),
        contradicting=len(driven) - telling,
        spare=int(spare.sum()),
        spare_parts=list(
            dict.fromkeys(part for block in np.flatnonzero(spare) for part in linkage.parts_of_block(int(block)))
        ),
    )


def _null_space(J: np.ndarray) -> np.ndarray:
    if not J.size:
        return np.eye(J.shape[1])
    _, sizes, V = np.linalg.svd(J)
    rank = int(np.sum(sizes > _RANK * max(sizes.max(initial=0.0), 1e-300)))
    return V[rank:].T


def _moving(linkage: LedLinkage, rates: np.ndarray, names: list[str]) -> list[str]:
    """The bodies that any of the rates (A, n) of the coordinates moves."""
    if not rates.shape[1]:
        return []
    model, scratch, state = linkage.model, linkage.scratch, linkage.state
    fastest = np.zeros(len(names))
    held = state.speeds.copy(), scratch.bodies[: model.driven].copy()
    scratch.bodies.angular[: model.driven] = scratch.bodies.linear[: model.driven] = 0.0
    for column in rates.T:
        state.speeds[:] = column * linkage.plan.unit
        look_at(model, state, scratch)
        moving = scratch.bodies[model.driven : model.driven + len(names)]
        speed = np.linalg.norm(moving.angular, axis=1) + np.linalg.norm(moving.linear, axis=1) / model.size
        fastest = np.maximum(fastest, speed)
    state.speeds[:], scratch.bodies[: model.driven] = held
    look_at(model, state, scratch)
    return [name for name, speed in zip(names, fastest, strict=True) if speed > _MOVES * max(fastest.max(), 1e-300)]
