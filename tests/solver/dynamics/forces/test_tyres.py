# SPDX-License-Identifier: GPL-3.0-or-later
"""Supports and tyres on uneven ground, against closed forms, SciPy, and conservation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from solver import Mechanism, MechanismError, simulate
from solver.dynamics.forces.terrain import surface_at
from solver.mechanism import Body, Joint, Keys, Support, Terrain, Tyre
from solver.model.arrays import AUTO
from solver.model.linkage.compilation import compile_linkage
from solver.model.topology import find_linkages
from tests.truths import tyres as truth

G = 9.81
EXACT = {"relative": 1e-10, "absolute": 1e-11}
MASS, INERTIA, RADIUS, STIFFNESS = 10.0, 0.45, 0.3, 2e4
ROAD = {"radius": RADIUS, "stiffness": STIFFNESS, "slip_stiffness": 2000.0, "cornering_stiffness": 1500.0}


def wheel(place=(0.0, 0.0, 0.3), velocity=(0.0, 0.0, 0.0), spin=0.0, gravity=(0.0, 0.0, -G), terrain=None, **tyre):
    """A wheel alone, that rolls along X."""
    body = Body(
        name="wheel", mass=MASS, inertia=(0.25, INERTIA, 0.25), position=place, linear_velocity=velocity,
        angular_velocity=(0.0, spin, 0.0),
    )  # fmt: skip
    name = None if terrain is None else terrain.name
    force = Tyre("tyre", body="wheel", point=place, terrain=name, **(ROAD | tyre))
    grounds = [] if terrain is None else [terrain]
    return Mechanism(gravity=gravity, bodies=[body], forces=[force], terrains=grounds)


def strip(heights, origin: float, spacing: float) -> Terrain:
    """Ground that is the same across Y."""
    rows = [list(map(float, heights))] * 3
    return Terrain(name="ground", heights=rows, origin=(origin, -5.0, 0.0), spacing=(spacing, 5.0))


def slope(angle: float) -> Terrain:
    return strip([-math.tan(angle) * x for x in (-50.0, 0.0, 50.0)], -50.0, 50.0)


def hills(kerb: float = 0.0) -> tuple[Terrain, truth.Height]:
    """Waves of 4 m, and a kerb at 6 m."""
    x = -2.0 + 0.1 * np.arange(200)
    heights = 0.1 * np.sin(0.5 * np.pi * x) + kerb * (x > 6.0)
    return strip(heights, -2.0, 0.1), truth.spline(heights, -2.0, 0.1)


def test_terrain_is_the_b_spline_through_its_control_points() -> None:
    rng = np.random.default_rng(3)
    heights = rng.normal(size=(6, 8))
    terrain = Terrain(name="ground", heights=heights.tolist(), origin=(-1.0, 2.0, 0.5), spacing=(0.5, 0.7))
    mechanism = wheel(terrain=terrain)
    model = compile_linkage(mechanism, find_linkages(mechanism)[0], AUTO).model
    rows = [truth.spline(row, -1.0, 0.5) for row in heights]
    for x, y in rng.uniform((-1.0, 2.0), (2.5, 5.5), (50, 2)):
        by_row = np.array([[row(x, order) for row in rows] for order in range(3)])
        along = [truth.spline(values, 2.0, 0.7) for values in by_row]
        true = along[0](y, 0) + 0.5, along[1](y, 0), along[0](y, 1), along[2](y, 0), along[1](y, 1), along[0](y, 2)
        np.testing.assert_allclose(surface_at(model, 0, x, y), true, atol=1e-12)
    assert surface_at(model, 0, -1.0, 2.0)[0] == pytest.approx(heights[0, 0] + 0.5, abs=1e-14)
    assert surface_at(model, 0, -9.0, 9.0) == pytest.approx((heights[-1, 0] + 0.5, 0, 0, 0, 0, 0), abs=1e-14)


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "impulse"])
def test_it_is_pressed_in_by_its_weight(integrator: str) -> None:
    still = wheel(place=(0.0, 0.0, RADIUS - MASS * G / STIFFNESS), damping=300.0)
    found = simulate(still, 0.2, integrator=integrator).position[-1, 0]
    assert found[2] == pytest.approx(RADIUS - truth.plane_depth(0.0, MASS, STIFFNESS), abs=2e-6)


@pytest.mark.parametrize("angle", [0.1, 0.4])
def test_it_rolls_down_a_slope_by_its_inertia_and_slip(angle: float) -> None:
    depth = truth.plane_depth(angle, MASS, STIFFNESS)
    up = (RADIUS - depth) / math.cos(angle)
    v = 5.0
    rolling = wheel((0.0, 0.0, up), (v * math.cos(angle), 0.0, -v * math.sin(angle)), v / RADIUS, terrain=slope(angle),
                    slip_speed=1e-3, damping=100.0)  # fmt: skip
    done = simulate(rolling, 0.4, 100.0, relative=1e-8, absolute=1e-9)
    velocity = done.linear_velocity[:, 0] @ (math.cos(angle), 0.0, -math.sin(angle))
    pace = (velocity[-1] - velocity[-25]) / (done.times[-1] - done.times[-25])
    true = truth.rolling_acceleration(angle, MASS, INERTIA, RADIUS, 2000.0, MASS * G * math.cos(angle), 1.0)
    assert pace == pytest.approx(true, rel=1e-5)
    assert true == pytest.approx(G * math.sin(angle) / (1.0 + INERTIA / (MASS * RADIUS**2)), rel=0.03)
    across = done.position[-1, 0] @ (math.sin(angle), 0.0, math.cos(angle))
    assert across == pytest.approx(RADIUS - depth, abs=1e-8)


def test_a_locked_wheel_brakes_by_friction_alone() -> None:
    depth, v, friction = truth.plane_depth(0.0, MASS, STIFFNESS), 10.0, 0.7
    sliding = wheel((0.0, 0.0, RADIUS - depth), (v, 0.0, 0.0), friction=friction)
    sliding.joints = [Joint("rails", type="generic", parent=None, child="wheel", position=(0, 0, 0), free=["x", "y"])]
    done = simulate(sliding, 1.2, **EXACT)
    times = done.times
    np.testing.assert_allclose(done.position[:, 0, 0], v * times - 0.5 * friction * G * times**2, atol=1e-7)


def quarter_car(kind: str, ground: Terrain, speed: float) -> Mechanism:
    """A wheel and what it carries, guided up and down on a cart that is keyed along X."""
    times = [0.0, 1.0, 2.0, 3.0]
    keys = Keys(times=times, positions=[[speed * t, 0.0, 0.0] for t in times], orientations=[[1, 0, 0, 0]] * 4)
    bodies = [
        Body(name="cart", motion="keyed", keys=keys),
        Body(name="wheel", mass=MASS, inertia=(1, 1, 1), position=(0, 0, 0.3)),
        Body(name="car", mass=60.0, inertia=(1, 1, 1), position=(0, 0, 0.8)),
    ]
    joints = [
        Joint("guide", type="prismatic", parent="cart", child="wheel", position=(0, 0, 0.3)),
        Joint("strut", type="prismatic", parent="wheel", child="car", position=(0, 0, 0.8), stiffness=(4e3,),
              damping=(300.0,)),
    ]  # fmt: skip
    if kind == "support":
        force = Support("s", body="wheel", point=(0, 0, 0), stiffness=STIFFNESS, damping=50.0, terrain="ground")
    else:
        force = Tyre("s", body="wheel", point=(0, 0, 0.3), terrain="ground", **(ROAD | {"friction": 0.0}))
    return Mechanism(bodies=bodies, joints=joints, forces=[force], terrains=[ground])


@pytest.mark.parametrize("kind", ["support", "tyre"])
def test_quarter_car_over_a_wavy_road(kind: str) -> None:
    x = -2.0 + 0.2 * np.arange(80)
    heights = 0.02 * np.sin(0.5 * np.pi * x) - 0.03
    ground, height = strip(heights, -2.0, 0.2), truth.spline(heights, -2.0, 0.2)
    speed = 3.0

    def push(place: float, z: float, rate: float) -> float:
        if kind == "support":
            up = 1.0 / math.sqrt(1.0 + float(height(place, 1)) ** 2)
            depth = (float(height(place, 0)) - (z - 0.3)) * up
            leaving = (rate - speed * float(height(place, 1))) * up
            return max(0.0, STIFFNESS * depth - 50.0 * leaving) * up if depth > 0.0 else 0.0
        step = 1e-5
        depth, above, below = (truth.envelope_depth(height, RADIUS, place, z + d, 2001) for d in (0.0, step, -step))
        return STIFFNESS * depth * (below - above) / (2.0 * step) if depth > 0.0 else 0.0

    def rates(t: float, s: np.ndarray) -> list[float]:
        strut = 4e3 * (s[1] - s[0] - 0.5) + 300.0 * (s[3] - s[2])
        lift = push(speed * t, s[0], s[2])
        return [s[2], s[3], (lift + strut) / MASS - G, -strut / 60.0 - G]

    true = solve_ivp(rates, (0.0, 1.5), [0.3, 0.8, 0.0, 0.0], "DOP853", rtol=1e-9, atol=1e-10).y[:2, -1]
    done = simulate(quarter_car(kind, ground, speed), 1.5, **EXACT)
    np.testing.assert_allclose(done.position[-1, 1:, 2], true, atol=1e-6)


@pytest.mark.parametrize("kerb", [0.0, 0.1])
def test_a_wheel_without_grip_keeps_its_energy_over_hills_and_kerbs(kerb: float) -> None:
    ground, height = hills(kerb)
    start = (5.3, 0.0, RADIUS - 0.005 + float(height(5.3, 0)))
    rolling = wheel(start, (6.0, 0.0, 0.0), 6.0 / RADIUS, terrain=ground, friction=0.0)
    done = simulate(rolling, 0.25, relative=1e-8, absolute=1e-9)
    x, z, v = done.position[:, 0, 0], done.position[:, 0, 2], done.linear_velocity[:, 0]
    assert x[-1] > 6.7
    depth = np.array([max(0.0, truth.envelope_depth(height, RADIUS, a, b)) for a, b in zip(x, z, strict=True)])
    energy = 0.5 * MASS * np.sum(v**2, axis=1) + MASS * G * z + 0.5 * STIFFNESS * depth**2
    # on the kerb's edge the integral of the truth differs from the sum over 33 points
    np.testing.assert_allclose(energy, energy[0], rtol=2e-4)
    assert energy[-1] == pytest.approx(energy[0], rel=1e-8)
    np.testing.assert_allclose(done.angular_velocity[:, 0, 1], 6.0 / RADIUS, rtol=1e-10)


@pytest.mark.parametrize("integrator", ["adams", "implicit", "impulse"])
def test_a_wheel_that_rolls_freely_over_hills_gains_nothing(integrator: str) -> None:
    ground, height = hills(0.05)
    start = (5.3, 0.0, RADIUS - 0.005 + float(height(5.3, 0)))
    done = simulate(wheel(start, (6.0, 0.0, 0.0), 6.0 / RADIUS, terrain=ground), 0.6, integrator=integrator)
    x, z, v, w = done.position[:, 0, 0], done.position[:, 0, 2], done.linear_velocity[:, 0], done.angular_velocity[:, 0]
    depth = np.array([max(0.0, truth.envelope_depth(height, RADIUS, a, b)) for a, b in zip(x, z, strict=True)])
    energy = 0.5 * MASS * np.sum(v**2, axis=1) + 0.5 * INERTIA * w[:, 1] ** 2 + MASS * G * z
    energy += 0.5 * STIFFNESS * depth**2
    assert np.diff(energy).max() < (1e-4 if integrator != "impulse" else 2e-3) * energy[0]
    assert energy[-1] > 0.8 * energy[0]


def test_a_kerb_is_met_before_the_axle_is_above_it() -> None:
    """The rim meets a kerb of height c at the distance sqrt(R^2 - (R - c)^2) before it; this one is smooth."""
    heights = 0.1 * (0.05 * np.arange(80) > 2.01)  # from 2.0 to 2.05
    ground = strip(heights, 0.0, 0.05)
    rolling = wheel((1.7, 0.0, 0.3 - 0.005), (4.0, 0.0, 0.0), 4.0 / RADIUS, terrain=ground, stiffness=1e5)
    done = simulate(rolling, 0.12, 500.0)
    met = done.position[np.argmax(done.linear_velocity[:, 0, 0] < 3.9), 0, 0]
    assert 2.025 - math.sqrt(RADIUS**2 - (RADIUS - 0.1) ** 2) - 0.03 < met < 2.025 - 0.1
    assert done.position[:, 0, 2].max() > 0.35


def car(speed: float, steer: float, c_front: float, c_rear: float) -> Mechanism:
    """A frame that stays level, with a wheel in front and one behind."""
    depth, front, rear, turn = 0.01, 1.2, 1.6, (math.cos(0.5 * steer), 0.0, 0.0, math.sin(0.5 * steer))
    tyre = {"radius": RADIUS, "stiffness": 2e5, "slip_stiffness": 1e4, "friction": 1e6, "slip_speed": 1e-3}
    z = RADIUS - depth
    bodies = [
        Body(name="frame", mass=500.0, inertia=(500, 500, 800), linear_velocity=(speed, 0, 0), position=(0, 0, z))
    ]
    joints = [Joint("level", type="generic", parent=None, child="frame", position=(0, 0, z), free=["x", "y", "turn z"])]
    forces = []
    for name, x, orientation, c in (("front", front, turn, c_front), ("rear", -rear, (1, 0, 0, 0), c_rear)):
        axle = np.array([-math.sin(steer), math.cos(steer), 0.0]) if name == "front" else np.array([0.0, 1.0, 0.0])
        roll = speed / RADIUS * (math.cos(steer) if name == "front" else 1.0)
        motion = {"linear_velocity": (speed, 0, 0), "angular_velocity": tuple(roll * axle)}
        made = Body(name=name, mass=1.0, inertia=(0.05,) * 3, position=(x, 0, z), orientation=orientation, **motion)
        bodies.append(made)
        joints.append(Joint(f"axle {name}", type="generic", parent="frame", child=name, position=(x, 0, z),
                            orientation=orientation, free=["turn y"]))  # fmt: skip
        forces.append(Tyre(name, body=name, point=(x, 0, z), orientation=orientation, cornering_stiffness=c, **tyre))
    return Mechanism(bodies=bodies, joints=joints, forces=forces)


@pytest.mark.parametrize(("c_front", "c_rear"), [(2e4, 4e4), (3e4, 3e4)])
def test_steady_cornering_is_that_of_the_bicycle_model(c_front: float, c_rear: float) -> None:
    speed, steer = 10.0, 0.002
    done = simulate(car(speed, steer, c_front, c_rear), 4.0)
    now = float(np.linalg.norm(done.linear_velocity[-1, 0]))
    true = truth.yaw_rate(steer, now, 502.0, 1.2, 1.6, c_front, c_rear)
    assert done.angular_velocity[-1, 0, 2] == pytest.approx(true, rel=2e-3)


def test_a_ring_on_a_lateral_spring_is_the_relaxation_length() -> None:
    """What the manual says of a carcass: the tread as a body of its own, on a spring along the axle."""
    angle, speed, carcass, cornering = 0.02, 5.0, 1e4, 3000.0
    times = [0.0, 1.0, 2.0]
    way = np.array([math.cos(angle), math.sin(angle), 0.0])
    place = np.array([0.0, 0.0, RADIUS - 0.01])
    keys = Keys(times=times, positions=[(place + speed * t * way).tolist() for t in times],
                orientations=[[1, 0, 0, 0]] * 3)  # fmt: skip
    bodies = [Body(name="hub", motion="keyed", keys=keys)]
    joints = []
    for name, parent, free in (("rim", "hub", ["turn y"]), ("tread", "rim", ["y"])):
        motion = {"linear_velocity": tuple(speed * way), "angular_velocity": (0.0, speed / RADIUS, 0.0)}
        bodies.append(Body(name=name, mass=0.01, inertia=(1e-3,) * 3, position=tuple(place), **motion))
        joints.append(Joint(name, type="generic", parent=parent, child=name, position=tuple(place), free=free))
    joints[1].stiffness = (carcass,)
    ring = ROAD | {"cornering_stiffness": cornering, "friction": 1e6, "slip_speed": 1e-3}
    forces = [Tyre("tyre", body="tread", point=tuple(place), **ring)]
    done = simulate(Mechanism(gravity=(0, 0, 0), bodies=bodies, joints=joints, forces=forces), 0.2, frame_rate=200)
    shift = done.position[:, 2, 1] - done.position[:, 0, 1]
    for k in (10, 20, 40):
        true = truth.lagging_force(math.tan(angle), cornering, cornering / carcass, speed * done.times[k])
        assert -carcass * shift[k] == pytest.approx(true, rel=5e-3)


def test_what_is_wrong_is_said_by_name() -> None:
    plain = wheel(terrain=slope(0.1)).to_dict()
    assert Mechanism.from_dict(plain).to_dict() == plain
    wrong = wheel(terrain=slope(0.1))
    wrong.forces[0].terrain = "hills"
    wrong.terrains[0].heights = [[0.0, 1.0], [2.0, 3.0, 4.0]]
    problems = "\n".join(map(str, wrong.problems()))
    assert "'hills'" in problems
    assert "rows of one length" in problems
    with pytest.raises(MechanismError, match=r"'tyre'.*variational"):
        simulate(wheel(), 0.1, integrator="variational")
    lagging = wheel().to_dict()
    lagging["forces"][0]["relaxation_length"] = 0.3
    with pytest.raises(MechanismError, match="relaxation_length"):
        Mechanism.from_dict(lagging)


@pytest.mark.parametrize("integrator", ["adams", "impulse"])
def test_a_wheel_that_leaves_its_terrain_is_named_with_the_time(integrator: str) -> None:
    """It goes at 2.1 m/s, and the edge is a metre and a half away."""
    flat = Terrain(name="mat", heights=np.zeros((3, 3)).tolist(), origin=(-0.5, -1.0, 0.0), spacing=(1.0, 1.0))
    mechanism = wheel(velocity=(2.1, 0.0, 0.0), spin=2.1 / 0.3, terrain=flat)
    far, near = (simulate(mechanism, duration, 24.0, integrator=integrator) for duration in (1.0, 0.7))
    (told,) = [note for note in far.notes if "beyond the edge" in note]
    assert "'mat'" in told
    assert "at 0.75 s" in told
    assert not any("beyond the edge" in note for note in near.notes)
