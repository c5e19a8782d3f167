# SPDX-License-Identifier: GPL-3.0-or-later
"""The quasi-static integrator: equilibria of closed form and by minimising, the way there, and what is refused."""

from __future__ import annotations

import copy
import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.spatial.transform import Rotation

from benchmarks import settling
from solver import LiveRun, Mechanism, MechanismError, simulate
from solver.integration import local_tolerance
from solver.integration.quasi_static.memory import new_quasi_static_memory
from solver.integration.quasi_static.quasi_static import is_at_rest
from solver.integration.quasi_static.rest import evaluate_at_rest
from solver.mechanism import Action
from solver.model.arrays import new_scratch
from solver.model.linkage.compilation import compile_linkages

G = 9.81
ABOUT_Y = [math.sqrt(0.5), -math.sqrt(0.5), 0.0, 0.0]  # a joint's Z along Y


def rod(name: str, start: tuple, end: tuple, **more: object) -> dict:
    """A thin rod of 1 kg in the plane X Z, its own X along it."""
    (x, z), (to_x, to_z) = start, end
    length, turn = math.hypot(to_x - x, to_z - z), -math.atan2(to_z - z, to_x - x)
    inertia = [1e-4 * length**2, length**2 / 12.0, length**2 / 12.0]
    place = [0.5 * (x + to_x), 0.0, 0.5 * (z + to_z)]
    orientation = [math.cos(0.5 * turn), 0.0, math.sin(0.5 * turn), 0.0]
    return {"name": name, "mass": 1.0, "inertia": inertia, "position": place, "orientation": orientation, **more}


def hinge(name: str, parent: str | None, child: str, place: tuple, **more: object) -> dict:
    joint = {"name": name, "type": "revolute", "parent": parent, "child": child}
    return {**joint, "position": [place[0], 0.0, place[1]], "orientation": ABOUT_Y, **more}


def chain(points: list[tuple], nailed: bool = False, **joint: object) -> dict:
    """Rods from point to point, hinged to the world and to each other; `nailed`: the last end as well."""
    n = len(points) - 1
    made = {
        "bodies": [rod(f"b{k}", points[k], points[k + 1]) for k in range(n)],
        "joints": [hinge(f"j{k}", f"b{k - 1}" if k else None, f"b{k}", points[k], **joint) for k in range(n)],
    }
    if nailed:
        x, z = points[-1]
        made["constraints"] = [{"name": "nail", "type": "nail", "body": f"b{n - 1}", "point": [x, 0.0, z]}]
    return made


def level(n: int) -> list[tuple]:
    return [(float(k), 0.0) for k in range(n + 1)]


def described(parts: dict) -> Mechanism:
    return Mechanism.from_dict({"format": "ves-mechanism", "version": 1, **copy.deepcopy(parts)})


def at_rest(parts: dict, duration: float = 0.0, **options: object):
    return simulate(described(parts), duration, integrator="quasi-static", **{"settling": 0.0, **options})


def arch(n: int, height: float) -> list[tuple]:
    """n rods of a metre between two points at one height, on an arc above them."""
    turn = brentq(lambda t: sum(math.cos(t * (1.0 - 2.0 * (k + 0.5) / n)) for k in range(n)) - height, 1e-3, 2.5)
    points = [(0.0, 0.0)]
    for k in range(n):
        angle = turn * (1.0 - 2.0 * (k + 0.5) / n)
        points.append((points[-1][0] + math.cos(angle), points[-1][1] + math.sin(angle)))
    return points


# --- equilibria ---


@pytest.mark.fallback
def test_a_weight_on_a_spring_hangs_lower_by_its_weight_over_the_stiffness():
    slide = {"name": "slide", "type": "prismatic", "parent": None, "child": "b0", "position": [0, 0, 0]}
    parts = {"bodies": [rod("b0", (0, 0), (1, 0))], "joints": [slide | {"stiffness": [250.0], "damping": [40.0]}]}
    assert at_rest(parts).position[0, 0, 2] == pytest.approx(-G / 250.0, abs=1e-12)
    parts["joints"] = [slide]
    spring = {"name": "s", "type": "spring", "body_a": "b0", "point_a": [0.5, 0, 0], "point_b": [0.5, 0, 2]}
    parts["forces"] = [spring | {"stiffness": 250.0, "rest_length": 2.0, "damping": 40.0}]
    assert at_rest(parts).position[0, 0, 2] == pytest.approx(-G / 250.0, abs=1e-9)


