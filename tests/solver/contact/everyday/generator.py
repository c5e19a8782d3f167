# SPDX-License-Identifier: GPL-3.0-or-later
"""Everyday scenes of contact: from one seed a kind, a mechanism, and how long it is worth watching."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from solver import Mechanism
from tests.solver.contact.everyday import driven, linkages, loose
from tests.solver.contact.everyday.building import Scene

KINDS: dict[str, Callable[[Scene], None]] = {
    kind.__name__: kind for kind in (*loose.KINDS, *driven.KINDS, *linkages.KINDS)
}
_IN_SPACE = {loose.adrift, linkages.linked_adrift}
_WITHOUT_GROUND = loose.WITHOUT_GROUND | driven.WITHOUT_GROUND | linkages.WITHOUT_GROUND


@dataclass(frozen=True)
class Everyday:
    """A scene: the mechanism, seconds to simulate, and what it came from."""

    kind: str
    seed: int
    mechanism: Mechanism
    duration: float


def everyday(seed: int, kind: str | None = None) -> Everyday:
    """The scene of a seed; of the given kind, else seeds take the kinds in turn."""
    kind = list(KINDS)[seed % len(KINDS)] if kind is None else kind
    fill = KINDS[kind]
    rng = np.random.default_rng([list(KINDS).index(kind), seed])
    scene = Scene(rng, ground=fill not in _WITHOUT_GROUND, weight=fill not in _IN_SPACE)
    fill(scene)
    return Everyday(kind, seed, scene.mechanism(f"{kind} {seed}"), scene.duration)
