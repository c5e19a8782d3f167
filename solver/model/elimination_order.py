# SPDX-License-Identifier: GPL-3.0-or-later
"""In which order to eliminate the unknowns of a sparse symmetric system, so that little is filled in.

A system is given by its cliques: sets of blocks that are all coupled with each other (here: the ties on one body).
Eliminating a block couples all that it was coupled with, which is one clique more in the place of those that it was
in. Minimum degree takes the block with the least coupling first (Tinney's second scheme, 1967, on quotient graphs:
George, Liu 1989; Amestoy, Davis, Duff 1996, whom Tasora cites). Chains and rows of loops come out without fill.
"""

import heapq
from collections.abc import Sequence


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