@pytest.mark.fallback
def test_a_chain_let_go_hangs_down():
    """From level, where its weight has the longest arm, and from nearly upright, far beyond where energy is convex."""
    for points in (level(5), [(0.0, 0.0), *((0.02 * k * k, k) for k in range(1, 6))]):
        found = at_rest(chain(points))
        lengths = [math.dist(a, b) for a, b in pairwise(points)]
        ends = np.cumsum([0.0, *lengths])
        np.testing.assert_allclose(found.position[0, :, 2], -0.5 * (ends[1:] + ends[:-1]), atol=1e-9)
        np.testing.assert_allclose(found.position[0, :, 0], 0.0, atol=1e-7)


def catenary(n: int, span: float) -> np.ndarray:
    """The corners (n + 1, 2) of n rods of a metre that hang between two nails at one height."""
    order = np.arange(n) - 0.5 * (n - 1)

    def rods(pull: float) -> np.ndarray:
        ways = np.stack([np.full(n, pull), order], axis=1)
        return ways / np.linalg.norm(ways, axis=1)[:, None]

    pull = brentq(lambda pull: rods(pull)[:, 0].sum() - span, 1e-3, 1e4, xtol=1e-13)
    return np.vstack([[0.0, 0.0], np.cumsum(rods(pull), axis=0)])


def crumpled(n: int, span: float, axes: int) -> np.ndarray:
    """The corners (n + 1, 3) of n rods of a metre from one nail to the other, all at random, in a plane or in space."""
    ways = np.random.default_rng(n).normal(size=(n, 3))
    ways[:, 1] *= axes - 2
    for _ in range(400):
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        ways += (np.array([span, 0.0, 0.0]) - ways.sum(0)) / n
    return np.vstack([np.zeros(3), np.cumsum(ways, axis=0)])


def beads(corners: np.ndarray, kind: str, nailed: bool) -> dict:
    """Weights half-way between corners, held together by joints at the corners whose axes are as good as any."""
    rng, bodies, joints = np.random.default_rng(3), [], []
    for k, (a, b) in enumerate(pairwise(corners)):
        turn = np.array([1.0, 0.0, 0.0, 0.0]) if kind == "spherical" else across(b - a, rng)
        bodies.append({"name": f"b{k}", "mass": 1.0, "inertia": [0.08] * 3, "position": list(0.5 * (a + b))})
        inner = f"b{k - 1}" if k else None
        place = {"position": list(a), "orientation": list(turn)}
        joints.append({"name": f"j{k}", "type": kind, "parent": inner, "child": f"b{k}", **place})
    if not nailed:
        return {"bodies": bodies, "joints": joints}
    nail = {"name": "nail", "type": "nail", "body": f"b{len(bodies) - 1}", "point": list(corners[-1])}
    return {"bodies": bodies, "joints": joints, "constraints": [nail]}


