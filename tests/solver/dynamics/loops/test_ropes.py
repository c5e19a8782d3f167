# SPDX-License-Identifier: GPL-3.0-or-later
"""Ropes from point to point and on drums: ratios of tackles, winches, methods and integrators, jerks, refusals."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from solver import Mechanism, MechanismError, assemble, evaluate, simulate
from solver.mechanism import Action, Body, Joint, JointMotor, Pulley, Rope, Table
from tests.solver.assembly.random_ties import random_tree
from tests.solver.dynamics.loops.machines import Y, disc, hinge

METHODS = ("recursive", "composite", "propagation", "lagrange")
INTEGRATORS = ("adams", "implicit", "runge-kutta", "impulse", "variational")
G = 9.81
RADIUS, INERTIA = 0.3, 0.05  # m, kg m2 of the winch's drum


def guided(name: str, mass: float, at: tuple) -> tuple[Body, Joint]:
    """A mass that goes up and down."""
    body = Body(name, mass=mass, inertia=(0.1, 0.1, 0.1), position=at)
    return body, Joint(f"guide of {name}", "prismatic", None, name, at)


def tackle(strands: int, load: float, weight: float, **rope: object) -> Mechanism:
    """A load on so many plumb strands, an even number, and a weight on the hauling end."""
    (load, guide), (weight, other) = guided("load", load, (0, 0, -2.0)), guided("weight", weight, (1.0, 0, -1.0))
    bodies, points = [], []
    for k in range(strands // 2):
        points += [(0.1 * k, 0, 0), (0.1 * k, 0, -2.0), (0.1 * k + 0.1, 0, -2.0)]
        bodies += [None, "load", "load"]
    points = [*points, (0.1 * (strands // 2), 0, 0), (1.0, 0, 0), (1.0, 0, -1.0)]
    rope = Rope("rope", bodies=[*bodies, None, None, "weight"], points=points, **rope)
    return Mechanism(bodies=[load, weight], joints=[guide, other], constraints=[rope])


def acceleration(strands: int, load: float, weight: float) -> float:
    """m/s2: of the load upwards, by d'Alembert's principle."""
    return G * (strands * weight - load) / (load + strands**2 * weight)


@pytest.mark.parametrize("method", METHODS)
def test_a_tackle_of_two_strands_halves_the_pull(method):
    found = evaluate(tackle(2, 4.0, 1.5), method)
    up = acceleration(2, 4.0, 1.5)
    assert found.linear_acceleration[:, 2] == pytest.approx([up, -2.0 * up], rel=1e-12)
    assert found.joint_force[0, :3] == pytest.approx([0, 0, 0], abs=1e-12), "plumb strands press on no guide"


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_tackle_runs_as_told(integrator):
    found = simulate(tackle(2, 4.0, 2.5), 0.5, 24.0, integrator=integrator)
    up = acceleration(2, 4.0, 2.5)
    close = 1e-4 if integrator == "variational" else 1e-9
    assert found.position[:, 0, 2] == pytest.approx(-2.0 + 0.5 * up * found.times**2, abs=close)
    assert found.position[:, 1, 2] == pytest.approx(-1.0 - up * found.times**2, abs=2.0 * close)


def test_a_load_hangs_by_the_four_strands_that_hold_it():
    """In balance: each pulls with the weight at the hauling end, the slanted ones with the share that is plumb."""
    mechanism = tackle(2, 6.0, 1.5)
    points = [(0, 0, 0), (0, 0, -2), (0, 0.1, 0), (0, 0.1, -2), (0, 0.2, 0), (1, 0, 0), (1, 0, -1)]
    rope = Rope("rope", bodies=[None, "load", None, "load", None, None, "weight"], points=points)
    plumb = 2.0 + 2.0 * 2.0 / np.hypot(2.0, 0.1)
    load = replace(mechanism.bodies[0], mass=1.5 * plumb)
    found = evaluate(replace(mechanism, bodies=[load, mechanism.bodies[1]], constraints=[rope]))
    assert found.linear_acceleration[:, 2] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert found.constraint_force[0, :3] == pytest.approx([0.0, 0.0, -1.5 * G]), "at its first point"


def test_between_the_same_wheels_it_is_a_pulley():
    """The span between wheels in the world keeps its length."""
    ends = {"point_a": (0.3, 0, 1.0), "wheel_a": (0, 0, 3.0), "point_b": (1, 0.2, 1.5), "wheel_b": (1, 0, 3.0)}
    masses = [disc("a", 1.0, at=ends["point_a"]), disc("b", 1.4, at=ends["point_b"])]
    pulley = Pulley("rope", body_a="a", body_b="b", **ends)
    points = [ends[name] for name in ("point_a", "wheel_a", "wheel_b", "point_b")]
    rope = Rope("rope", bodies=["a", None, None, "b"], points=points)
    first, second = (simulate(Mechanism(bodies=masses, constraints=[each]), 1.0, 24.0) for each in (pulley, rope))
    assert second.position == pytest.approx(first.position, abs=1e-9)
    assert second.constraint_force == pytest.approx(first.constraint_force, abs=1e-7)


def random_ropes(seed: int) -> Mechanism:
    """A random forest with ropes over its bodies and the world, on drums where it has hinges."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 8, ("world", "floating", "keyed"), 1.0, moved=False)
    hinges = [joint.name for joint in tree.joints if joint.type == "revolute"]
    ropes = []
    for k in range(2):
        count = int(rng.integers(2, 7))
        names = [None, *(body.name for body in tree.bodies)]
        bodies = [names[i] for i in rng.integers(0, len(names), count)]
        bodies[int(rng.integers(count))] = next(iter(tree.dynamic))
        drums = rng.permutation(hinges)[: int(rng.integers(0, 3))].tolist()
        radii = rng.uniform(0.1, 0.4, len(drums)).tolist()
        points = rng.normal(size=(count, 3)).tolist()
        ropes.append(Rope(f"rope {k}", bodies=bodies, points=points, drums=drums, radii=radii))
    return Mechanism(bodies=tree.bodies, joints=tree.joints, constraints=ropes)


