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
    spans = model.closures.row_start.tolist(), model.closures.row_end.tolist(), model.closures.ends.tolist()
    scale = np.where(model.rows.is_length, 1.0 / model.size, 1.0)
    scales, freedoms, norms = scale.tolist(), (1.0 / scale**2).tolist(), _norms(model).tolist()
    nodes = []
    for number, (first, end, ends) in enumerate(zip(*spans, strict=True)):
        freedom, norm = freedoms[first:end], norms[first:end]
        if in_trees[number]:
            freedom = [0.0] * (end - first)
        if sources[number].kind == "cut":  # what holds a cut body together is no joint
            norm = [0.0] * (end - first)
        node = Supernode(tuple(bodies[number][:ends]), (first, end), [], 0, scales[first:end], freedom, norm)
        if in_trees[number]:
            _add_armature(model, node, int(next(carried)), may_hold)
        nodes.append(node)
    return eliminate(nodes, model.bodies, model.driven, centers)


def _norms(model: Model) -> np.ndarray:
    """(R,): of each row."""
    norm = np.where(model.rows.is_length, 1.0, 1.0 / model.size**2)
    threads = np.flatnonzero(model.rows.is_length & (model.rows.kind == RowKind.SCREW))
    norm[threads] += (model.closures.length[model.rows.closure[threads]] / model.size) ** 2
    return norm


def _add_armature(model: Model, node: Supernode, body: int, may_hold: set[int]) -> None:
    node.outer = node.bodies.index(body)
    for axis in range(model.bodies.axis_start[body], model.bodies.axis_end[body]):
        if model.armature[axis] > 0.0 or axis in may_hold:
            node.soft.append(axis)
            node.scale.append(1.0 / model.size if model.is_length[axis] else 1.0)
            node.freedom.append(0.0)
            node.norm.append(0.0)
