# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft contact under Adams and Runge-Kutta: against closed forms, against impulses, and where it is refused."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from solver import Mechanism, MechanismError, SimulationFailed, simulate
from solver.contact.soft.parameters import hunt_crossley_damping
from solver.contact.soft.soft_contact import CREEP, damping_share
from solver.mechanism import Box, Capsule, Cylinder, Hull, Joint, Keys, Mesh, Sphere
from solver.simulation.live import LiveRun
from tests.solver.contact import gauges
from tests.solver.contact.scenes import (
    GRAVITY,
    arch,
    card_house,
    in_space,
    meets_bodies,
    on_ground,
    run,
    sloping,
    turned,
    wall,
)
from tests.solver.contact.solids import fixed, solid
from tests.truths.impacts import Bounces, meet
from tests.truths.sliding import BowlingBall, Incline, stopping_distance
from tests.truths.soft_contact import HertzImpact, restitution, sinking

SINKING = 1e-3
BALL, BOX = Sphere(radius=0.1), Box(half_size=(0.2, 0.15, 0.1))
SHAPES = {
    "sphere": (BALL, 0.1),
    "box": (BOX, 0.1),
    "capsule": (Capsule(radius=0.1, half_length=0.2), 0.3),
    "cylinder": (Cylinder(radius=0.15, half_length=0.1), 0.1),
    "hull": (Hull(points=[(0.2 * np.cos(a), 0.2 * np.sin(a), z) for a in range(7) for z in (-0.1, 0.1)]), 0.1),
}


def soft(mechanism: Mechanism, duration: float, frame_rate: float = 48.0, integrator: str = "adams", **options):
    return simulate(mechanism, duration, frame_rate, integrator=integrator, **options)


def energy(recording) -> np.ndarray:
    return recording.kinetic_energy + recording.potential_energy


def stiffness(weight: float, size: float) -> float:
    """N/m^(3/2): on one point a weight (kg) sinks in by SINKING of the size."""
    return weight * GRAVITY / (SINKING * size) ** 1.5


@pytest.mark.parametrize("given", [0.1, 0.3, 0.7, 0.95])
def test_the_damping_is_that_of_the_restitution(given):
    assert restitution(float(hunt_crossley_damping(given))) == pytest.approx(given, rel=1e-9)
    assert float(hunt_crossley_damping(1.0)) == 0.0