@pytest.mark.parametrize("seed", range(12))
def test_all_methods_agree_on_random_ropes(seed):
    mechanism = random_ropes(seed)
    first, *others = (evaluate(mechanism, method) for method in METHODS)
    for other in others:
        assert other.linear_acceleration == pytest.approx(first.linear_acceleration, rel=1e-7, abs=1e-7)
        assert other.constraint_force == pytest.approx(first.constraint_force, rel=1e-7, abs=1e-7)


def test_they_keep_their_length_and_all_energy():
    """Swinging over wheels on bodies that move: the spans sum up to what they were, by Adams to rounding."""
    bodies = [disc(f"b{k}", 1.0 + 0.3 * k, at=(0.6 * k, 0.1 * k, -0.4 * (k % 2))) for k in range(3)]
    joints = [hinge("h0", None, "b0", (-0.5, 0, 0.2), Y), Joint("h2", "spherical", None, "b2", (1.4, 0.3, 0.5))]
    points = [(0, 0, 0.6), (0, 0, 0), (0.6, 0.1, -0.4), (1.2, 0.2, 0.05), (2.0, 0, 0.8)]
    rope = Rope("rope", bodies=[None, "b0", "b1", "b2", None], points=points)
    found = simulate(Mechanism(bodies=bodies, joints=joints, constraints=[rope]), 2.0, 48.0, relative=1e-10)
    places = np.stack([*(found.position[:, k] for k in range(3))], axis=1)  # the points of b0 and b1 are their centres
    turned = np.array([_turn(q) @ np.array((0.0, 0.0, 0.05)) for q in found.orientation[:, 2]])
    corners = [np.tile(points[0], (len(places), 1)), places[:, 0], places[:, 1], places[:, 2] + turned]
    corners.append(np.tile(points[-1], (len(places), 1)))
    length = sum(np.linalg.norm(b - a, axis=1) for a, b in pairwise(corners))
    assert np.ptp(length) < 1e-9
    assert np.ptp(found.position[:, 1], axis=0).max() > 0.1, "it moves"
    energy = found.kinetic_energy + found.potential_energy
    assert energy == pytest.approx(energy[0], abs=1e-6)


