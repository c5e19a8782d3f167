# SPDX-License-Identifier: GPL-3.0-or-later
"""One evaluation of a body that rides on a surface: all of it, from the contact coordinates to their accelerations."""

import numpy as np

from solver import Mechanism
from solver.mechanism import (
    Body,
    Joint,
    Smooth,
    SmoothEllipsoid,
    SmoothPatches,
    SmoothPlane,
    SmoothSphere,
    SmoothTorus,
)
from solver.model.arrays import new_scratch
from solver.model.linkage.compilation import compile_linkages

from .chains import Loaded
from .machine import Contestant, Machine
from .table import Row, Section

LIMIT = 5e-6  # s, of the pair of patches
PAPER = "1.2 ms (Pai et al. 2000)"
RADIUS = 0.2  # m: what touches lies that far below the body's origin


def measure(machine: Machine) -> Section:
    """A row for each pair of surfaces."""
    hill = _hill()
    rational = SmoothPatches(points=hill.points, weights=np.outer((1.0, 1.2, 1.2, 1.0), (1.0, 0.9, 0.9, 1.0)).tolist())
    pairs = {
        "a patch on a patch (the paper's)": (hill, _cap(), False),
        "the same, rolling": (hill, _cap(), True),
        "rational patches": (rational, _cap(), False),
        "a ball on a plane": (SmoothPlane(), SmoothSphere(radius=RADIUS), False),
        "an ellipsoid on a torus, rolling": (
            SmoothTorus(ring_radius=1.0, tube_radius=0.5, position=(-1.0, 0.0, -0.5)),
            SmoothEllipsoid(half_axes=(0.3, 0.25, RADIUS)),
            True,
        ),
    }
    section = Section("Contact coordinates: time of one evaluation of a riding body, us")
    for number, (name, pair) in enumerate(pairs.items()):
        (timing,) = machine.race(Contestant(_riding(*pair).run))
        promised = number == 0
        section.rows.append(
            Row(
                name,
                timing.microseconds,
                others=PAPER if promised else "",
                ratio=f"{1.2e-3 / timing.median:.0f}" if promised else "",
                target="< 5 us" if promised else "",
                met=timing.median < LIMIT if promised else None,
            )
        )
    section.remarks = ["least / median; the paper's machine was a dual Pentium II of 450 MHz, with Java"]
    return section


def _hill() -> SmoothPatches:
    steps = np.linspace(-1.0, 1.0, 4)
    return SmoothPatches(points=[[(x, y, -0.02 * (x * x + y * y)) for y in steps] for x in steps])


def _cap() -> SmoothPatches:
    """A single patch that bulges downwards to 0.2 m below its origin."""
    steps = np.linspace(-0.3, 0.3, 4)
    points = [[(x, y, -RADIUS + 0.8 * (x * x + y * y)) for y in steps] for x in steps]
    return SmoothPatches(points=points, inside=True)


def _riding(parent: Smooth, child: Smooth, rolling: bool) -> Loaded:
    body = Body(name="rider", mass=1.0, inertia=(0.02, 0.03, 0.04), position=(0.0, 0.0, RADIUS))
    ride = Joint(
        name="ride", type="contact", parent=None, child="rider", position=(0.0, 0.0, 0.0), surface_parent=parent,
        surface_child=child, rolling=rolling,
    )  # fmt: skip
    mechanism = Mechanism(bodies=[_touching(body, parent, child)], joints=[ride])
    (compiled,) = compile_linkages(mechanism)
    compiled.state.speeds[:] = (0.0, 0.0, 0.3, 0.2, 0.1) if rolling else (0.1, -0.2, 0.3, 0.2, 0.1)
    return Loaded(mechanism, compiled, new_scratch(compiled.model), np.zeros(2 * len(compiled.state.speeds)))


def _touching(body: Body, parent: Smooth, child: Smooth) -> Body:
    """The body moved up or down so that the middles of both surfaces meet on its Z axis."""
    body.position = (0.0, 0.0, _height(parent) - _height(child))
    return body


def _height(surface: Smooth) -> float:
    """m: where the surface crosses the Z axis; the lower place of those that are closed."""
    if isinstance(surface, SmoothPatches):
        weights = np.outer(*2 * [[1.0, 3.0, 3.0, 1.0]]) * (1.0 if surface.weights is None else surface.weights)
        return float(np.average(np.array(surface.points)[:, :, 2], weights=weights))
    if isinstance(surface, SmoothSphere):
        return -surface.radius
    return -surface.half_axes[2] if isinstance(surface, SmoothEllipsoid) else 0.0
