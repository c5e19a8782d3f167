# SPDX-License-Identifier: GPL-3.0-or-later
"""Which rows are pending at which body while constraints are propagated from the tips to the ground.

A row is open at a body while only one of its two dynamic ends is in the body's subtree. It is resolved at the body
where both ends have come together, or at its only dynamic end; rows between two trees are resolved at the ground. What
cannot be eliminated where it is resolved travels on as a combination of rows, stuck; of these at most six can be
independent, so that each body passes on no more than its open rows and six.

Every body, and every part of the ground where trees hang together, is a node with slots for the rows that meet there:
the open ones in the order of their numbers, then those resolved here, then room for what comes stuck from each outer
body. The first `open` slots and what is stuck go on to the node's target.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

MOST_STUCK = MOST_AXES = 6
NODE = np.dtype(
    [
        ("slots", "i4"),
        ("open", "i4"),
        ("first", "i4"),  # the node's first slot among all
        ("square", "i4"),  # where its slots by slots numbers begin
        ("end_start", "i4"),  # the rows' ends on this body
        ("end_end", "i4"),
        ("resolved", "i4"),  # rows that are resolved here, in the slots after the open ones
        ("target", "i4"),  # node of the inner body or of the ground, -1 if nothing can be left
        ("stuck_slot", "i4"),  # the target's first slot for what is stuck
        ("reduces", "i4"),  # 1 if rows can come together here that depend on each other
        ("reach", "i4"),  # most rows that go on
        ("along", "i4"),  # where the `reach` numbers of each of the body's axes begin
        ("turns", "i4"),  # where its reflections begin
    ],
    align=True,
)
END = np.dtype([("row", "i4"), ("side", "i4"), ("slot", "i4"), ("counts", "i4")], align=True)


SLOT = np.dtype(
    [
        ("K", "f8", 6),  # acceleration of the row for one of the body; minus K^T lambda is a force
        ("own", "f8"),  # scale of the row's response
        ("passes_to", "i4"),  # the target's slot of an open row
        ("row", "i4"),  # row that is resolved in the slot, else -1
        ("name", "i4"),  # a row that a resolved slot stands for
        ("waiting", "i4"),  # the node's resolved slots that are not eliminated yet, then what goes on stuck
        ("order", "i4"),  # the node's eliminated slots in their order
        ("mirrored", "i4"),  # the node's slots that took part in reflections
    ],
    align=True,
)
COUNT = np.dtype(
    [
        ("stuck", "i4"),  # slots that wait, in the end those that go on besides the open ones
        ("before", "i4"),  # slots that were eliminated before the reflections
        ("eliminated", "i4"),  # and all in all
        ("mirrored", "i4"),  # slots that took part in reflections
        ("turns", "i4"),  # and number of reflections
    ],
    align=True,
)


class PropagationPlan(NamedTuple):
    """The constant structure; N nodes: the bodies, then parts of the ground."""

    nodes: np.recarray  # (N,) NODE
    ends: np.recarray  # (E,) END: a row's end on a dynamic body; one of a row's ends counts its target
    passes_to: np.ndarray  # (S,) the target's slot of each open one
    row: np.ndarray  # (S,) the row that is resolved in each slot, else -1
    unit: np.ndarray  # (R,) turns a row to radians


class PropagationWork(NamedTuple):
    """Factors, right-hand sides and multipliers in the S slots of N nodes; see `dynamics.loops.propagation`."""

    slots: np.recarray  # (S,) SLOT
    counts: np.recarray  # (N,) COUNT
    L: np.ndarray  # (.,) compliance: acceleration of the row for a unit multiplier; per node slots by slots
    k: np.ndarray  # (S,) what K a + L lambda shall be
    multiplier: np.ndarray  # (S,) lambda
    along: np.ndarray  # (.,) y = K s of each axis and row that crosses it
    turns: np.ndarray  # (.,) reflections of stuck rows: a node's unit vectors, one after the other
    panel: np.ndarray  # (S', 6) room for them
    smallest: np.ndarray  # (1,): pivot of a row so far, as a part of the row's own response


def propagation_plan(inner: np.ndarray, driven: int, closures: np.recarray, unit: np.ndarray) -> PropagationPlan:
    """inner (B,): each body's inner body; the first `driven` ones do not move freely.

    closures: records; unit (R,): what turns each of their rows to radians.
    """
    paths = _Paths(inner, driven)
    open_at, resolved_at, ends_at = defaultdict(list), defaultdict(list), defaultdict(list)
    for closure in closures:
        ends = [(int(body), side) for side, body in enumerate(closure.body[: closure.ends]) if body >= driven]
        arms, meeting = paths.arms([body for body, _ in ends])
        for row in range(closure.row_start, closure.row_end):
            for body in arms:
                open_at[body].append(row)
            resolved_at[meeting].append(row)
            for number, (body, side) in enumerate(ends):
                ends_at[body].append((row, side, number == 0))
    return _Layout(inner, driven, paths, closures, open_at, resolved_at, ends_at).plan(unit)


class _Paths:
    """Ways to the ground; trees that rows tie together share a part of it, numbered behind the bodies."""

    def __init__(self, inner: np.ndarray, driven: int) -> None:
        self.inner, self.driven = inner, driven
        self.depth, self.root = np.zeros(len(inner), int), np.arange(len(inner))
        for i in range(driven, len(inner)):
            if inner[i] >= driven:
                self.depth[i], self.root[i] = self.depth[inner[i]] + 1, self.root[inner[i]]
        self._leader = np.arange(len(inner))

    def ground(self, root: int) -> int:
        """The tree that stands for all that are tied to this one."""
        while self._leader[root] != root:
            root = self._leader[root]
        return int(root)

    def arms(self, bodies: list[int]) -> tuple[list[int], int]:
        """The bodies at which a row between these is open, and where it is resolved; -1 - tree for the ground."""
        front = set(bodies)
        if len({self.root[body] for body in front}) > 1:
            leader, *others = (self.ground(root) for root in {self.root[body] for body in front})
            for other in others:
                self._leader[other] = leader
            return list(dict.fromkeys(step for body in bodies for step in self._way(body))), -1 - leader
        arms = []
        while len(front) > 1:
            deepest = max(front, key=lambda body: self.depth[body])
            arms.append(deepest)
            front.remove(deepest)
            front.add(int(self.inner[deepest]))
        return arms, front.pop()

    def _way(self, body: int) -> list[int]:
        way = []
        while body >= self.driven:
            way.append(body)
            body = int(self.inner[body])
        return way


class _Layout:
    """Counts slots from the tips inwards and gives every number its place."""

    def __init__(self, inner, driven, paths, closures, open_at, resolved_at, ends_at) -> None:
        self.inner, self.driven, self.paths = inner, driven, paths
        self.closures, self.open_at, self.resolved_at, self.ends_at = closures, open_at, resolved_at, ends_at
        self.closure_of = {row: n for n, c in enumerate(closures) for row in range(c.row_start, c.row_end)}

    def plan(self, unit: np.ndarray) -> PropagationPlan:
        """The finished plan; `unit` (M,) scales the rows, 1 for turns and 1 / size for lengths."""
        count = len(self.inner)
        leaders = sorted({self.paths.ground(self.paths.root[i]) for i in range(self.driven, count)})
        ground = {leader: count + n for n, leader in enumerate(leaders)}
        nodes = np.zeros(count + len(ground), NODE).view(np.recarray)
        open_at = [sorted(self.open_at[i]) for i in range(len(nodes))]
        resolved_at: list[list[int]] = [self.resolved_at[i] for i in range(count)] + [[] for _ in leaders]
        for place, rows in self.resolved_at.items():
            if place < 0:
                resolved_at[ground[self.paths.ground(-1 - place)]] += rows
        stuck_from: list[list[tuple[int, int]]] = [[] for _ in nodes]
        order = [*range(count - 1, self.driven - 1, -1), *range(count, len(nodes))]
        slots = along = turns = square = 0
        for i in order:
            node, stuck = nodes[i], sum(most for _, most in stuck_from[i])
            most = min(MOST_STUCK, len(resolved_at[i]) + stuck)
            node.open, node.resolved = len(open_at[i]), len(resolved_at[i])
            node.slots = node.open + node.resolved + stuck
            node.first, node.square, node.along, node.turns = slots, square, along, turns
            node.reduces = self._reduces(i, resolved_at[i], len(stuck_from[i]))
            slots, square = slots + node.slots, square + node.slots**2
            node.target = -1
            if i < count:
                node.reach = node.open + most
                along += MOST_AXES * node.reach
                inner = int(self.inner[i])
                target = inner if inner >= self.driven else ground[self.paths.ground(self.paths.root[i])]
                if node.reach > 0:
                    node.target = target
                if most > 0:
                    stuck_from[target].append((i, most))
            if node.reduces:
                turns += MOST_STUCK * (node.resolved + stuck)
        return self._fill(nodes, open_at, resolved_at, stuck_from, slots)._replace(unit=unit)

    def _reduces(self, i: int, resolved: list[int], sources: int) -> int:
        """Rows of one closure with one dynamic end do not depend on each other; nor do those that just pass."""
        if i >= len(self.inner):
            return 1
        fresh = {self.closure_of[row] for row in resolved}
        if len(fresh) == 1 and sources == 0 and self._dynamic_ends(self.closures[fresh.pop()]) == 1:
            return 0
        return int(len(resolved) > 0 or sources > 1)

    def _dynamic_ends(self, closure) -> int:
        return len({int(body) for body in closure.body[: closure.ends] if body >= self.driven})

    def _fill(self, nodes, open_at, resolved_at, stuck_from, slots: int) -> PropagationPlan:
        ends, passes_to, row = [], np.full(slots, -1, np.int64), np.full(slots, -1, np.int64)
        slot_of = [{r: n for n, r in enumerate(open_at[i] + resolved_at[i])} for i in range(len(nodes))]
        for i, node in enumerate(nodes):
            node.end_start = len(ends)
            ends += [(r, side, slot_of[i][r], counts) for r, side, counts in self.ends_at.get(i, ())]
            node.end_end = len(ends)
            own = node.first + node.open
            row[own : own + node.resolved] = resolved_at[i]
            if node.target >= 0:
                passes_to[node.first : node.first + node.open] = [slot_of[node.target][r] for r in open_at[i]]
            slot = node.open + node.resolved
            for source, most in stuck_from[i]:
                nodes[source].stuck_slot = slot
                slot += most
        return PropagationPlan(nodes, np.array(ends, END).view(np.recarray), passes_to, row, np.zeros(0))


def new_propagation_work(plan: PropagationPlan) -> PropagationWork:
    """Zeroed work space for a plan."""
    nodes = plan.nodes
    resolved = (nodes.slots - nodes.open).astype(int)
    slots = np.zeros(len(plan.row), SLOT).view(np.recarray)
    slots.passes_to, slots.row = plan.passes_to, plan.row
    return PropagationWork(
        slots=slots,
        counts=np.zeros(len(nodes), COUNT).view(np.recarray),
        L=np.zeros(int((nodes.slots.astype(int) ** 2).sum())),
        k=np.zeros(len(slots)),
        multiplier=np.zeros(len(slots)),
        along=np.zeros(int(MOST_AXES * nodes.reach.sum())),
        turns=np.zeros(int(MOST_STUCK * resolved[nodes.reduces > 0].sum())),
        panel=np.zeros((int(resolved.max(initial=0)), 6)),
        smallest=np.ones(1),
    )