def across(way: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The orientation of a frame whose axes lie across a way, but for the X axis, by chance about it."""
    x = way / np.linalg.norm(way)
    y = np.cross(x, rng.normal(size=3))
    y /= np.linalg.norm(y)
    return Rotation.from_matrix(np.stack([x, y, np.cross(x, y)], axis=1)).as_quat()[[3, 0, 1, 2]]


@pytest.mark.parametrize(("n", "span"), [(100, 0.5), (300, 0.6), (300, 0.98)])
def test_a_long_crumpled_chain_of_parallel_hinges_hangs_between_its_nails(n, span):
    """A blow at its end would not reach beyond the last few rods: to be closed there it would have to tear."""
    corners = catenary(n, span * n)
    found = at_rest(chain([(x, z) for x, _, z in crumpled(n, span * n, 2)], nailed=True))
    np.testing.assert_allclose(found.position[0][:, [0, 2]], 0.5 * (corners[1:] + corners[:-1]), atol=1e-6)


@pytest.mark.parametrize("error", [0.0, 1e-7])
def test_hinges_whose_frames_are_rolled_are_as_parallel_as_others(error):
    """What the nail asks across their plane moves by rounding alone, or by what a drawing is off (rad)."""
    n, rng = 40, np.random.default_rng(7)
    corners = catenary(n, 0.6 * n)
    parts = chain([(x, z) for x, _, z in crumpled(n, 0.6 * n, 2)], nailed=True)
    for joint in parts["joints"]:
        roll = Rotation.from_rotvec([0.0, 0.0, rng.uniform(-3.0, 3.0)])
        aside = Rotation.from_rotvec(error * rng.normal(size=3))
        joint["orientation"] = np.roll((aside * Rotation.from_quat(np.roll(ABOUT_Y, -1)) * roll).as_quat(), 1).tolist()
    found = at_rest(parts)
    assert any("at rest from 0 s" in note for note in found.notes)
    middles = 0.5 * (corners[1:] + corners[:-1])
    np.testing.assert_allclose(found.position[0][:, [0, 2]], middles, atol=1e-9 + 10.0 * n * error)


@pytest.mark.parametrize("kind", ["spherical", "universal"])
def test_crumpled_chains_in_space_hang_where_those_in_a_plane_do(kind):
    corners = catenary(100, 60.0)
    found = at_rest(beads(crumpled(100, 60.0, 3), kind, nailed=True)).position[0]
    np.testing.assert_allclose(found[:, [0, 2]], 0.5 * (corners[1:] + corners[:-1]), atol=1e-6)
    np.testing.assert_allclose(found[:, 1], 0.0, atol=1e-6)
    free = at_rest(beads(crumpled(100, 10.0, 3), kind, nailed=False)).position[0]
    np.testing.assert_allclose(free, np.outer(-0.5 - np.arange(100), [0.0, 0.0, 1.0]), atol=1e-6)


@pytest.mark.parametrize("seed", [1, 3])
def test_a_chain_on_universal_joints_does_not_tear_between_its_nails(seed):
    """Short steps tear it: what is lightest gives way, a few links near the nail."""
    found = at_rest(settling.chain(200, "universal joints across", True, seed).to_dict()).position[0]
    np.testing.assert_allclose(found, settling.rest(200, True), atol=1e-9)


def test_what_leads_both_ends_of_a_chain_draws_it_taut_and_lets_it_sag():
    """A keyed end moves by many rods in one step."""
    n = 40
    parts = chain([(x, z) for x, z in catenary(n, 0.4 * n)], nailed=True)
    times, spans = [0.0, 0.5, 1.0], [0.4 * n, 0.95 * n, 0.2 * n]
    keys = {"times": times, "positions": [[x, 0.0, 0.0] for x in spans], "orientations": [[1, 0, 0, 0]] * 3}
    parts["bodies"].append({"name": "hand", "motion": "keyed", "keys": keys})
    parts["constraints"][0] |= {"type": "point_to_point", "body_a": f"b{n - 1}", "body_b": "hand"}
    parts["constraints"][0] |= {"point_a": [0.4 * n, 0.0, 0.0], "point_b": [0.4 * n, 0.0, 0.0]}
    del parts["constraints"][0]["body"], parts["constraints"][0]["point"]
    found = at_rest(parts, 1.0, frame_rate=2.0)
    for frame, span in enumerate(spans):
        corners = catenary(n, span)
        middles = 0.5 * (corners[1:] + corners[:-1])
        np.testing.assert_allclose(found.position[frame][:n, [0, 2]], middles, atol=1e-6)


@pytest.mark.parametrize("n", [4, 9, 24])
def test_a_chain_between_two_nails_is_a_catenary_of_rods(n):
    """Beginning as an arch. Rod k slopes as (k - middle) weights to the level pull, by moments about its end."""
    span = 0.7 * n
    corners = catenary(n, span)
    found = at_rest(chain(arch(n, span), nailed=True))
    np.testing.assert_allclose(found.position[0][:, [0, 2]], 0.5 * (corners[1:] + corners[:-1]), atol=1e-6)
    assert np.abs(found.potential_energy[0] - G * 0.5 * (corners[1:, 1] + corners[:-1, 1]).sum()) < 1e-6


def test_sprung_hinges_bend_as_the_least_energy_says():
    n, stiffness = 6, 120.0
    found = at_rest(chain(level(n), stiffness=[stiffness]))

    def energy(slopes: np.ndarray) -> float:
        sines = np.sin(slopes)
        heights = np.cumsum(sines) - 0.5 * sines
        return G * heights.sum() + 0.5 * stiffness * np.sum(np.diff(slopes, prepend=0.0) ** 2)

    slopes = minimize(energy, np.zeros(n), tol=1e-14, options={"gtol": 1e-9}).x
    places = np.cumsum(np.sin(slopes)) - 0.5 * np.sin(slopes)
    np.testing.assert_allclose(found.position[0, :, 2], places, atol=1e-6)


def test_a_four_bar_under_a_spring_stands_where_a_scan_says():
    a, b, c, d = 1.0, 2.0, 1.8, 2.2  # crank, coupler, rocker, ground
    stiffness, rest = 30.0, 0.4

    def corner(turn: float) -> tuple:
        p = np.array([a * math.cos(turn), a * math.sin(turn)])
        way = np.array([d, 0.0]) - p
        far = np.linalg.norm(way)
        along = (b * b - c * c + far * far) / (2.0 * far)
        e = way / far
        return p, p + along * e + math.sqrt(b * b - along * along) * np.array([-e[1], e[0]])

    def energy(turn: float) -> float:
        p, q = corner(turn)
        return G * (0.5 * p[1] + 0.5 * (p[1] + q[1]) + 0.5 * q[1]) + 0.5 * stiffness * (turn - rest) ** 2

    p, q = (tuple(each) for each in corner(1.2))
    parts = {
        "bodies": [rod("crank", (0, 0), p), rod("coupler", p, q), rod("rocker", (d, 0.0), q)],
        "joints": [
            hinge("o", None, "crank", (0, 0), stiffness=[stiffness], rest=[1.2 - rest]),
            hinge("p", "crank", "coupler", p),
            hinge("q", "coupler", "rocker", q),
            hinge("r", None, "rocker", (d, 0)),
        ],
    }
    scan = np.linspace(-0.5, 1.5, 4001)
    first = scan[np.argmin([energy(turn) for turn in scan])]
    least = minimize(lambda t: energy(t[0]), [first], tol=1e-14, options={"gtol": 1e-10}).x[0]
    found = at_rest(parts).position[0, 0]
    assert math.atan2(found[2], found[0]) == pytest.approx(least, abs=1e-6)


@pytest.mark.fallback
def test_limits_hold_what_leans_on_them_and_let_go_what_does_not():
    parts = chain(level(2))
    parts["joints"][0]["limits"] = [[-0.2, 0.2]]
    found = at_rest(parts)
    np.testing.assert_allclose(found.position[0, 0], [0.5 * math.cos(0.2), 0.0, -0.5 * math.sin(0.2)], atol=1e-9)
    assert found.position[0, 1, 0] == pytest.approx(math.cos(0.2), abs=1e-9)  # the second hangs down
    lifted = at_rest(parts | {"gravity": [0.0, 0.0, G]})
    assert lifted.position[0, 0, 2] == pytest.approx(0.5 * math.sin(0.2), abs=1e-9)


@pytest.mark.parametrize("settling", [0.0, 0.3])
def test_damped_adams_comes_to_the_same_pose(settling):
    parts = chain([(0.0, 0.0), (0.8, 0.5), (1.7, 0.2), (2.2, 1.0)], stiffness=[6.0])
    drag = [{"name": f"d{k}", "type": "damping", "body": f"b{k}", "linear": 5.0, "angular": 1.0} for k in range(3)]
    truth = simulate(described(parts | {"forces": drag}), 30.0, 1.0).position[-1]
    np.testing.assert_allclose(at_rest(parts, 20.0, settling=settling, frame_rate=2.0).position[-1], truth, atol=1e-5)


# --- the way there ---


def test_a_pendulum_creeps_down_as_its_closed_form_says():
    """Without inertia q' = -s w^2 sin q, so that tan(q / 2) falls as exp(-s w^2 t); steps are of first order."""
    settling, rate, start = 0.2, 0.2 * G * 0.5 / (1.0 / 3.0), 2.4
    parts = chain([(0.0, 0.0), (math.sin(start), -math.cos(start))])
    errors = []
    for substeps in (20, 40):
        found = at_rest(parts, 1.0, settling=settling, substeps=substeps)
        turn = 2.0 * np.arctan(math.tan(0.5 * start) * np.exp(-rate * found.times))
        errors.append(np.abs(found.position[:, 0, 0] - 0.5 * np.sin(turn)).max())
        speed = 0.5 * rate * np.sin(turn)[5]
        assert np.linalg.norm(found.linear_velocity[5, 0]) == pytest.approx(speed, rel=0.02)
    assert errors[0] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.2)


