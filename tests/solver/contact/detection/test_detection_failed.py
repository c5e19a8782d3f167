# SPDX-License-Identifier: GPL-3.0-or-later
"""Failures to find contacts: the run stops with a reason and the names of the bodies, and keeps its frames."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver import SimulationFailed, simulate
from solver.contact.detection.collision import Collision
from solver.contact.detection.detection_failed import DetectionFailed
from solver.mechanism import Contact, Mechanism
from solver.mechanism.bodies import Box, Capsule, Cylinder, Sphere
from tests.solver.contact.detection.distances import gap_along, signed_distance
from tests.solver.contact.detection.placing import AT_ORIGIN, bodies_at, deepest, found, halved, part
from tests.solver.contact.scenes import meets_bodies
from tests.solver.contact.solids import fixed, solid

pytestmark = meets_bodies

TURNED = Rotation.from_rotvec((0.3, 0.4, 0.5))
NEAR = 2.1  # radii: where the engine is made to fail


@pytest.fixture
def fails_when_near(monkeypatch):
    """MuJoCo's detection fails where the middles of its second and third shape are as near as NEAR."""
    mujoco = pytest.importorskip("mujoco")
    real = mujoco.mj_collision

    def detect(model, data):
        if len(data.geom_xpos) < 3:  # of a warm-up
            return real(model, data)
        between = np.linalg.norm(data.geom_xpos[1] - data.geom_xpos[2])
        if between < NEAR * model.geom_size[1, 0] and model.geom_contype[1] and model.geom_contype[2]:
            raise mujoco.FatalError("mju_makeFrame: xaxis of contact frame undefined")
        return real(model, data)

    monkeypatch.setattr(mujoco, "mj_collision", detect)


def test_the_two_bodies_are_named(fails_when_near):
    search = Collision([part(k, Sphere(radius=0.1)) for k in (1, 2, 3)], 1, set())
    bodies = bodies_at(AT_ORIGIN, ((0.0, 0.0, 0.15), TURNED), AT_ORIGIN, ((0.1, 0.0, 0.0), TURNED))
    with pytest.raises(DetectionFailed) as failure:
        found(lambda room, first: search.find(bodies, halved(0.1, bodies), room, first), 2)
    assert failure.value.names == ["body 2", "body 3"]
    assert str(failure.value) == "no direction is known that leads shapes apart at 'body 2' and 'body 3'"
    bodies.center[3, 0] = 0.25
    assert len(found(lambda room, first: search.find(bodies, halved(0.1, bodies), room, first), 2)) == 2


@pytest.mark.parametrize("integrator", ["impulse", "adams"])
def test_a_run_stops_with_the_reason_and_keeps_its_frames(fails_when_near, integrator):
    """Two balls fly at each other with 1 m/s each; from 0.4 m to 0.147 m between them takes 0.1265 s."""
    ball = Sphere(radius=0.07)
    bodies = [fixed("slab", Box(half_size=(1.0, 1.0, 0.1)), (0.0, 0.0, -1.0))]
    bodies += [solid(name, ball, (x, 0.0, 0.0)) for name, x in (("left", -0.2), ("right", 0.2))]
    bodies[1].linear_velocity, bodies[2].linear_velocity = (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)
    mechanism = Mechanism(bodies=bodies, contact=Contact(), gravity=(0.0, 0.0, 0.0))
    with pytest.raises(SimulationFailed) as failure:
        simulate(mechanism, 1.0, 100.0, integrator=integrator)
    assert failure.value.body_names == ["left", "right"]
    assert failure.value.reason == "no direction is known that leads shapes apart at 'left' and 'right'"
    assert failure.value.time == pytest.approx(0.1265, abs=0.01)
    recording = failure.value.recording
    assert 10 <= len(recording.times) <= 13
    assert recording.position[:, 1, 0] == pytest.approx(-0.2 + recording.times, abs=1e-6)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
@pytest.mark.parametrize("shape", [Sphere(radius=0.5), Capsule(radius=0.2, half_length=0.3)])
def test_poses_that_are_none_are_not_looked_at(monkeypatch, shape, value):
    """Whichever number of a pose it is; the other bodies are near each other."""
    parts = [part(1, Box(half_size=(0.5, 0.5, 0.5))), part(2, Cylinder(radius=0.25, half_length=0.4)), part(3, shape)]
    monkeypatch.setattr("mujoco.mj_collision", None)
    for number in range(12):
        search = Collision(parts, 1, set())
        bodies = bodies_at(AT_ORIGIN, AT_ORIGIN, ((0.6, 0.0, 0.0), TURNED), ((0.3, 0.3, 0.3), TURNED))
        (bodies.rotation[3] if number < 9 else bodies.center[3])[number % 9] = value
        assert found(lambda room, first, at=bodies, by=search: by.find(at, halved(0.1, at), room, first), 3) == []


@pytest.mark.parametrize("rod", [Capsule(radius=0.2, half_length=0.4), Cylinder(radius=0.25, half_length=0.4)])
@pytest.mark.parametrize("along", [0.0, 0.1])
def test_a_ball_on_the_axis_of_a_rod_is_led_out_the_shortest_way(rod, along):
    """In any pose; there is no shortest way from middle to middle."""
    random, ball = np.random.default_rng(4), Sphere(radius=0.5)
    search = Collision([part(1, rod), part(2, ball)], 1, set())
    for _ in range(10):
        turn = Rotation.random(random_state=random)
        poses = [(np.zeros(3), turn), (along * turn.apply((0.0, 0.0, 1.0)), Rotation.identity())]
        bodies = bodies_at(AT_ORIGIN, *poses)
        point = deepest(found(lambda room, first, at=bodies: search.find(at, halved(0.1, at), room, first), 2))
        true = signed_distance(rod, ball, poses)
        assert point.gap == pytest.approx(true, abs=1e-3)
        assert gap_along(point.normal, rod, ball, poses) == pytest.approx(true, abs=1e-3)
