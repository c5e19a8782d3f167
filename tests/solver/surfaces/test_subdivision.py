# SPDX-License-Identifier: GPL-3.0-or-later
"""Rides on subdivision surfaces: over odd vertices and from chart to chart, to edges and creases."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, Recording, assemble, simulate
from solver.mechanism import SmoothPatches, SmoothSubdivision
from solver.subdivision.cage import Cage, refined
from tests.solver.surfaces.cages import cube, net, star
from tests.solver.surfaces.parts import ball

RADIUS = 0.1


def on(surface: SmoothSubdivision, x: float, y: float, rolling: bool = False, **how) -> Mechanism:
    """A ball that is brought down to a surface from above, near a place."""
    return assemble(ball((x, y, 0.5), RADIUS, surface, (x, y, 0.5 - RADIUS), rolling, **how))


def total(recording: Recording) -> np.ndarray:
    return recording.kinetic_energy + recording.potential_energy


@pytest.mark.parametrize(("integrator", "within"), [("adams", 1e-6), ("runge-kutta", 1e-6), ("implicit", 1e-5)])
@pytest.mark.parametrize(("valence", "aside", "rolling"), [(3, 0.0, False), (5, 0.001, True), (6, 0.02, False)])
def test_energy_is_kept_over_an_odd_vertex(valence, aside, rolling, integrator, within):
    """Through the vertex, and past it more and less closely; J, of 4. Long implicit steps do not see all of it."""
    mechanism = on(star(valence, uneven=0.0, bend=0.4), 0.3, aside, rolling)
    recording = simulate(mechanism, 0.9, integrator=integrator, relative=1e-7)
    assert not [note for note in recording.notes if " ends at " in note]
    x = recording.position[:, 0, 0]
    assert x[0] > 0.3
    assert x.min() < (-0.1 if rolling else -0.25)
    assert np.ptp(total(recording)) < within


@pytest.mark.parametrize("rolling", [False, True])
def test_the_refined_cage_is_ridden_on_alike(rolling):
    """The same surface, cut into other faces and covered by other charts."""
    coarse = star(5, uneven=0.03, bend=0.4)
    cage, points = refined(Cage(coarse.faces), np.array(coarse.points))
    fine = SmoothSubdivision(points=points.tolist(), faces=cage.faces)
    start = on(coarse, 0.3, 0.05, rolling)
    paths = []
    for surface in (coarse, fine):
        start.joints[0].surface_parent = surface
        recording = simulate(start, 0.8, relative=1e-8)
        assert np.ptp(total(recording)) < 1e-8
        paths.append(recording.position)
    assert paths[0][-1, 0, 0] < -0.1, "past the vertex"
    assert np.abs(paths[0] - paths[1]).max() < 1e-6


def test_a_net_is_ridden_on_as_the_b_spline_surface_that_it_is():
    surface = net(8, uneven=0.01, bend=0.3)
    grid = np.array(surface.points).reshape(9, 9, 3)
    points = grid
    for k in range(2):  # Bezier points of a uniform B-spline, along each direction
        lines = np.moveaxis(points, k, 0)
        found = [(lines[0] + 4 * lines[1] + lines[2]) / 6]
        for i in range(1, 7):
            found += [(2 * lines[i] + lines[i + 1]) / 3, (lines[i] + 2 * lines[i + 1]) / 3]
            found.append((lines[i] + 4 * lines[i + 1] + lines[i + 2]) / 6)
        points = np.moveaxis(np.array(found), 0, k)
    start = on(surface, 0.25, 0.1, speed=(-1.0, 0.3, 0.0))
    paths = []
    for each in (surface, SmoothPatches(points=points.tolist())):
        start.joints[0].surface_parent = each
        paths.append(simulate(start, 0.8, relative=1e-9).position)
    assert np.ptp(paths[0][:, 0, 0]) > 0.5, "over several faces"
    assert np.abs(paths[0] - paths[1]).max() < 1e-7


@pytest.mark.parametrize(
    ("creases", "edge"), [((), 1.0), ([(15, 16), (16, 17), (17, 18), (18, 19)], 0.5)], ids=["edge", "crease"]
)
def test_a_ride_ends_at_an_edge_and_at_a_crease(creases, edge):
    surface = net(4, uneven=0.0, bend=0.2, creases=creases)
    recording = simulate(on(surface, 0.1, 0.2, speed=(2.5, 0.0, 0.0)), 0.5)
    (note,) = (note for note in recording.notes if " ends at " in note)
    assert "it has come to the edge of its parent's surface" in note
    after = recording.times > float(note.split(" ends at ")[1].split()[0])
    slope = 2.0 * 0.2 * edge
    assert recording.position[after, 0, 0][0] > edge - 1.2 * RADIUS * slope / np.hypot(1.0, slope)
    assert recording.position[~after, 0, 0][-1] < edge
    falls = np.diff(recording.linear_velocity[after, 0, 2]) / np.diff(recording.times[after])
    assert falls == pytest.approx(np.full(len(falls), -9.81), abs=1e-9)


@pytest.mark.parametrize(("integrator", "within"), [("adams", 1e-9), ("implicit", 4e-4)])
def test_a_ride_goes_on_over_a_semi_sharp_edge(integrator, within):
    """A line across a bowl that bends in a tenth of a face; J, of 7. Long implicit steps do not see all of it."""
    line = [(15 + k, 16 + k, 3.4) for k in range(4)]
    surface = net(4, uneven=0.0, bend=0.2, creases=line)
    mechanism = on(surface, 0.1, 0.2, speed=(2.0, 0.0, 0.0))
    recording = simulate(mechanism, 0.35, integrator=integrator, relative=1e-7)
    assert not [note for note in recording.notes if " ends at " in note]
    x = recording.position[:, 0, 0]
    assert x[0] < 0.45, "before the edge"
    assert x[-1] > 0.55, "behind it"
    assert np.ptp(total(recording)) < within
    smooth = simulate(on(net(4, uneven=0.0, bend=0.2), 0.1, 0.2, speed=(2.0, 0.0, 0.0)), 0.35).position
    assert np.abs(smooth - recording.position).max() > 1e-3, "the edge counts"


def test_coordinates_are_those_of_faces():
    """Recorded are the number of the face, and where in it."""
    recording = simulate(on(star(5, uneven=0.0, bend=0.4), 0.3, 0.1), 0.6)
    u, v = recording.joint_coordinates[:, 0], recording.joint_coordinates[:, 1]
    assert ((u >= 0.0) & (u < 45.0)).all()
    assert ((v >= -1e-9) & (v <= 1.0 + 1e-9)).all()
    assert len(np.unique(np.floor(u))) > 2


def test_a_ball_in_a_closed_cage_stays_in_it():
    """A cube's limit from inside, where all odd vertices have three faces; impulses take it too."""
    shell = cube(0.1, inside=True)
    start = assemble(ball((0.2, 0.1, -0.6), RADIUS, shell, (0.2, 0.1, -0.7)))
    for integrator, within in (("adams", 1e-8), ("impulse", 1e-3)):
        recording = simulate(start, 0.5, integrator=integrator)
        assert not [note for note in recording.notes if " ends at " in note]
        assert np.ptp(total(recording)) < within