@pytest.mark.parametrize("settling", [0.0, 0.05, 2.0])
def test_energy_never_rises(settling):
    """Of a crumpled chain on ball joints, in space."""
    rng = np.random.default_rng(5)
    points = np.cumsum(np.vstack([np.zeros(3), rng.normal(size=(20, 3)) * 0.1]), axis=0)
    bodies, joints = [], []
    for k, (a, b) in enumerate(pairwise(points)):
        bodies.append({"name": f"b{k}", "mass": 1.0, "inertia": [1e-3] * 3, "position": list(0.5 * (a + b))})
        inner = f"b{k - 1}" if k else None
        joints.append({"name": f"j{k}", "type": "spherical", "parent": inner, "child": f"b{k}", "position": list(a)})
    found = at_rest({"bodies": bodies, "joints": joints}, 1.0, settling=settling)
    assert np.diff(found.potential_energy).max() <= 1e-9
    assert np.all(found.kinetic_energy == 0.0)


@pytest.mark.fallback
def test_what_hangs_on_a_keyed_body_follows_it_in_balance():
    parts = chain(level(2))
    times = np.linspace(0.0, 1.0, 5)
    keys = {
        "times": list(times),
        "positions": [[2.0 * t, 0.0, t * t] for t in times],
        "orientations": [[1, 0, 0, 0]] * 5,
    }
    parts["bodies"].append({"name": "hand", "motion": "keyed", "keys": keys})
    parts["joints"][0]["parent"] = "hand"
    found = at_rest(parts, 1.0, frame_rate=8.0)
    hand = 2.0 * found.times
    for k in range(2):
        np.testing.assert_allclose(found.position[:, k, 0], hand, atol=1e-8)
    assert found.linear_velocity[3, 0, 0] == pytest.approx(2.0, rel=1e-6)