def _turn(q: np.ndarray) -> np.ndarray:
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def winch(load: float = 3.0, motor: JointMotor | None = None, **rope: object) -> Mechanism:
    """A load on a rope that is wound on a drum; the rope leaves it beside its axis."""
    drum = Body("drum", mass=2.0, inertia=(0.04, 0.04, INERTIA), position=(0, 0, 0), orientation=Y)
    load, guide = guided("load", load, (RADIUS, 0, -1.0))
    points = [load.position, (RADIUS, 0, 0)]
    rope = Rope("rope", bodies=["load", None], points=points, drums=["hinge"], radii=[RADIUS], **rope)
    joints = [hinge("hinge", None, "drum", (0, 0, 0), Y, motor=motor), guide]
    return Mechanism(bodies=[drum, load], joints=joints, constraints=[rope])


FALL = 3.0 * G / (3.0 + INERTIA / RADIUS**2)  # m/s2: of the load on the drum


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_load_unwinds_its_drum(integrator):
    found = simulate(winch(), 1.0, 24.0, integrator=integrator)
    close = 1e-3 if integrator == "variational" else 1e-9
    assert found.position[-1, 1, 2] == pytest.approx(-1.0 - 0.5 * FALL, abs=close)
    assert found.joint_coordinates[-1, 0] == pytest.approx(-0.5 * FALL / RADIUS, abs=4.0 * close), "two turns and more"
    assert found.constraint_force[3, 0, :3] == pytest.approx([0, 0, 3.0 * (G - FALL)], abs=1e-6)


def test_a_motor_winds_the_load_up_by_radius_times_angle():
    found = simulate(winch(motor=JointMotor("keyed", target=Table((0.0, 2.0), (0.0, 3.0)))), 2.0, 24.0)
    angle = found.joint_coordinates[:, 0]
    assert angle[-1] == pytest.approx(3.0, abs=1e-9)
    assert found.position[:, 1, 2] == pytest.approx(-1.0 + RADIUS * angle, abs=1e-9)


def test_on_a_drum_that_travels_bearings_and_rope_balance():
    """A trolley with its winch: what the rope pulls is borne by the trolley, and momentum along the rail is kept."""
    trolley = Body("trolley", mass=5.0, inertia=(1, 1, 1), position=(0, 0, 0))
    drum = Body("drum", mass=2.0, inertia=(0.04, 0.04, INERTIA), position=(0, 0, 0), orientation=Y)
    load = Body("load", mass=3.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, -1.0))
    rail = Joint("rail", "prismatic", None, "trolley", (0, 0, 0), (np.sqrt(0.5), 0, np.sqrt(0.5), 0))
    joints = [rail, hinge("hinge", "trolley", "drum", (0, 0, 0), Y)]
    rope = winch().constraints[0]
    rope = replace(rope, bodies=["load", "trolley"], points=[load.position, (RADIUS, 0, 0)])
    mechanism = Mechanism(bodies=[trolley, drum, load], joints=joints, constraints=[rope])
    found = simulate(mechanism, 1.0, 48.0, relative=1e-10)
    momentum = found.linear_velocity[:, :, 0] @ (5.0, 2.0, 3.0)
    assert momentum == pytest.approx(0.0, abs=1e-8)
    assert np.ptp(found.position[:, 0, 0]) > 0.03
    energy = found.kinetic_energy + found.potential_energy
    assert energy == pytest.approx(energy[0], abs=1e-6)
    for method in METHODS[1:]:
        first, other = evaluate(mechanism, "recursive"), evaluate(mechanism, method)
        assert other.constraint_force == pytest.approx(first.constraint_force, abs=1e-9)


