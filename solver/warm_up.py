# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles the kernels, or loads them from the cache, before anything is timed or shown."""

from collections.abc import Iterator

import numpy as np

from . import integration
from .dynamics.methods import has_closures
from .integration.observation import new_frames
from .integration.reactions import rewrite_reactions
from .kernel import compiled as kernels_are_compiled
from .mechanism import Body, Mechanism, Nail
from .mechanism.compilation import Compiled, compile_linkages
from .mechanism.model import LAGRANGE, RECURSIVE, new_scratch
from .start import set_start

_ready: set[tuple] = set()


def warm_up(integrator: str = "adams", linkages: list[Compiled] | None = None) -> Iterator[str]:
    """Makes ready all kernels that these linkages need, once per process; yields what comes next, piece by piece.

    Kernels are compiled for each class of model: for trees (the only one without `linkages`), and for each method that
    takes closures.
    """
    if not kernels_are_compiled():
        return
    linkages = [_smallest(False, RECURSIVE)[1]] if linkages is None else linkages
    for model_class, method in dict.fromkeys((type(each.model), each.model.method) for each in linkages):
        held = has_closures(model_class)
        if (integrator, model_class) not in _ready:
            what = "loops and constraints" if held else "trees"
            yield from _integrator(integrator, what, _smallest(held, method))
            _ready.add((integrator, model_class))
        if held and "reactions" not in _ready:
            yield "the forces of redundant joints"
            _reactions()
            _ready.add("reactions")


def _smallest(held: bool, method: int) -> tuple[Mechanism, Compiled]:
    """A single body, and if it is to be `held`, a nail."""
    body = Body(name="body", mass=1.0, inertia=(1.0, 1.0, 1.0))
    nails = [Nail("nail", body="body", point=(0.0, 0.0, 0.0))] if held else []
    mechanism = Mechanism(bodies=[body], constraints=nails)
    return mechanism, compile_linkages(mechanism, method)[0]


def _integrator(integrator: str, what: str, smallest: tuple[Mechanism, Compiled]) -> Iterator[str]:
    mechanism, compiled = smallest
    model, times = compiled.model, np.array([0.0, 0.1])
    method, tolerance = integration.METHODS[integrator], integration.local_tolerance(integrator, model, 1e-6, 1e-7)
    yield f"the start of {what}"
    set_start(mechanism, compiled)
    yield f"the motion of {what}"
    memory, frames = method.new_memory(model, compiled.state), new_frames(model, 2)
    method.advance(model, new_scratch(model), memory, tolerance, True, 0.1, 0.1, times, 0, frames, 1000)


def _reactions() -> None:
    _, compiled = _smallest(True, LAGRANGE)
    model = compiled.model
    rates = np.zeros(2 * len(model.armature))
    rewrite_reactions(model, new_scratch(model), compiled.state, rates, np.zeros(1), new_frames(model, 1), 0, 0)
