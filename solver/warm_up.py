# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles the kernels, or loads them from the cache, before anything is timed or shown."""

from collections.abc import Iterator

import numpy as np

from . import integration
from .integration.observation import new_frames
from .kernel import compiled as kernels_are_compiled
from .mechanism import Body, Mechanism
from .mechanism.compilation import compile_linkages
from .mechanism.model import new_scratch
from .start import set_start

_ready: set[str] = set()


def warm_up(integrator: str = "adams") -> Iterator[str]:
    """Makes all kernels of an integrator ready, once per process; yields what comes next, piece by piece."""
    if integrator in _ready or not kernels_are_compiled():
        return
    mechanism = Mechanism(bodies=[Body(name="body", mass=1.0, inertia=(1.0, 1.0, 1.0))])
    compiled = compile_linkages(mechanism)[0]
    model, times = compiled.model, np.array([0.0, 0.1])
    method, tolerance = integration.METHODS[integrator], integration.local_tolerance(integrator, model, 1e-6, 1e-7)
    yield "the starting speeds"
    set_start(mechanism, compiled)
    yield "the integrator"
    memory, frames = method.new_memory(model, compiled.state), new_frames(model, 2)
    method.advance(model, new_scratch(model), memory, tolerance, True, 0.1, 0.1, times, 0, frames, 1000)
    _ready.add(integrator)