@pytest.mark.parametrize("friction", [0.0, 0.6])
def test_a_wheel_that_turns_with_its_rope_is_a_drum_of_two(friction):
    """Atwood's machine with a wheel of inertia, which one side unwinds while the other winds up; its axle may rub."""
    wheel = Body("wheel", mass=2.0, inertia=(0.04, 0.04, INERTIA), orientation=Y)
    (heavy, guide), (light, other) = guided("heavy", 3.0, (RADIUS, 0, -1.0)), guided("light", 1.0, (-RADIUS, 0, -1.0))
    axle = hinge("hinge", None, "wheel", (0, 0, 0), Y, friction=(friction,))
    ropes = [
        Rope(f"to {body.name}", bodies=[body.name, None], points=[body.position, (side * RADIUS, 0, 0)])
        for body, side in ((heavy, 1.0), (light, -1.0))
    ]
    ropes = [
        replace(rope, drums=["hinge"], radii=[side * RADIUS]) for rope, side in zip(ropes, (1.0, -1.0), strict=True)
    ]
    found = simulate(Mechanism(bodies=[wheel, heavy, light], joints=[axle, guide, other], constraints=ropes), 0.5, 24.0)
    fall = (2.0 * G - friction / RADIUS) / (4.0 + INERTIA / RADIUS**2)
    assert found.position[-1, 1, 2] == pytest.approx(-1.0 - 0.5 * fall * 0.25, abs=1e-8)
    assert found.position[-1, 2, 2] == pytest.approx(-1.0 + 0.5 * fall * 0.25, abs=1e-8)
    tensions = found.constraint_force[-1, :, 2]
    assert tensions == pytest.approx([3.0 * (G - fall), 1.0 * (G + fall)], abs=1e-6)


@pytest.mark.parametrize(("integrator", "close"), {"adams": 1e-7, "implicit": 1e-6, "impulse": 1e-4}.items())
def test_a_slack_rope_jerks_its_drum(integrator, close):
    """The load falls until it is taut; the jerk shares its momentum with the drum."""
    found = simulate(winch(slack=True, length=1.2), 1.0, 24.0, integrator=integrator)
    jerk = np.sqrt(2.0 * 0.2 / G)
    speed, rest = 3.0 * G * jerk / (3.0 + INERTIA / RADIUS**2), 1.0 - jerk
    assert found.position[-1, 1, 2] == pytest.approx(-1.2 - speed * rest - 0.5 * FALL * rest**2, abs=10 * close)
    assert any("velocities changed" in note for note in found.notes)


def test_a_slack_rope_from_a_fixed_body_knows_all_that_it_holds():
    """It hangs on a beam, goes under a block and up to a drum: while it is slack nothing else joins these two."""
    drum = Body("drum", mass=2.0, inertia=(0.04, 0.04, INERTIA), position=(RADIUS, 0, 0), orientation=Y)
    load, guide = guided("load", 3.0, (0, 0, -1.0))
    beam = Body("beam", motion="fixed")
    rope = Rope("rope", bodies=["beam", "load", None], points=[(0, 0, 0), load.position, (0, 0.01, 0)])
    rope = replace(rope, drums=["hinge"], radii=[RADIUS], slack=True, length=2.4)
    joints = [hinge("hinge", "beam", "drum", drum.position, Y), guide]
    found = simulate(Mechanism(bodies=[beam, drum, load], joints=joints, constraints=[rope]), 0.6, 24.0)
    jerk = np.sqrt(2.0 * 0.2 / G)
    speed, rest = 3.0 * G * jerk / (3.0 + 4.0 * INERTIA / RADIUS**2), found.times[-1] - jerk
    fall = 3.0 * G / (3.0 + 4.0 * INERTIA / RADIUS**2)
    assert found.position[-1, 2, 2] == pytest.approx(-1.2 - speed * rest - 0.5 * fall * rest**2, abs=1e-3)


