# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bodies of a mechanism may touch: those with shapes, unless a joint joins them or they are told to ignore."""

from collections.abc import Iterator

from ..mechanism.description import Mechanism


class Touching:
    """Pairs that may touch; bodies by their numbers in the mechanism's list."""

    def __init__(self, mechanism: Mechanism) -> None:
        contact = mechanism.contact
        is_on = contact is not None and contact.enabled
        self.bodies = [i for i, body in enumerate(mechanism.bodies) if body.shapes] if is_on else []
        self.has_ground = bool(is_on and contact.ground is not None)
        self._is_dynamic = [body.motion == "dynamic" for body in mechanism.bodies]
        number = {body.name: i for i, body in enumerate(mechanism.bodies)}
        pairs = [tuple(pair) for pair in contact.ignore] if is_on else []
        pairs += [(joint.parent, joint.child) for joint in mechanism.joints if joint.enabled]
        self._apart = {frozenset((number[a], number[b])) for a, b in pairs if a is not None and b is not None}

    def may_touch(self, i: int, j: int) -> bool:
        """True if two bodies with shapes may touch: one of them at least is moved by forces."""
        return (self._is_dynamic[i] or self._is_dynamic[j]) and i != j and frozenset((i, j)) not in self._apart

    def moving_pairs(self) -> Iterator[tuple[int, int]]:
        """Pairs of dynamic bodies, enough of them to know which hang together."""
        moving = [i for i in self.bodies if self._is_dynamic[i]]
        for k, i in enumerate(moving):
            for j in moving[k + 1 :]:
                if self.may_touch(i, j):
                    yield i, j
                    if not self._apart:
                        break  # the next one leads on

    def met_by(self, bodies: list[int]) -> list[int]:
        """The fixed and keyed bodies that some of these bodies may touch."""
        mine = [i for i in self.bodies if i in set(bodies)]
        still = [j for j in self.bodies if not self._is_dynamic[j]]
        return [j for j in still if any(self.may_touch(i, j) for i in mine)]

    def meets_anything(self, bodies: list[int]) -> bool:
        """True if some of these dynamic bodies may touch the ground, each other, or anything else."""
        mine = [i for i in self.bodies if i in set(bodies)]
        return bool(mine) and (self.has_ground or any(self.may_touch(i, j) for i in mine for j in self.bodies))