def test_an_action_is_obeyed_and_a_cut_chain_settles_anew():
    parts = chain(arch(6, 4.0), nailed=True)
    mechanism = described(parts)
    mechanism.actions = [Action(0.5, "nail", {"enabled": False})]
    found = simulate(mechanism, 1.0, integrator="quasi-static", settling=0.0)
    assert found.position[11, :, 0].max() > 2.0
    np.testing.assert_allclose(found.position[-1, :, 0], 0.0, atol=1e-7)


def test_a_live_run_plays_again_to_the_last_bit():
    live = LiveRun(described(chain(level(3))), 24.0, integrator="quasi-static", settling=0.2)
    assert live.advance(6, np.inf)
    hand = live.grab("b2", (2.5, 0.0, -0.2), stiffness=50.0, damping=1.0)
    live.drag(hand, (1.0, 0.2, 0.5))
    while not live.advance(12, 0.0):
        pass
    live.let_go(hand)
    assert live.advance(18, np.inf)
    before, again = live.recording(), simulate(live.mechanism, 0.75, integrator="quasi-static", settling=0.2)
    assert np.array_equal(before.position, again.position)


def notes(parts: dict, duration: float, **options: object) -> str:
    return "\n".join(at_rest(parts, duration, **options).notes)


def test_it_says_since_when_itis_at_rest():
    assert "at rest from" in notes(chain(level(1)), 4.0, settling=0.5)
    assert "not at rest at the end: 'b0' still moves at" in notes(chain(level(1)), 0.2, settling=0.5)
    falling = {"bodies": [rod("b0", (0, 0), (1, 0))]}
    assert "found no equilibrium at 0" in notes(falling, 0.1)
    assert "at rest from" not in notes(falling, 0.0)
    found = at_rest(falling, 1.0, settling=0.1)
    assert found.position[-1, 0, 2] == pytest.approx(-0.981, rel=1e-9)