@pytest.mark.parametrize("given", [0.1, 0.5, 0.9])
def test_the_law_knows_the_speed_of_the_impact_by_depth_and_rate(given):
    """Along the impact of a mass with speed v, c rate / v is the same v from its beginning to its end."""
    c, v = float(hunt_crossley_damping(given)), 1.7
    for rate in np.linspace(-given * v, v, 23)[1:-1]:
        x = c * rate / v
        V = v / c * np.sqrt(2.0 * ((c - np.log1p(c)) - (x - np.log1p(x))))
        assert damping_share(rate, V, c, given) == pytest.approx(x, rel=1e-9, abs=1e-12)
    assert damping_share(1.0, 0.0, c, given) == pytest.approx(c)
    assert damping_share(-1.0, 1e-9, c, given) == pytest.approx(-given * c, rel=1e-6)


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta"])
@pytest.mark.parametrize("given", [0.3, 0.7, 1.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_it_bounces_as_high_as_it_should(shape, given, integrator):
    form, half = SHAPES[shape]
    truth = Bounces(1.0, given)
    mechanism = on_ground([solid("body", form, (0.0, 0.0, 1.0 + half))], 0.5, given)
    recording = soft(mechanism, truth.top(1), integrator=integrator)
    height = recording.position[-1, 0, 2] - half + 0.5 * recording.linear_velocity[-1, 0, 2] ** 2 / GRAVITY
    size = 0.1 if shape == "sphere" else np.hypot(*{"box": (0.25, 0.1), "capsule": (0.1, 0.2)}.get(shape, (0.2, 0.1)))
    depth = HertzImpact(1.0, stiffness(1.0, size), np.sqrt(2.0 * GRAVITY)).depth
    assert height == pytest.approx(truth.peak(1), abs=0.7 * depth)  # the weight goes on pulling meanwhile
    assert np.diff(energy(recording)).max() < 2e-6 * energy(recording)[0]


@pytest.mark.parametrize(("shape", "points", "size"), [("sphere", 1, 0.1), ("box", 4, np.linalg.norm(BOX.half_size))])
def test_it_sinks_in_as_deep_as_the_rule_says(shape, points, size):
    form, half = SHAPES[shape]
    recording = soft(on_ground([solid("body", form, (0.0, 0.0, half), mass=3.0)], 0.5, 0.3), 1.0)
    depth = sinking(3.0 * GRAVITY, stiffness(3.0, size), points)
    assert half - recording.position[-1, 0, 2] == pytest.approx(depth, rel=1e-4)
    assert np.abs(recording.linear_velocity[-1]).max() < 1e-6


@pytest.mark.parametrize(("of_ball", "of_ground"), [(0.05, 0.05), (0.2, 1e-3), (1e-3, 0.1)])
def test_softness_is_the_part_of_its_size_by_which_a_ball_sinks_in(of_ball, of_ground):
    """The mean of both surfaces: each gives way by its half."""
    mechanism = on_ground([solid("ball", BALL, (0.0, 0.0, 0.1), mass=3.0)], 0.5, 0.3)
    mechanism.bodies[0].material.softness, mechanism.contact.ground.softness = of_ball, of_ground
    recording = soft(mechanism, 3.0)
    assert 0.1 - recording.position[-1, 0, 2] == pytest.approx(0.1 * 0.5 * (of_ball + of_ground), rel=1e-4)
    rigid = simulate(mechanism, 0.5)
    assert rigid.position[-1, 0, 2] == pytest.approx(0.1, abs=1e-5)


def test_a_soft_impact_lasts_as_long_as_hertz_says_of_its_stiffness():
    mechanism = on_ground([solid("ball", BALL, (0, 0, 0.11), linear_velocity=(0, 0, -0.2))], 0.5, 1.0)
    mechanism.gravity = (0.0, 0.0, 0.0)
    mechanism.bodies[0].material.softness = mechanism.contact.ground.softness = 0.1
    truth = HertzImpact(1.0, GRAVITY / (0.1 * 0.1) ** 1.5, 0.2)
    recording = soft(mechanism, 0.3, frame_rate=1e5)
    touching = recording.position[:, 0, 2] < 0.1
    assert touching.sum() * 1e-5 == pytest.approx(truth.duration, abs=3e-5)
    assert 0.1 - recording.position[:, 0, 2].min() == pytest.approx(truth.depth, rel=1e-5)


def test_an_elastic_impact_lasts_as_long_as_hertz_says():
    mechanism = on_ground([solid("ball", BALL, (0, 0, 0.11), linear_velocity=(0, 0, -2.0))], 0.5, 1.0)
    mechanism.gravity = (0.0, 0.0, 0.0)
    truth = HertzImpact(1.0, stiffness(1.0, 0.1), 2.0)
    recording = soft(mechanism, 0.02, frame_rate=1e6)
    touching = recording.position[:, 0, 2] < 0.1
    assert touching.sum() * 1e-6 == pytest.approx(truth.duration, abs=3e-6)
    assert 0.1 - recording.position[:, 0, 2].min() == pytest.approx(truth.depth, rel=1e-5)
    assert recording.potential_energy.max() == pytest.approx(2.0, rel=1e-5)
    assert recording.kinetic_energy[-1] == pytest.approx(2.0, rel=1e-6)


@pytest.mark.parametrize(("speed", "friction"), [(2.0, 0.5), (3.0, 0.3)])
def test_a_block_stops_where_friction_has_its_energy(speed, friction):
    block = solid("block", Box(half_size=(0.3, 0.2, 0.05)), (0, 0, 0.05), linear_velocity=(speed, 0, 0))
    recording = soft(on_ground([block], friction), speed / (friction * GRAVITY) + 0.5)
    assert recording.position[-1, 0, 0] == pytest.approx(stopping_distance(speed, friction), rel=0.02)
    assert np.abs(recording.linear_velocity[-1]).max() < 1e-5


@pytest.mark.parametrize("part", [0.5, 0.9])
def test_what_friction_holds_creeps_as_slowly_as_the_rule_says(part):
    shape = Box(half_size=(0.3, 0.2, 0.05))
    block = solid("block", shape, (0, 0, 0.05))
    recording = soft(on_ground([block], 0.5, gravity=sloping(np.arctan(part * 0.5))), 1.5)
    creep = CREEP * np.sqrt(GRAVITY * np.linalg.norm(shape.half_size)) * part / np.sqrt(1.0 - part**2)
    assert recording.linear_velocity[-1, 0, 0] == pytest.approx(creep, rel=0.05)


def test_a_block_slides_downhill_as_fast_as_it_should():
    plane = Incline(0.5, 0.2)
    recording = soft(on_ground([solid("block", BOX, (0, 0, 0.1))], 0.2, gravity=sloping(0.5)), 1.5)
    assert recording.linear_velocity[-1, 0, 0] == pytest.approx(plane.block * 1.5, rel=0.01)


def test_a_ball_that_is_thrown_along_ends_up_rolling_as_by_impulses():
    truth = BowlingBall(2.0, 0.0, 0.1, 0.3)
    mechanism = on_ground([solid("ball", BALL, (0, 0, 0.1), linear_velocity=(2.0, 0, 0))], 0.3, 0.3)
    recording, other = soft(mechanism, 1.5), run(mechanism, 1.5, 48.0)
    late = recording.times > truth.rolls_from + 0.05
    assert recording.linear_velocity[late, 0, 0] == pytest.approx(truth.rolling_speed, rel=2e-3)
    assert recording.position[:, 0, 0] == pytest.approx(other.position[:, 0, 0], abs=5e-3)


@meets_bodies
@pytest.mark.parametrize("given", [0.4, 1.0])
def test_two_balls_part_as_they_should(given):
    masses, offset = (1.0, 3.0), 0.1
    speeds = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    bodies = [
        solid("a", BALL, (0, 0, 0), masses[0], linear_velocity=speeds[0]),
        solid("b", Sphere(radius=0.2), (0.5, offset, 0), masses[1]),
    ]
    recording = soft(in_space(bodies, 0.0, given), 0.6, relative=1e-8)
    normal = np.array([np.sqrt(0.3**2 - offset**2), offset, 0.0]) / 0.3
    assert recording.linear_velocity[-1] == pytest.approx(meet(masses, speeds, normal, given), abs=0.02)
    momentum = np.einsum("b,fbi->fi", masses, recording.linear_velocity)
    assert momentum == pytest.approx(np.tile(momentum[0], (len(momentum), 1)), abs=1e-12)
    if given == 1.0:
        assert energy(recording)[-1] == pytest.approx(energy(recording)[0], rel=1e-7)


@meets_bodies
def test_rough_balls_keep_their_moment_of_momentum():
    bodies = [
        solid("a", BALL, (0, 0, 0), linear_velocity=(1, 0, 0), angular_velocity=(0, 3, 20)),
        solid("b", Sphere(radius=0.2), (0.5, 0.1, 0.05), 3.0),
    ]
    recording = soft(in_space(bodies, 0.5, 0.5), 0.6, relative=1e-8)
    mass, inertia = np.array([1.0, 3.0]), np.array([0.4 * 0.01, 0.4 * 3.0 * 0.04])
    turning = np.cross(recording.position, mass[:, None] * recording.linear_velocity)
    moment = (turning + inertia[:, None] * recording.angular_velocity).sum(axis=1)
    assert moment == pytest.approx(np.tile(moment[0], (len(moment), 1)), abs=1e-9)
    assert np.diff(energy(recording)).max() < 1e-9


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta"])
def test_it_converges_with_the_tolerance(integrator):
    box = solid("box", BOX, (0, 0, 0.5), orientation=turned((0.6, 0.8, 0.0), 0.7), angular_velocity=(1, 2, 3))
    mechanism = on_ground([box], 0.5, 0.7)
    exact = soft(mechanism, 0.5, relative=1e-10).position[-1, 0]
    errors = [
        np.linalg.norm(soft(mechanism, 0.5, integrator=integrator, relative=relative).position[-1, 0] - exact)
        for relative in (1e-4, 1e-6, 1e-8)
    ]
    assert errors[0] < 1e-3
    assert errors[1] < 1e-5
    assert errors[2] < 1e-7


def carriage(given: float) -> Mechanism:
    """A heavy box on two light wheels, which carry it by hinges across."""
    bodies = [solid("box", Box(half_size=(0.3, 0.1, 0.1)), (0, 0, 0.6), 20.0)]
    bodies += [solid(f"wheel {x}", Sphere(radius=0.1), (x, y, 0.5)) for x, y in ((-0.3, 0), (0.3, -0.2), (0.301, 0.2))]
    across = turned((1, 0, 0), -0.5 * np.pi)
    joints = [Joint(w.name, "revolute", "box", w.name, w.position, across) for w in bodies[1:]]
    return on_ground(bodies, 0.5, given, joints=joints)


def test_a_light_wheel_bounces_as_the_whole_that_hangs_on_it():
    truth = Bounces(0.4, 0.7)
    recording = soft(carriage(0.7), truth.top(1))
    height = recording.position[-1, 0, 2] - 0.2 + 0.5 * recording.linear_velocity[-1, 0, 2] ** 2 / GRAVITY
    assert height == pytest.approx(truth.peak(1), rel=0.15)


def test_a_landed_linkage_stands_and_bears_as_by_impulses():
    mechanism = carriage(0.2)
    for body in mechanism.bodies:
        body.position = np.array(body.position) - (0, 0, 0.39)
    for joint in mechanism.joints:
        joint.position = np.array(joint.position) - (0, 0, 0.39)
    recording, other = soft(mechanism, 1.5), run(mechanism, 1.5, 48.0)
    assert recording.position[-1] == pytest.approx(other.position[-1], abs=2e-3)
    # each wheel holds up its part of the box: what the parent exerts on it points down
    assert recording.joint_force[-1, :, 2] == pytest.approx(other.joint_force[-1, :, 2], rel=0.01)
    assert recording.joint_force[-1, :, 2].sum() == pytest.approx(-20.0 * GRAVITY, rel=1e-4)


@pytest.mark.parametrize("method", ["propagation", "lagrange"])
def test_all_methods_agree_on_a_loop_that_falls(method):
    rods, half = [], 0.2
    for k, (x, z) in enumerate([(0, 0.4), (half, 0.6), (0, 0.8), (-half, 0.6)]):
        lies = k % 2 == 0
        rods.append(solid(f"rod {k}", Capsule(radius=0.03, half_length=0.15), (x, 0, z),
                          orientation=turned((0, 1, 0), 0.5 * np.pi) if lies else (1, 0, 0, 0)))  # fmt: skip
    corners = [(half, 0.4), (half, 0.8), (-half, 0.8), (-half, 0.4)]
    across = turned((1, 0, 0), -0.5 * np.pi)
    joints = [
        Joint(f"corner {k}", "revolute", f"rod {k}", f"rod {(k + 1) % 4}", (x, 0, z), across)
        for k, (x, z) in enumerate(corners)
    ]
    mechanism = on_ground(rods, 0.5, 0.3, joints=joints)
    mechanism.bodies[0].linear_velocity = (0.3, 0, 0)
    one, other = soft(mechanism, 0.4, method="recursive"), soft(mechanism, 0.4, method=method)
    assert other.position == pytest.approx(one.position, abs=1e-5)
    assert other.joint_force == pytest.approx(one.joint_force, abs=0.05)


@meets_bodies
def test_a_keyed_body_pushes():
    pusher = fixed("pusher", Box(half_size=(0.1, 0.5, 0.5)), None, motion="keyed",
                   keys=Keys([0.0, 2.0], [(0, 0, 0.5), (2, 0, 0.5)], [(1, 0, 0, 0)] * 2))  # fmt: skip
    mechanism = on_ground([pusher, solid("ball", BALL, (0.5, 0, 0.1))], 0.0, 0.2)
    recording = soft(mechanism, 1.5)
    assert recording.linear_velocity[-1, 1, 0] >= 1.0
    assert recording.position[-1, 1, 0] - recording.position[-1, 0, 0] >= 0.199


@meets_bodies
def test_nothing_fast_passes_through_something_thin():
    ball = solid("ball", Sphere(radius=0.05), (0, 0, 0), linear_velocity=(60, 0, 0))
    recording = soft(in_space([wall("wall", (0.005, 1, 1), (1, 0, 0)), ball], 0.3, 0.5), 0.05)
    assert recording.linear_velocity[-1, 1, 0] == pytest.approx(-30.0, rel=1e-3)


@meets_bodies
@pytest.mark.parametrize("seed", range(4))
def test_energy_never_grows(seed):
    rng = np.random.default_rng(seed)
    forms = [BALL, Capsule(radius=0.08, half_length=0.15), Box(half_size=(0.15, 0.1, 0.08))]
    bodies = []
    for k in range(4):
        axis = rng.normal(size=3)
        bodies.append(solid(f"body {k}", forms[rng.integers(3)], (*rng.uniform(-0.1, 0.1, 2), 0.3 + 0.4 * k),
                            rng.uniform(0.5, 3.0), orientation=turned(axis / np.linalg.norm(axis), 2.0),
                            angular_velocity=rng.normal(size=3) * 3.0))  # fmt: skip
    recording = soft(on_ground(bodies, rng.uniform(0.0, 1.0), rng.uniform(0.1, 1.0)), 0.8)
    total = energy(recording)
    assert np.diff(total).max() < 1e-5 * total[0]


@meets_bodies
def test_a_stack_of_equal_boxes_stands():
    half = 0.1
    boxes = [solid(f"box {k}", Box(half_size=(0.2, 0.2, half)), (0, 0, half + 2 * half * k)) for k in range(3)]
    recording = soft(on_ground(boxes, 0.5, 0.3), 1.0)
    assert gauges.strayed(recording) < 2e-3
    assert np.abs(recording.linear_velocity[-1]).max() < 1e-4


@meets_bodies
def test_a_ball_rolls_on_over_the_triangles_of_a_level_mesh():
    g = np.linspace(-1.0, 1.0, 9)
    points = [(x, y, 0.0) for x in g for y in g]
    triangles = [t for i in range(8) for j in range(8) for k in [9 * i + j] for t in ((k, k + 9, k + 10), (k, k + 10, k + 1))]  # fmt: skip # noqa: E501
    ball = solid("ball", BALL, (-0.6, 0.03, 0.1), linear_velocity=(1, 0, 0), angular_velocity=(0, 10, 0))
    mechanism = in_space([fixed("floor", Mesh(points=points, triangles=triangles)), ball], 0.5, 0.3)
    mechanism.gravity = (0.0, 0.0, -GRAVITY)
    recording = soft(mechanism, 1.0)
    assert recording.linear_velocity[-1, 1] == pytest.approx((1.0, 0.0, 0.0), abs=2e-3)


def test_notes_say_it_and_auto_still_takes_impulses():
    mechanism = on_ground([solid("ball", BALL, (0, 0, 0.1))])
    assert soft(mechanism, 0.1).notes == ["integrator: adams", "contact: soft (Hunt and Crossley)"]
    assert simulate(mechanism, 0.1).notes == ["integrator: impulse"]


def test_a_live_run_plays_again_to_the_last_bit():
    mechanism = on_ground([solid("box", BOX, (0, 0, 0.3), angular_velocity=(3, 2, 1))], 0.5, 0.5)
    live = LiveRun(mechanism, 24.0, integrator="adams")
    for frame in range(1, 13):
        while not live.advance(frame, 0.001):
            pass
    again = soft(live.mechanism, 0.5, 24.0)
    assert np.array_equal(live.recording().position, again.position[: len(live.recording().position)])


@meets_bodies
@pytest.mark.parametrize("shape", [BOX, Cylinder(radius=0.1, half_length=0.1)])
def test_shapes_whose_points_jump_are_refused(shape):
    floor = Mesh(points=[(-1, -1, 0), (1, -1, 0), (0, 1, 0)], triangles=[(0, 1, 2)])
    bodies = [fixed("floor", floor), solid("thing", shape, (0, 0, 0.5))]
    with pytest.raises(MechanismError, match=r"'floor' .mesh. and 'thing' .* touch: their points jump; use impulse"):
        soft(on_ground(bodies), 0.1)
    bodies[1].shape = BALL
    assert soft(on_ground(bodies), 0.1).steps > 0


def test_without_the_collision_library_pairs_are_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    bodies = [solid("a", BALL, (0, 0, 0.1)), solid("b", BALL, (0, 0, 0.5))]
    with pytest.raises(MechanismError, match="'a', 'b' cannot touch each other"):
        soft(on_ground(bodies), 0.1)
    assert soft(on_ground(bodies[:1]), 0.1).steps > 0


@meets_bodies
def test_an_arch_of_wedges_stands_on_faces_whose_edges_meet():
    recording = soft(on_ground(arch(), 0.8, 0.1), 0.3)
    assert gauges.strayed(recording) < 5e-3
    assert np.diff(energy(recording)).max() < 1e-9


@meets_bodies
@pytest.mark.parametrize("turn", [0.0, 1e-9, 0.3])
def test_a_patch_of_faces_is_that_of_four_corners_however_it_is_cut(turn):
    """A box sinks into a larger one as into the ground, and so where edges of both run along each other."""
    lower, upper = Box(half_size=(0.3, 0.15 if turn < 0.1 else 0.4, 0.1)), Box(half_size=(0.2, 0.15, 0.1))
    bodies = [fixed("lower", lower), solid("upper", upper, (0.01, 0.0, 0.2), orientation=turned((0, 0, 1), turn))]
    mechanism = in_space(bodies, 0.5, 0.3)
    mechanism.gravity = (0.0, 0.0, -GRAVITY)
    recording = soft(mechanism, 0.6)
    depth = sinking(GRAVITY, stiffness(1.0, 0.1), 4)
    assert 0.2 - recording.position[-1, 1, 2] == pytest.approx(depth, rel=0.02)


@meets_bodies
def test_where_points_jump_it_stops_and_says_what_to_do():
    with pytest.raises(SimulationFailed, match="points of contact may jump there: use integrator impulse") as caught:
        soft(on_ground(card_house(), 0.8, 0.1), 0.5)
    assert len(caught.value.recording.times) >= 1
