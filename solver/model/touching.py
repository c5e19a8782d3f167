# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bodies of a mechanism may touch: those with shapes, unless a joint joins them or they are told to ignore."""

from collections import defaultdict
from collections.abc import Collection, Iterator

from ..mechanism.description import Mechanism


class Touching:
    """Pairs that may touch; bodies by their numbers in the mechanism's list.

    All pairs may, but those of a list, so that sets are counted and no pairs are gone through.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        contact = mechanism.contact
        is_on = contact is not None and contact.enabled
        self.bodies = [i for i, body in enumerate(mechanism.bodies) if body.touching_shapes] if is_on else []
        self.has_ground = bool(is_on and contact.ground is not None)
        self._shaped = set(self.bodies)
        self._is_dynamic = [body.motion == "dynamic" for body in mechanism.bodies]
        self._still = [j for j in self.bodies if not self._is_dynamic[j]]
        number = {body.name: i for i, body in enumerate(mechanism.bodies)}
        pairs = [tuple(pair) for pair in contact.ignore] if is_on else []
        pairs += [(joint.parent, joint.child) for joint in mechanism.joints if joint.enabled]
        self._apart: dict[int, set[int]] = defaultdict(set)
        for a, b in pairs:
            if a is not None and b is not None and a != b:
                self._apart[number[a]].add(number[b])
                self._apart[number[b]].add(number[a])

    def may_touch(self, i: int, j: int) -> bool:
        """True if two bodies with shapes may touch: one of them at least is moved by forces."""
        return (self._is_dynamic[i] or self._is_dynamic[j]) and i != j and j not in self._kept_from(i)

    def _kept_from(self, i: int) -> Collection[int]:
        return self._apart.get(i, ())

    def moving_pairs(self) -> Iterator[tuple[int, int]]:
        """Pairs of dynamic bodies, enough of them to know which hang together: each leads to one not reached before."""
        left = {i for i in self.bodies if self._is_dynamic[i]}
        while left:
            reached = [left.pop()]
            while reached:
                i = reached.pop()
                kept = left.intersection(self._kept_from(i))
                for j in left - kept if kept else left:
                    yield i, j
                    reached.append(j)
                left = kept

    def apart_among(self, bodies: Collection[int]) -> Iterator[tuple[int, int]]:
        """Pairs of these bodies that are kept apart, the smaller number first; not all of two that stand still."""
        among = set(bodies)
        for i in bodies:
            for j in among.intersection(self._kept_from(i)):
                if i < j:
                    yield i, j

    def any_among(self, bodies: Collection[int]) -> bool:
        """True if any two of these bodies with shapes may touch."""
        among = set(bodies)
        return any(self._is_dynamic[i] and self._may_touch_one_of(i, among) for i in bodies)

    def met_by(self, bodies: list[int]) -> list[int]:
        """The fixed and keyed bodies that some of these bodies may touch."""
        mine = self._shaped.intersection(bodies)
        moving = {i for i in mine if self._is_dynamic[i]}
        return [j for j in self._still if self._may_touch_one_of(j, moving)]

    def meets_anything(self, bodies: list[int]) -> bool:
        """True if some of these dynamic bodies may touch the ground, each other, or anything else."""
        mine = self._shaped.intersection(bodies)
        return bool(mine) and (self.has_ground or any(self._may_touch_one_of(i, self._shaped) for i in mine))

    def _may_touch_one_of(self, i: int, others: set[int]) -> bool:
        """True if there are more of the others than a body is kept from, itself among them."""
        return len(others) > len(others.intersection(self._kept_from(i))) + (i in others)
