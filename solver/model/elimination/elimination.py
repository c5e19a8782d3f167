# SPDX-License-Identifier: GPL-3.0-or-later
"""Elimination of the rows of a linkage: everything about the sparse factorisation that never changes.

A supernode is one closure, those of the trees' own joints included, with its rows and, for a joint with armature, one
soft row for each such axis. Supernodes on one body are coupled. `dynamics.loops.lagrange` says what is factored; here
are the order (`order`), the places of all numbers in one flat array, and the list of what adds to what.

Each supernode is a block of columns: its own rows, then those below it. Blocks that follow each other with the same
rows below, as those that halve a net do, make one dense panel (a fundamental supernode: Liu, Ng, Peyton 1993), stored
column by column. Symbols: T blocks, R rows of all of them in their order of elimination, A axes, B bodies.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .order import elimination_order

MOST_ENDS = 12  # of a closure
MOST_IDLE = 256  # redundant rows whose system is factored
BLOCK = np.dtype(
    [
        ("ends", "i8"),  # of the closure: 2, 4 of a coupling, more of a rope
        ("first", "i8"),  # its first row in the order of elimination
        ("row_start", "i8"),  # its rows among the model's
        ("row_end", "i8"),
        ("axis_start", "i8"),  # its soft rows' axes in `soft`
        ("axis_end", "i8"),
        ("outer", "i8"),  # which end of a tree's joint is the outer body
        ("start", "i8"),  # its first column in the flat array, from its own rows on
        ("width", "i8"),
        ("height", "i8"),  # of its columns, from its own rows on
        ("stride", "i8"),  # from one column to the next
        ("below", "i8"),  # in `index`: the rows below its own
        ("body", "i8", MOST_ENDS),  # each of the closure once; 0 for any driven body, and where there are fewer
        ("place", "i8", MOST_ENDS),  # of each end: which of these bodies it is on
    ],
    align=True,
)
PANEL = np.dtype(
    [
        ("block_start", "i8"),
        ("block_end", "i8"),
        ("first", "i8"),  # its first row in the order of elimination
        ("start", "i8"),  # in the flat array
        ("width", "i8"),
        ("height", "i8"),
        ("edge_start", "i8"),
        ("edge_end", "i8"),
    ],
    align=True,
)
EDGE = np.dtype(  # a panel's effect on one of the later ones
    [
        ("row", "i8"),  # the first of its rows that is one of the later panel's own
        ("width", "i8"),  # how many are
        ("places", "i8"),  # in `places`: where its rows from there on are in the later panel
        ("start", "i8"),  # of the later panel
        ("height", "i8"),
    ],
    align=True,
)
PAIR = np.dtype(  # two supernodes on one body, or one with itself
    [
        ("row", "i8"),  # first rows of the later and of the earlier node
        ("column", "i8"),
        ("rows", "i8"),
        ("columns", "i8"),
        ("row_end", "i8"),  # which of each node's ends the body is
        ("column_end", "i8"),
        ("target", "i8"),
        ("stride", "i8"),
        ("is_own", "i8"),
    ],
    align=True,
)


class Elimination(NamedTuple):
    """The constant part of the sparse factorisation; empty for methods that do without."""

    blocks: np.recarray  # (T,) BLOCK in the order of elimination
    panels: np.recarray  # (.,) PANEL in the order of elimination
    edges: np.recarray  # (.,) EDGE
    places: np.ndarray  # (.,) int64: rows of panels, first those of a panel in itself: 0, 1, ... to the highest
    pairs: np.recarray  # (.,) PAIR
    index: np.ndarray  # (.,) int64: rows of each panel
    soft: np.ndarray  # (.,) int64: axes with armature, node by node
    row: np.ndarray  # (R,) int64: the model's row, -1 for a soft one
    scale: np.ndarray  # (R,) rows to radians: 1 for turns, 1 / size for lengths
    freedom: np.ndarray  # (R,) how far rows give way to contradictions: 1 / scale**2, 0 for rows of the trees
    norm: np.ndarray  # (R,) 1/N**2: what multipliers count in the least norm; moments by the linkage's size
    inverse_inertia: np.ndarray  # (B, 6) 1/(kg m2), own axes
    inverse_mass: np.ndarray  # (B,) 1/kg, 0 for driven bodies
    axis_body: np.ndarray  # (A,) int64
    size: int  # numbers in all panels
    widest: int  # columns of a panel
    ends: int  # the most that a closure has


class Maximal(NamedTuple):
    """Room for the sparse factorisation; rows in the order of elimination."""

    panels: np.ndarray  # (size,) the response of rows, then its factors
    own: np.ndarray  # (R,) each row's own response
    compliance: np.ndarray  # (R,) 1 / armature of soft rows, and that of rows that give way
    pivot: np.ndarray  # (R,) 0 for redundant rows
    inverse: np.ndarray  # (R,) 1 / pivot, 0 for redundant rows
    redundant: np.ndarray  # (R,) int64: the redundant rows
    count: np.ndarray  # (1,) int64: how many they are
    wrench: np.ndarray  # (R, 6 E) of a unit multiplier on the bodies of its closure; E the most ends that one has
    response: np.ndarray  # (R, 6 E) the accelerations that these give the bodies
    asked: np.ndarray  # (R,) what bodies' accelerations shall make of each row
    rest: np.ndarray  # (R,) what is still asked
    multiplier: np.ndarray  # (R,)
    motion: np.ndarray  # (B, 6) accelerations of the bodies
    inverse_inertia: np.ndarray  # (B, 6) along world axes
    dual: np.ndarray  # (A, 6) the wrench on the outer body that is the unit effort along an axis
    search: np.ndarray  # (4, R) for systems among redundant rows
    among_idle: np.ndarray  # (I, I) factor of such a system, where there are at most I
    weights: np.ndarray  # (1,) int64: which of the two systems that is; 0 if it is out of date
    scaled: np.ndarray  # (3 C,) for three rows of a panel, times pivots; C the most columns that one has


@dataclass
class Supernode:
    """One block before it has a place."""

    ends: tuple[int, ...]  # bodies; 0 for driven ones
    rows: tuple[int, int]
    soft: list[int]
    outer: int
    scale: list[float]
    freedom: list[float]
    norm: list[float]

    @property
    def bodies(self) -> tuple[int, ...]:
        """Each body once; filled up with 0."""
        once = tuple(dict.fromkeys(self.ends))
        return once + (0,) * (MOST_ENDS - len(once))

    @property
    def places(self) -> tuple[int, ...]:
        """Which of `bodies` each end is on."""
        places = tuple(self.bodies.index(end) for end in self.ends)
        return places + (0,) * (MOST_ENDS - len(places))

    @property
    def width(self) -> int:
        """The number of rows."""
        return len(self.scale)


def new_maximal(elimination: Elimination) -> Maximal:
    """Zeroed working space."""
    rows, bodies, axes = len(elimination.row), len(elimination.inverse_inertia), len(elimination.axis_body)
    vector = {name: np.zeros(rows) for name in ("own", "compliance", "pivot", "inverse", "asked", "rest")}
    vector["multiplier"] = np.zeros(rows)
    return Maximal(
        panels=np.zeros(elimination.size),
        redundant=np.zeros(rows, np.int64),
        count=np.zeros(1, np.int64),
        weights=np.zeros(1, np.int64),
        wrench=np.zeros((rows, 6 * elimination.ends)),
        response=np.zeros((rows, 6 * elimination.ends)),
        motion=np.zeros((bodies, 6)),
        inverse_inertia=np.zeros((bodies, 6)),
        dual=np.zeros((axes, 6)),
        search=np.zeros((4, rows)),
        among_idle=np.zeros((min(rows, MOST_IDLE),) * 2),
        scaled=np.zeros(3 * elimination.widest),
        **vector,
    )


def no_elimination() -> Elimination:
    """For methods that do without."""
    return _placed([], np.zeros((0, 3)), np.zeros((0, 6)), np.zeros(0), np.zeros(0, np.int64))


def eliminate(nodes: list[Supernode], bodies: np.recarray, driven: int, centers: np.ndarray) -> Elimination:
    """The order and all places for nodes on `bodies` (B,) of which the first `driven` ones are driven.

    centers (B, 3) m: where the bodies are at the start, by which nets are cut.
    """
    inverse = np.zeros((len(bodies), 6))
    full = np.zeros((len(bodies) - driven, 3, 3))
    rows, columns = np.triu_indices(3)
    full[:, rows, columns] = full[:, columns, rows] = bodies.inertia[driven:]
    inverse[driven:] = np.linalg.inv(full)[:, rows, columns]
    inverse_mass = np.zeros(len(bodies))
    inverse_mass[driven:] = 1.0 / bodies.mass[driven:]
    counts = bodies.axis_end - bodies.axis_start
    return _placed(nodes, centers, inverse, inverse_mass, np.repeat(np.arange(len(bodies)), counts))


def _placed(
    nodes: list[Supernode],
    centers: np.ndarray,
    inverse_inertia: np.ndarray,
    inverse_mass: np.ndarray,
    axis_body: np.ndarray,
) -> Elimination:
    on_body: list[list[int]] = [[] for _ in centers]
    for number, node in enumerate(nodes):
        for body in {*node.bodies} - {0}:
            on_body[body].append(number)
    order, coupled = elimination_order(on_body, [node.width for node in nodes], centers)
    place = {number: k for k, number in enumerate(order)}
    nodes = [nodes[number] for number in order]
    below = [sorted(place[number] for number in reach) for reach in coupled]
    on_body = [sorted(place[number] for number in numbers) for numbers in on_body]
    panels = _Panels(nodes, below)
    edges, places = panels.edges()
    pairs = panels.pairs(on_body)
    return Elimination(
        blocks=panels.blocks,
        panels=panels.panels,
        edges=_records(edges, EDGE),
        places=np.array(places, np.int64),
        pairs=_records(pairs, PAIR),
        index=np.array(panels.index, np.int64),
        soft=np.array([axis for node in nodes for axis in node.soft], np.int64),
        row=np.array([row for node in nodes for row in (*range(*node.rows), *[-1] * len(node.soft))], np.int64),
        **{name: np.array([x for node in nodes for x in getattr(node, name)]) for name in ("scale", "freedom", "norm")},
        inverse_inertia=inverse_inertia,
        inverse_mass=inverse_mass,
        axis_body=axis_body.astype(np.int64),
        size=panels.size,
        widest=panels.panels.width.max(initial=0),
        ends=max((len(node.ends) for node in nodes), default=2),
    )


def _records(rows: list[tuple], dtype: np.dtype) -> np.recarray:
    return np.array(rows, dtype).view(np.recarray)


class _Panels:
    """Places in the flat array of panels."""

    def __init__(self, nodes: list[Supernode], below: list[list[int]]) -> None:
        self.nodes, self.below = nodes, below
        widths = [node.width for node in nodes]
        self.first = np.cumsum([0, *widths]).tolist()
        self.index: list[int] = []
        self.offset: list[dict[int, int]] = []  # in each node's panel, where the rows of nodes begin
        self.of_node: list[int] = []
        self.size = axis = 0
        blocks, panels = [], []
        for begin, end in self._joined():
            members, offset, start = [*range(begin, end), *below[end - 1]], {}, len(self.index)
            height = 0
            for node in members:
                offset[node] = height
                height += widths[node]
                self.index += range(self.first[node], self.first[node] + widths[node])
            for k in range(begin, end):
                node, inside = nodes[k], offset[k]
                soft = axis, axis + len(node.soft)
                place = self.size + inside * height + inside
                sizes = node.width, height - inside, height, start + inside + node.width
                own = len(node.ends), self.first[k], *node.rows, *soft, node.outer, place
                blocks.append((*own, *sizes, node.bodies, node.places))
                axis = soft[1]
                self.offset.append(offset)
                self.of_node.append(len(panels))
            width = sum(widths[begin:end])
            panels.append((begin, end, self.first[begin], self.size, width, height, 0, 0))
            self.size += width * height
        self.blocks, self.panels = _records(blocks, BLOCK), _records(panels, PANEL)

    def _joined(self) -> list[tuple[int, int]]:
        """Nodes, from one to behind another, that make one panel.

        What is left behind by a part of three columns is no whole number of threes, in which columns go; it is joined
        to nothing, so that its sums stay the same in any panel.
        """
        starts = []
        for k in range(len(self.nodes)):
            is_same = k > 0 and self.below[k - 1] == [k, *self.below[k]]
            if not is_same or self.nodes[k - 1].width % 3:
                starts.append(k)
        return list(zip(starts, [*starts, len(self.nodes)][1:], strict=True))

    def edges(self) -> tuple[list[tuple], list[int]]:
        """EDGE records, and the places of rows; fills in which edges are those of each panel."""
        edges, places, starts = [], list(range(self.panels.height.max(initial=0))), [0]
        sizes = list(zip(self.panels.start.tolist(), self.panels.height.tolist(), strict=True))
        for begin, end in zip(self.panels.block_start.tolist(), self.panels.block_end.tolist(), strict=True):
            rows, offset = self.below[end - 1], self.offset[begin]
            n = 0
            while n < len(rows):
                later = self.of_node[rows[n]]
                into, m = self.offset[rows[n]], n
                while m < len(rows) and self.of_node[rows[m]] == later:
                    m += 1
                width = sum(self.nodes[node].width for node in rows[n:m])
                edges.append((offset[rows[n]], width, len(places), *sizes[later]))
                for node in rows[n:]:
                    places += range(into[node], into[node] + self.nodes[node].width)
                n = m
            starts.append(len(edges))
        self.panels.edge_start, self.panels.edge_end = starts[:-1], starts[1:]
        return edges, places

    def pairs(self, on_body: list[list[int]]) -> list[tuple]:
        """PAIR records."""
        blocks, pairs = self.blocks, []
        first, start, stride = blocks.first.tolist(), blocks.start.tolist(), blocks.stride.tolist()
        for body, here in enumerate(on_body):
            for n, column in enumerate(here):
                end = self.nodes[column].bodies.index(body)
                for row in here[n:]:
                    offset = self.offset[column]
                    target = start[column] + offset[row] - offset[column]
                    widths = self.nodes[row].width, self.nodes[column].width
                    ends = self.nodes[row].bodies.index(body), end
                    pairs.append((first[row], first[column], *widths, *ends, target, stride[column], row == column))
        return pairs
