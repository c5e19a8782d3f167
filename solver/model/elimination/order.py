# SPDX-License-Identifier: GPL-3.0-or-later
"""In which order to eliminate the unknowns of a sparse symmetric system, so that little is filled in.

A system is given by its cliques: sets of blocks that are all coupled with each other (here: the ties on one body).
Eliminating a block couples all that it was coupled with, which is one clique more in the place of those that it was
in. Minimum degree takes the block with the least coupling first (Tinney's second scheme, 1967, on quotient graphs:
George, Liu 1989; Amestoy, Davis, Duff 1996, whom Tasora cites). Chains and rows of loops come out without fill.

In nets it loses its way among many blocks of one degree. There nested dissection does with a small part of the work:
the bodies are halved by a plane, what ties the halves together goes last, and so on within each half (George 1973;
coordinate bisection: Heath, Raghavan 1995).
"""

import heapq
from collections.abc import Sequence

import numpy as np

_FILLED = 30  # rows of a panel: with fewer there is little fill, and no other order need be looked for
_BETTER = 0.8  # times the products of minimum degree: what dissection must come below


def elimination_order(
    cliques: Sequence[Sequence[int]], widths: Sequence[int], places: np.ndarray
) -> tuple[list[int], list[set[int]]]:
    """The better of the two orders, with what it couples, as for `minimum_degree`. places (B, 3) m: of the cliques."""
    order, coupled = minimum_degree(cliques, widths)
    heights = _heights(order, coupled, widths)
    if max(heights, default=0) <= _FILLED:
        return order, coupled
    other = nested_dissection(cliques, widths, places)
    joined = couple(cliques, other, len(widths))
    if _products(other, _heights(other, joined, widths), widths) < _BETTER * _products(order, heights, widths):
        return other, joined
    return order, coupled


def _heights(order: list[int], coupled: list[set[int]], widths: Sequence[int]) -> list[int]:
    """Rows of each panel."""
    return [widths[block] + sum(widths[other] for other in reach) for block, reach in zip(order, coupled, strict=True)]


def _products(order: list[int], heights: list[int], widths: Sequence[int]) -> int:
    return sum(widths[block] * height**2 for block, height in zip(order, heights, strict=True))


def nested_dissection(cliques: Sequence[Sequence[int]], widths: Sequence[int], places: np.ndarray) -> list[int]:
    """The order by halves: of the three axes the one across which the fewest rows tie them together."""
    ends: list[list[int]] = [[] for _ in widths]
    for clique, blocks in enumerate(cliques):
        for block in blocks:
            ends[block].append(clique)
    places = np.asarray(places).tolist()

    def cut(bodies: list[int], blocks: list[int], axis: int) -> tuple:
        line = sorted(bodies, key=lambda body: (places[body][axis], body))
        middle = len(line) // 2
        first = set(line[:middle])
        one, other, between = [], [], []
        for block in blocks:
            inside = [body in first for body in ends[block]]
            (one if all(inside) else between if any(inside) else other).append(block)
        return sum(widths[block] for block in between), (line[:middle], one), (line[middle:], other), between

    def halve(bodies: list[int], blocks: list[int]) -> list[int]:
        if len(bodies) < 2 or len(blocks) < 2:
            return blocks
        _, one, other, between = min((cut(bodies, blocks, axis) for axis in range(3)), key=lambda found: found[0])
        return halve(*one) + halve(*other) + between

    return halve([k for k, blocks in enumerate(cliques) if blocks], list(range(len(widths))))


def couple(cliques: Sequence[Sequence[int]], order: list[int], blocks: int) -> list[set[int]]:
    """For each block in an order the later ones that it is coupled with when its turn comes."""
    members = [set(clique) for clique in cliques]
    cliques_of: list[set[int]] = [set() for _ in range(blocks)]
    for number, clique in enumerate(members):
        for block in clique:
            cliques_of[block].add(number)
    coupled = []
    for block in order:
        absorbed = cliques_of[block]
        reach = set().union(*(members[number] for number in absorbed))
        reach.discard(block)
        coupled.append(reach)
        for number in absorbed:
            members[number] = set()
        members.append(reach)
        for other in reach:
            cliques_of[other] -= absorbed
            cliques_of[other].add(len(members) - 1)
    return coupled


def minimum_degree(cliques: Sequence[Sequence[int]], widths: Sequence[int]) -> tuple[list[int], list[set[int]]]:
    """(order of the blocks, for each in that order the later ones that it is coupled with when its turn comes).

    `cliques` list block numbers; `widths`: rows of each block. Equal degrees go by number.
    """
    members = [set(clique) for clique in cliques]
    rows = [sum(widths[block] for block in clique) for clique in members]
    cliques_of: list[set[int]] = [set() for _ in widths]
    for number, clique in enumerate(members):
        for block in clique:
            cliques_of[block].add(number)

    def degree_of(block: int) -> int:
        """Rows that the block is coupled with; those in several of its cliques count once for each."""
        return sum(rows[number] for number in cliques_of[block]) - widths[block] * len(cliques_of[block])

    degree = [degree_of(block) for block in range(len(widths))]
    heap = [(d, block) for block, d in enumerate(degree)]
    heapq.heapify(heap)
    order, coupled, done = [], [], [False] * len(widths)
    while heap:
        d, block = heapq.heappop(heap)
        if done[block] or d != degree[block]:
            continue
        done[block] = True
        absorbed = cliques_of[block]
        reach = set().union(*(members[number] for number in absorbed))
        reach.discard(block)
        order.append(block)
        coupled.append(reach)
        for number in absorbed:
            members[number] = set()
        members.append(reach)
        rows.append(sum(widths[other] for other in reach))
        for other in reach:
            cliques_of[other] -= absorbed
            cliques_of[other].add(len(members) - 1)
            degree[other] = degree_of(other)
            heapq.heappush(heap, (degree[other], other))
    return order, coupled
