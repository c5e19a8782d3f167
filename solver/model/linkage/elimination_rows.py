# SPDX-License-Identifier: GPL-3.0-or-later
"""From a linkage's closures, joints of the trees included, to the supernodes of the sparse factorisation."""

import numpy as np

from ..arrays import SPARSE, Kind, Model, RowKind
from ..closures import Source
from ..elimination.elimination import Elimination, Supernode, eliminate


def elimination_of(model: Model, sources: list[Source], centers: np.ndarray) -> Elimination:
    """The elimination of a model's rows; `sources` say what its closures stand for; centers (B, 3) m, at the start."""
    in_trees = [source.kind == "tree" for source in sources]
    carried = iter(np.flatnonzero(model.bodies.kind[model.driven :] != Kind.FREE) + model.driven)
    bodies = np.where(model.closures.body < model.driven, 0, model.closures.body).tolist()
    # axes that modes may hold; in steps with impulses also those whose springs may be stiff
    may_hold = {*model.switched.axis.tolist(), *(model.sprung.tolist() if model.method == SPARSE else ())}
    nodes = []
    for number, source in enumerate(sources):
        closure = model.closures[number]
        rows = model.rows[closure.row_start : closure.row_end]
        scale = [1.0 / model.size if row.is_length else 1.0 for row in rows]
        if in_trees[number]:
            freedom = [0.0] * len(rows)
        else:
            freedom = [1.0 / s**2 for s in scale]
        # what holds a cut body together is no joint
        norm = [0.0 if source.kind == "cut" else _norm(model, closure, row) for row in rows]
        ends = tuple(bodies[number][: closure.ends])
        node = Supernode(ends, (closure.row_start, closure.row_end), [], 0, scale, freedom, norm)
        if in_trees[number]:
            _add_armature(model, node, int(next(carried)), may_hold)
        nodes.append(node)
    return eliminate(nodes, model.bodies, model.driven, centers)


def _norm(model: Model, closure, row) -> float:
    if not row.is_length:
        return 1.0 / model.size**2
    return 1.0 + (closure.length / model.size) ** 2 if row.kind == RowKind.SCREW else 1.0


def _add_armature(model: Model, node: Supernode, body: int, may_hold: set[int]) -> None:
    node.outer = node.bodies.index(body)
    for axis in range(model.bodies.axis_start[body], model.bodies.axis_end[body]):
        if model.armature[axis] > 0.0 or axis in may_hold:
            node.soft.append(axis)
            node.scale.append(1.0 / model.size if model.is_length[axis] else 1.0)
            node.freedom.append(0.0)
            node.norm.append(0.0)