def test_put_in_on_the_way_it_is_as_long_as_it_finds_it():
    mechanism = winch(enabled=False)
    mechanism.joints[0] = replace(mechanism.joints[0], speeds=(2.0,))
    mechanism.actions = [Action(0.25, "rope", {"enabled": True})]
    found = simulate(mechanism, 0.5, 48.0)
    later = found.times > 0.25
    way, angle = found.position[later, 1, 2], found.joint_coordinates[later, 0]
    assert way - RADIUS * angle == pytest.approx(way[0] - RADIUS * angle[0], abs=1e-9)
    assert found.position[12, 1, 2] == pytest.approx(-1.0 - 0.5 * G * 0.25**2, abs=1e-9)


def test_while_its_drum_is_cut_it_does_nothing():
    mechanism = winch()
    mechanism.actions = [Action(0.25, "hinge", {"enabled": False})]
    found = simulate(mechanism, 0.5, 48.0)
    falling = found.linear_velocity[found.times > 0.26, 1, 2]
    assert np.diff(falling) == pytest.approx(-G / 48.0, abs=1e-9)


def test_snapping_brings_it_to_its_length():
    mechanism = tackle(2, 4.0, 1.5, length=6.9)
    snapped = assemble(mechanism)
    (rope,) = snapped.constraints
    assert rope.drawn_length == pytest.approx(6.9)
    assert rope.length_between(*rope.end_points) == pytest.approx(6.9, abs=1e-9)
    wound = assemble(winch(length=1.4))
    (rope,) = wound.constraints
    assert rope.drawn_length == pytest.approx(rope.length_between(*rope.end_points), abs=1e-9)
    assert 1.0 < rope.drawn_length < 1.4, "the drum has turned too"
    drawn = np.array([body.position for body in wound.bodies])
    assert simulate(wound, 0.1).position[0] == pytest.approx(drawn)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"points": [(0, 0, 0)] * 2}, "points[1] is the same as points[0], so that the rope has no direction there"),
        ({"bodies": ["load"]}, "bodies must have at least 2 entries, has 1"),
        ({"bodies": ["load", None, None]}, "bodies must have one entry for each of 2 points, has 3"),
        ({"bodies": [None, None]}, "bodies are all the world: a rope holds at least one body"),
        ({"bodies": ["laod", None]}, "bodies[0] names the body 'laod', which there is not; is 'load' meant?"),
        ({"radii": []}, "radii must have one entry for each of 1 drums, has 0"),
        ({"radii": [0.0]}, "radii must not be 0: the drum would wind nothing"),
        ({"drums": ["hinge", "hinge"], "radii": [0.1, 0.1]}, "drums name a hinge twice"),
        ({"drums": ["guide of load"]}, "drums[0] must be a revolute joint, but 'guide of load' is prismatic"),
        ({"drums": ["axle"]}, "drums[0] names the joint 'axle', which there is not"),
    ],
)
def test_what_cannot_be_is_named(change, problem):
    mechanism = winch()
    mechanism.constraints[0] = replace(mechanism.constraints[0], **change)
    assert problem in "\n".join(mechanism.problems())


def test_more_than_eight_points_are_refused():
    points = [(0.1 * k, 0, 0) for k in range(9)]
    mechanism = Mechanism(bodies=[disc("a")], constraints=[Rope("rope", bodies=["a", *(None,) * 8], points=points)])
    assert mechanism.problems() == ["constraint 'rope': points are 9, and a rope has 8 at most"]


def test_slack_it_is_refused_by_name():
    with pytest.raises(MechanismError, match="rope"):
        simulate(winch(slack=True, length=1.2), 0.1, integrator="quasi-static")


def test_slack_on_a_drum_by_variational_it_is_that_of_adams():
    found, other = (simulate(winch(slack=True, length=1.2), 0.6, integrator=name) for name in ("adams", "variational"))
    assert np.ptp(found.position[:, :, 2], axis=0).max() > 0.5, "a load falls, and unwinds the drum"
    assert other.position == pytest.approx(found.position, abs=2e-3)


def test_it_is_written_and_read_back(tmp_path):
    mechanism = winch(length=Table((0.0, 1.0), (1.0, 1.2)))
    mechanism.save(tmp_path / "winch.ves")
    assert Mechanism.load(tmp_path / "winch.ves").constraints == mechanism.constraints
