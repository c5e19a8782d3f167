# SPDX-License-Identifier: GPL-3.0-or-later
"""Expressions that have no value: which force, along which axis, and where."""

import math
from collections.abc import Iterator

import numpy as np

from ..dynamics.forces.expression import component_of, put_names
from ..dynamics.forces.parameters import update_parameters
from ..dynamics.forces.points import first_parameter, is_enabled
from ..dynamics.tree.driven import update_driven_bodies
from ..dynamics.tree.kinematics import update_kinematics
from ..mechanism.arithmetic import NAMES, Step
from ..model.arrays import ForceKind, Model, Scratch, State, new_scratch


def without_value(model: Model, scratch: Scratch) -> Iterator[tuple[int, str, dict[str, float]]]:
    """(number, axis, what its names stand for) of expressions without a finite value where bodies are now."""
    for number in np.flatnonzero(model.forces.kind == ForceKind.EXPRESSION):
        first = first_parameter(model, number)
        if not is_enabled(scratch.parameters, first):
            continue
        put_names(model, scratch, number, first)
        known = dict(zip(NAMES, scratch.machine[0].tolist(), strict=False))
        for k, axis in enumerate("xyz"):
            asked = _asked(model, number, k)
            is_known = all(math.isfinite(known[name]) for name in asked)
            if is_known and not math.isfinite(component_of(model, scratch, number, k, False)[0]):
                yield int(number), axis, {name: known[name] for name in asked}


def just_ahead(model: Model, state: State, time: float, step: float) -> Iterator[Scratch]:
    """Bodies at a time (s), and within a step (s) from there, if they go on as they do."""
    scratch = new_scratch(model)
    update_parameters(model, time, scratch)
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, state, scratch)
    yield scratch
    for _ in range(2):
        scratch.bodies.center += 0.5 * step * scratch.bodies.linear
        yield scratch


def _asked(model: Model, number: int, k: int) -> list[str]:
    """The names in one component, each once."""
    program = model.forces.program[number]
    steps = model.programs[program[k] : program[k + 1]]
    return list(dict.fromkeys(NAMES[int(each)] for each in steps.number[steps.step == Step.NAME]))
