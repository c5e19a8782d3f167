# SPDX-License-Identifier: GPL-3.0-or-later
"""Elimination of the rows of a linkage: everything about the sparse factorisation that never changes.

A supernode is one closure, those of the trees' own joints included, with its rows and, for a joint with armature, one
soft row for each such axis. Supernodes on one body are coupled. `dynamics.loops.lagrange` says what is factored; here
are the order (`order`), the places of all numbers in one flat array, and the list of what adds to what.

Each supernode is a block of columns, a panel: its own rows, then those below it, column by column. Symbols:
T supernodes, R rows of all of them in their order of elimination, A axes, B bodies.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .order import elimination_order

MOST_ENDS = 4  # of a closure
BLOCK = np.dtype(
    [
        ("body", "i8", 4),  # the bodies of the closure, each once; 0 for any driven body, and where there are fewer
        ("ends", "i8"),  # of the closure: 2, or 4 of a coupling or a rope
        ("place", "i8", 4),  # of each end: which of these bodies it is on
        ("first", "i8"),  # its first row in the order of elimination
        ("row_start", "i8"),  # its rows among the model's
        ("row_end", "i8"),
        ("axis_start", "i8"),  # its soft rows' axes in `soft`
        ("axis_end", "i8"),
        ("outer", "i8"),  # which end of a tree's joint is the outer body
        ("start", "i8"),  # its panel in the flat array
        ("width", "i8"),
        ("height", "i8"),
        ("below", "i8"),  # in `index`: the rows below its own
        ("edge_start", "i8"),
        ("edge_end", "i8"),
    ],
    align=True,
)
EDGE = np.dtype(  # a panel's effect on one of the later ones
    [
        ("row", "i8"),  # where the later supernode's rows begin in this panel
        ("width", "i8"),  # of the later panel
        ("height", "i8"),
        ("run_start", "i8"),
        ("run_end", "i8"),
    ],
    align=True,
)
RUN = np.dtype([("row", "i8"), ("target", "i8"), ("length", "i8")], align=True)  # rows that stand together in both
PAIR = np.dtype(  # two supernodes on one body, or one with itself
    [
        ("row", "i8"),  # first rows of the later and of the earlier node
        ("column", "i8"),
        ("rows", "i8"),
        ("columns", "i8"),
        ("row_end", "i8"),  # which of each node's ends the body is
        ("column_end", "i8"),
        ("target", "i8"),
        ("height", "i8"),
        ("is_own", "i8"),
    ],
    align=True,
)


class Elimination(NamedTuple):
    """The constant part of the sparse factorisation; empty for methods that do without."""

    blocks: np.recarray  # (T,) BLOCK in the order of elimination
    edges: np.recarray  # (.,) EDGE
    runs: np.recarray  # (.,) RUN
    pairs: np.recarray  # (.,) PAIR
    index: np.ndarray  # (.,) int64: rows below each panel's own
    soft: np.ndarray  # (.,) int64: axes with armature, node by node
    row: np.ndarray  # (R,) int64: the model's row, -1 for a soft one
    scale: np.ndarray  # (R,) rows to radians: 1 for turns, 1 / size for lengths
    freedom: np.ndarray  # (R,) how far rows give way to contradictions: 1 / scale**2, 0 for rows of the trees
    norm: np.ndarray  # (R,) 1/N**2: what multipliers count in the least norm; moments by the linkage's size
    inverse_inertia: np.ndarray  # (B, 6) 1/(kg m2), own axes
    inverse_mass: np.ndarray  # (B,) 1/kg, 0 for driven bodies
    axis_body: np.ndarray  # (A,) int64
    size: int  # numbers in all panels
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
    search: np.ndarray  # (4, R) for conjugate gradients


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
        wrench=np.zeros((rows, 6 * elimination.ends)),
        response=np.zeros((rows, 6 * elimination.ends)),
        motion=np.zeros((bodies, 6)),
        inverse_inertia=np.zeros((bodies, 6)),
        dual=np.zeros((axes, 6)),
        search=np.zeros((4, rows)),
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
    edges, runs = panels.edges()
    pairs = panels.pairs(on_body)
    return Elimination(
        blocks=panels.blocks,
        edges=_records(edges, EDGE),
        runs=_records(runs, RUN),
        pairs=_records(pairs, PAIR),
        index=np.array(panels.index, np.int64),
        soft=np.array([axis for node in nodes for axis in node.soft], np.int64),
        row=np.array([row for node in nodes for row in (*range(*node.rows), *[-1] * len(node.soft))], np.int64),
        **{name: np.array([x for node in nodes for x in getattr(node, name)]) for name in ("scale", "freedom", "norm")},
        inverse_inertia=inverse_inertia,
        inverse_mass=inverse_mass,
        axis_body=axis_body.astype(np.int64),
        size=panels.size,
        ends=max((len(node.ends) for node in nodes), default=2),
    )


def _records(rows: list[tuple], dtype: np.dtype) -> np.recarray:
    return np.array(rows, dtype).view(np.recarray)


class _Panels:
    """Places in the flat array of panels."""

    def __init__(self, nodes: list[Supernode], below: list[list[int]]) -> None:
        self.nodes, self.below = nodes, below
        widths = [node.width for node in nodes]
        first = np.cumsum([0, *widths]).tolist()
        self.index: list[int] = []
        self.offset: list[dict[int, int]] = []  # in each panel, where the rows of later nodes begin
        self.blocks = np.zeros(len(nodes), BLOCK).view(np.recarray)
        self.size = axis = 0
        rows = []
        for k, node in enumerate(nodes):
            height, offset, start = node.width, {k: 0}, len(self.index)
            for later in below[k]:
                offset[later] = height
                height += widths[later]
                self.index += range(first[later], first[later] + widths[later])
            self.offset.append(offset)
            rows.append(
                (
                    node.bodies,
                    len(node.ends),
                    node.places,
                    first[k],
                    *node.rows,
                    axis,
                    axis + len(node.soft),
                    node.outer,
                    self.size,
                    node.width,
                    height,
                )
                + (start, 0, 0)
            )
            axis += len(node.soft)
            self.size += node.width * height
        if rows:
            self.blocks = _records(rows, BLOCK)

    def edges(self) -> tuple[list[tuple], list[tuple]]:
        """EDGE and RUN records; fills in where those of each block are."""
        edges, runs, starts = [], [], [0]
        for k, later in enumerate(self.below):
            offset = self.offset[k]
            for n, target in enumerate(later):
                begin, into = len(runs), self.offset[target]
                row = length = place = 0
                for node in later[n:]:
                    if length and into[node] == place + length:  # always together here, so they may be there
                        length += self.nodes[node].width
                        continue
                    if length:
                        runs.append((row, self.blocks.start[target] + place, length))
                    row, place, length = offset[node], into[node], self.nodes[node].width
                runs.append((row, self.blocks.start[target] + place, length))
                height = self.blocks.height[target]
                edges.append((offset[target], self.nodes[target].width, height, begin, len(runs)))
            starts.append(len(edges))
        self.blocks.edge_start, self.blocks.edge_end = starts[:-1], starts[1:]
        return edges, runs

    def pairs(self, on_body: list[list[int]]) -> list[tuple]:
        """PAIR records."""
        pairs, first, start, height = [], self.blocks.first, self.blocks.start, self.blocks.height
        for body, here in enumerate(on_body):
            for n, column in enumerate(here):
                end = self.nodes[column].bodies.index(body)
                for row in here[n:]:
                    target = start[column] + self.offset[column][row]
                    widths = self.nodes[row].width, self.nodes[column].width
                    ends = self.nodes[row].bodies.index(body), end
                    pairs.append((first[row], first[column], *widths, *ends, target, height[column], row == column))
        return pairs