@pytest.mark.fallback
def test_no_closure_keeps_at_rest_what_forces_move():
    """Whatever it is said to bear: of an arch that hangs, and the same with its first hinge turned by a tenth."""
    (compiled,) = compile_linkages(described(chain([(x, z) for x, z in catenary(4, 2.8)], nailed=True)))
    model, scratch = compiled.model, new_scratch(compiled.model)
    memory = new_quasi_static_memory(model, compiled.state, 0.1, 0.0)
    tolerance = local_tolerance("quasi-static", model, 1e-6, 1e-7)
    for turn, pull, is_there in ((0.0, 0.0, True), (0.0, 1e14, True), (0.1, 0.0, False), (0.1, 1e14, False)):
        state = memory.motion.state
        state.coordinates[:] = compiled.state.coordinates
        state.coordinates[0] += turn
        memory.work.pull[:] = pull
        evaluate_at_rest(model, 0.0, state, scratch, memory.rates)
        assert is_at_rest(model, scratch, memory, tolerance) == is_there


# --- what it is not for ---


FRICTION = {"joints": [hinge("a", None, "b0", (0, 0), friction=[0.5])]}
SPEED = {"joints": [hinge("a", None, "b0", (0, 0), motor={"mode": "speed", "target": 1.0})]}
ROPE = {"type": "distance", "body_a": "b0", "point_a": [1, 0, 0], "point_b": [1, 0, 1], "distance": 1.2, "slack": True}
CATCH = {"type": "point_to_point", "body_a": "b0", "point_a": [1, 0, 0], "point_b": [1, 0, 1], "tau": 0.1}
FOOT = {"type": "support", "body": "b0", "point": [1, 0, 0], "stiffness": 1e3, "damping": 1.0, "friction": 0.5}
KEYS = {"times": [0.0, 1.0], "positions": [[0.5, 0, 0]] * 2, "orientations": [[1, 0, 0, 0]] * 2}


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (FRICTION, "joint 'a': integrator quasi-static cannot do dry friction"),
        (SPEED, "joint 'a': integrator quasi-static cannot do a speed motor"),
        ({"constraints": [{"name": "r", **ROPE}]}, "constraint 'r': .*integrator quasi-static cannot do"),
        ({"constraints": [{"name": "c", **CATCH}]}, "constraint 'c': integrator quasi-static cannot do what is drawn"),
        ({"forces": [{"name": "f", **FOOT}]}, "force 'f': integrator quasi-static cannot do dry friction"),
        (
            {"bodies": [rod("b0", (0, 0), (1, 0), keys=KEYS, follow={"frequency": 2.0})]},
            "body 'b0': integrator quasi-static cannot do what follows",
        ),
        (
            {
                "bodies": [rod("b0", (0, 0), (1, 0), shape={"type": "sphere", "radius": 0.1})],
                "contact": {"enabled": True, "ground": {"height": -1.0}},
            },
            "contact: integrator quasi-static lets bodies",
        ),
    ],
)
def test_it_refuses_by_name(parts, said):
    with pytest.raises(MechanismError, match=said):
        simulate(described({"bodies": [rod("b0", (0, 0), (1, 0))], **parts}), 0.1, integrator="quasi-static")
