# SPDX-License-Identifier: GPL-3.0-or-later
"""Derivatives of all accelerations of a mechanism at its start, by the names of its joints and bodies."""

import numpy as np

from ..dynamics.derivatives.changes import new_changes, reasons_against
from ..evaluation.derivatives import evaluate_for_derivatives, fill_derivatives
from ..integration.motion.observation import read_modes
from ..mechanism import Balance, Mechanism
from ..mechanism.error import refuse
from ..mechanism.messages import Message
from .linkage_run import LinkageRun
from .recording import Derivatives

MOST_AXES = 5000  # of all linkages: three matrices of 200 MB


def derivatives_of(mechanism: Mechanism, runs: list[LinkageRun]) -> Derivatives:
    """From linkages that stand at their start. Raises MechanismError for what has no derivatives, by name."""
    refuse(problem for run in runs for problem in _problems(run.mechanism, run))
    axes = sum(len(run.compiled.model.armature) for run in runs)
    if axes > MOST_AXES:
        refuse([Message("too-many-derivatives", count=axes, most=MOST_AXES)])
    labels, matrices, first = [], np.zeros((3, axes, axes)), 0
    for run in runs:
        labels += _labels(run)
        block = slice(first, len(labels))
        matrices[:, block, block] = _matrices(run)
        first = len(labels)
    order = sorted(range(axes), key=lambda k: labels[k])
    lists = mechanism.joints, mechanism.bodies
    names = [lists[floats][number].name for floats, number, _ in labels]
    return Derivatives(
        np.array([names[k] for k in order], dtype=np.str_),
        np.array([labels[k][2] for k in order], dtype=int),
        *matrices[:, order][:, :, order],
    )


def _labels(run: LinkageRun) -> list[tuple[bool, int, int]]:
    """Of each axis: (a body floats by it, number of the joint or else of the body, number of the coordinate)."""
    model, linkage, found = run.compiled.model, run.compiled.linkage, []
    for body, joint, record in zip(linkage.bodies, linkage.joint, model.bodies[model.driven :], strict=True):
        count = record.axis_end - record.axis_start
        found += [(joint is None, body if joint is None else joint, k) for k in range(count)]
    return found


def _matrices(run: LinkageRun) -> np.ndarray:
    """(3, A, A) of one linkage, in the modes of its first frame."""
    model = run.compiled.model
    axes = len(model.armature)
    transposed = np.zeros((3, axes, axes))
    read_modes(run.frames, 0, run.scratch)
    state, changes = run.state_at(0), new_changes(model, run.scratch)
    evaluate_for_derivatives(model, 0.0, state, run.scratch, np.zeros(2 * axes), changes)
    fill_derivatives(model, state, run.scratch, changes, transposed)
    return transposed.transpose(0, 2, 1)


def _problems(mechanism: Mechanism, run: LinkageRun) -> list[Message]:
    linkage, reasons = run.compiled.linkage, reasons_against(run.compiled.model, run.scratch)
    parts = [("joint", mechanism.joints[j].name) for j in linkage.rides]
    forces = [mechanism.forces[i] for i in linkage.forces]
    parts += [("force", force.name) for force in forces if isinstance(force, Balance)]
    bodies = [mechanism.bodies[i] for i in linkage.bodies]
    parts += [("body", body.name) for body in bodies if body.follow is not None]
    if reasons and not parts:
        parts = [("body", mechanism.bodies[linkage.bodies[0]].name)]
    return [Message("no-derivatives", part, reasons=", ".join(reasons)) for part in parts]
