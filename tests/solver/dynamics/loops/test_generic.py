# SPDX-License-Identifier: GPL-3.0-or-later
"""The generic constraint: against joints, beads and paths that hold the same axes, and against closed forms.

Tolerances as in `test_constraints`: runs at relative 1e-9 are held to 1e-7, constraints to 1e-8.
"""

from itertools import combinations

import numpy as np
import pytest

from solver import Mechanism, MechanismError, assemble, simulate
from solver.mechanism import Action, Body, Curve, Generic, Joint, JointMotor, Motor, Path
from solver.mechanism.constraints import AXES, TRAVELS, TURNS
from solver.mechanism.doubts import doubts_about
from solver.model.linkage.compilation import compile_linkages
from solver.model.poses import rotation_matrices
from solver.simulation.contradictions import find_speeds
from tests.solver.comparison import turned_apart
from tests.solver.dynamics.loops.test_constraints import FINE, HELD, MOVES, all_methods, bar, bead, run

PLACE, TURN = (0.1, 0.05, -0.2), (0.9, 0.3, 0.3, 0.1)
JOINTS = {
    "revolute": ("x", "y", "z", "turn x", "turn y"),
    "prismatic": ("x", "y", "turn x", "turn y", "turn z"),
    "cylindrical": ("x", "y", "turn x", "turn y"),
    "universal": ("x", "y", "z", "turn z"),
    "spherical": TRAVELS,
    "planar": ("z", "turn x", "turn y"),
}
MASKS = [mask for count in range(1, 7) for mask in combinations(AXES, count)]


def generic(locked, **given) -> Generic:
    return Generic("g", **{"body_a": "bar", "point_a": PLACE, "orientation_b": TURN, "locked": locked, **given})


def seen(vectors: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Vectors (F, 3) of the world along the axes of frames (F, 3, 3)."""
    return np.einsum("fij,fi->fj", turn, vectors)


@all_methods
@pytest.mark.parametrize("kind", JOINTS)
def test_moves_and_pushes_as_the_joint_that_holds_the_same(kind, method):
    """Between two bodies, the first of which hangs on a ball: motion and reactions, its moment about the same point."""
    bodies = [bar("base", angular_velocity=(0.0, 1.0, 0.5)), bar(position=(0.5, 0.1, 0.0))]
    hang = Joint("hang", "spherical", None, "base", (0, 0, 0), speeds=(0.0, 1.0, 0.5))
    bodies[1].linear_velocity = np.cross((0.0, 1.0, 0.5), (0.5, 0.1, 0.0))
    bodies[1].angular_velocity = (0.0, 1.0, 0.5)
    joint = Joint("j", kind, "base", "bar", PLACE, TURN)
    held = Mechanism(bodies=bodies, joints=[hang], constraints=[generic(JOINTS[kind], body_b="base")])
    got, expected = run(held, 0.5, method), run(Mechanism(bodies=bodies, joints=[hang, joint]), 0.5)
    assert np.abs(got.position - expected.position).max() < MOVES
    assert turned_apart(got.orientation, expected.orientation).max() < 3 * MOVES
    strongest = np.abs(expected.joint_force).max()
    assert np.abs(got.constraint_force[:, 0] - expected.joint_force[:, 1]).max() < 1e-5 * strongest


@pytest.mark.parametrize("locked", MASKS, ids=" ".join)
def test_takes_as_many_degrees_of_freedom_as_it_locks(locked):
    """Independent rows by the rank of their rates, in a pose away from that where its frames are one."""
    turn = np.array([0.96, 0.1, -0.2, 0.15])
    body = bar(position=(0.2, 0.1, 0.3), orientation=turn / np.linalg.norm(turn))
    (compiled,) = compile_linkages(Mechanism(bodies=[body], constraints=[generic(locked, orientation_a=(1, 0, 0, 0))]))
    speeds = find_speeds(compiled.model, 0.0, compiled.state, compiled.model.closures.curve_first)
    assert speeds.rows.shape == (len(locked), 6)
    assert np.linalg.matrix_rank(speeds.rows, tol=0.05) == len(locked)


@pytest.mark.parametrize("locked", [("z",), ("x", "y"), ("turn x", "turn y"), TURNS, ("y", "turn y"), ("turn x",)])
def test_pushes_along_no_free_axis(locked):
    """Along the axes of the frame that it is held to, which turns; a single locked turn pushes along no travel."""
    base = bar("base", angular_velocity=(0.5, 1.0, 2.0))
    other = bar(position=(0.5, 0.1, 0.0), linear_velocity=(0.0, 0.3, 0.2), angular_velocity=(0.3, -1.0, 0.8))
    jet = Motor("jet", body="bar", point=(0.3, 0.2, 0.1), force=(2.0, -1.0, 3.0), torque=(0.2, 0.3, -0.4))
    got = run(Mechanism(bodies=[base, other], constraints=[generic(locked, body_b="base")], forces=[jet]), 0.5)
    frames = rotation_matrices(got.orientation[:, 0]) @ rotation_matrices(np.array([TURN]))[0]
    force, moment = seen(got.constraint_force[:, 0, :3], frames), seen(got.constraint_force[:, 0, 3:], frames)
    free = [k for k, name in enumerate(TRAVELS) if name not in locked]
    assert np.abs(force[:, free]).max(initial=0.0) < 1e-12
    turns = [k for k, name in enumerate(TURNS) if name in locked]
    if len(turns) == 2:
        own = rotation_matrices(got.orientation[:, 1]) @ rotation_matrices(np.array([TURN]))[0]
        axis = next(k for k in range(3) if k not in turns)
        assert np.abs(np.einsum("fi,fi->f", own[:, :, axis], got.constraint_force[:, 0, 3:])).max() < 1e-12
    elif not turns:
        assert np.abs(moment).max() < 1e-12
    assert np.abs(got.constraint_force).max() > 0.01


@all_methods
def test_point_on_a_line_is_a_bead_on_a_straight_wire(method):
    """The wire's rows are others: normals to a spline's tangent."""
    half = np.array([np.cos(0.4), 0.0, np.sin(0.4), 0.0])
    along = rotation_matrices(half[None])[0][:, 0]
    body = bar(angular_velocity=(2.0, -1.0, 3.0), linear_velocity=(0.0, 0.0, 0.0))
    line = generic(("y", "z"), orientation_b=half, point_a=(0, 0, 0))
    wire = Curve("w", body="bar", point=(0, 0, 0), points=[tuple(s * along) for s in (-20.0, 0.0, 20.0)])
    got = run(Mechanism(bodies=[body], constraints=[line]), 0.6, method)
    expected = run(Mechanism(bodies=[body], constraints=[wire]), 0.6)
    assert np.abs(got.position - expected.position).max() < MOVES
    strongest = np.abs(expected.constraint_force).max()
    assert np.abs(got.constraint_force - expected.constraint_force).max() < 1e-6 * strongest


@all_methods
def test_pin_in_a_slot_of_a_swinging_lever_is_a_quick_return(method):
    """A crank that turns steadily drives a lever by a pin in its slot: tan(lever) = r sin / (d + r cos).

    The crank's torque is what speeds the lever up, by virtual work; the pin pushes across the slot only.
    """
    rate, radius, apart, inertia = 3.0, 0.4, 1.0, 0.3
    crank = Body("crank", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(apart, 0, 0))
    lever = Body("lever", mass=1.0, inertia=(0.2, 0.2, inertia))
    motor = JointMotor("speed", target=rate)
    joints = [
        Joint("axle", "revolute", None, "crank", (apart, 0, 0), speeds=(rate,), motor=motor),
        Joint("pivot", "revolute", None, "lever", (0, 0, 0), speeds=(rate * radius / (apart + radius),)),
    ]
    pin = (apart + radius, 0, 0)
    slot = Generic("slot", body_a="crank", body_b="lever", point_a=pin, point_b=(0, 0, 0), locked=("y",))
    got = run(Mechanism(bodies=[crank, lever], joints=joints, constraints=[slot]), 2.0, method)
    turned = rate * got.times
    pin_at = apart + radius * np.exp(1j * turned)
    angle, slope = np.unwrap(np.angle(pin_at)), (1j * radius * np.exp(1j * turned) / pin_at).imag
    assert np.abs(got.joint_coordinates[:, 1] - angle).max() < MOVES
    assert np.abs(got.joint_speeds[:, 1] - rate * slope).max() < 10 * MOVES
    bend = (1j * (1j * radius * np.exp(1j * turned) / pin_at) * (1.0 - radius * np.exp(1j * turned) / pin_at)).imag
    push = inertia * rate**2 * bend / np.abs(pin_at)
    across = np.stack([-np.sin(angle), np.cos(angle), 0 * angle], axis=1)
    assert np.abs(got.constraint_force[:, 0, :3] + push[:, None] * across).max() < 1e-5 * np.abs(push).max()


def test_point_in_a_plane_falls_along_its_slope():
    """Without friction: the weight's part along the slope; the plane bears the other part."""
    slope = 0.5
    tilt = (np.cos(0.5 * slope), np.sin(0.5 * slope), 0.0, 0.0)
    plane = Generic("g", body_a="bead", point_a=(0, 0, 0), orientation_b=tilt, locked=("z",))
    got = run(Mechanism(bodies=[bead(linear_velocity=(0.7, 0, 0))], constraints=[plane]), 1.0)
    down = -9.81 * np.sin(slope) * np.array([0.0, np.cos(slope), np.sin(slope)])
    t = got.times[:, None]
    assert np.abs(got.position[:, 0] - (0.7 * t * [1, 0, 0] + 0.5 * t**2 * down)).max() < MOVES
    bears = 2.0 * 9.81 * np.cos(slope) * np.array([0.0, -np.sin(slope), np.cos(slope)])
    assert np.abs(got.constraint_force[:, 0, :3] - bears).max() < 1e-9


def spinning(rate: float, until: float) -> dict:
    """A frame that turns steadily about z."""
    times = np.linspace(0.0, until, 201)
    half = 0.5 * rate * times
    return {"times": times, "orientations": np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], axis=1)}


@all_methods
def test_bead_in_a_turning_tube_flies_outwards(method):
    """Motion prescribed across the tube, free along it: r = r0 cosh(w t), and the push is Coriolis', 2 m w r'."""
    rate, start = 2.0, 0.3
    tube = Generic("g", body_a="bead", point_a=(start, 0, 0), point_b=(0, 0, 0), locked=("y", "z"), **spinning(rate, 1))
    body = bead(position=(start, 0, 0), linear_velocity=(0, rate * start, 0))
    got = run(Mechanism(gravity=(0, 0, 0), bodies=[body], constraints=[tube]), 1.0, method)
    angle = rate * got.times
    r = start * np.cosh(angle)
    assert np.abs(got.position[:, 0, 0] - r * np.cos(angle)).max() < 10 * MOVES
    assert np.abs(got.position[:, 0, 1] - r * np.sin(angle)).max() < 10 * MOVES
    push = 2.0 * 2.0 * rate * start * rate * np.sinh(angle)
    across = np.stack([-np.sin(angle), np.cos(angle), 0 * angle], axis=1)
    force = np.einsum("fi,fi->f", got.constraint_force[:, 0, :3], across)
    assert np.abs(force - push).max() < 1e-4 * push.max()


def test_orientation_led_alone_leaves_the_flight_of_the_point():
    """Led about the centre of mass, which falls as a thrown stone."""
    body = bead(linear_velocity=(1, 0, 3), angular_velocity=(0, 0, 2.0))
    lead = Generic("g", body_a="bead", point_a=(0, 0, 0), locked=TURNS, **spinning(2.0, 1.0))
    got = run(Mechanism(bodies=[body], constraints=[lead]), 1.0)
    t = got.times[:, None]
    assert np.abs(got.position[:, 0] - (t * [1, 0, 3] - 0.5 * 9.81 * t**2 * [0, 0, 1])).max() < MOVES
    half = got.times
    led = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], axis=1)
    assert turned_apart(got.orientation[:, 0], led).max() < MOVES
    assert np.abs(got.constraint_force[:, 0, :3]).max() == 0.0


def test_all_locked_and_led_is_a_path_with_orientations():
    course = spinning(1.0, 1.0) | {"positions": [(0.1 * t * t, 0, t**3) for t in np.linspace(0, 1, 201)]}
    path = Path("p", body="bar", point=(0, 0, 0), **course)
    led = Generic("p", body_a="bar", point_a=(0, 0, 0), locked=AXES, **course)
    body = bar(angular_velocity=(0, 0, 1.0))
    got, expected = (run(Mechanism(bodies=[body], constraints=[each]), 0.8) for each in (led, path))
    assert np.array_equal(got.position, expected.position)
    assert np.array_equal(got.constraint_force, expected.constraint_force)


@pytest.mark.parametrize(
    ("integrator", "options", "near"),
    [("implicit", {}, 1e-5), ("impulse", {"substeps": 100}, 2e-3), ("variational", {"substeps": 100}, 1e-4)],
)
@pytest.mark.parametrize("locked", [("z",), ("x", "z"), ("turn x", "turn y"), ("x", "y", "turn z")], ids=" ".join)
def test_integrators_agree(locked, integrator, options, near):
    """With Adams'; impulse steps are of first order, those of the variational scheme of second."""
    base = bar("base", angular_velocity=(0.2, 0.5, 1.0))
    other = bar(position=(0.5, 0.1, 0.0), angular_velocity=(0.3, -0.5, 0.8))
    mechanism = Mechanism(bodies=[base, other], constraints=[generic(locked, body_b="base")])
    expected = simulate(mechanism, 0.5, 20.0, relative=FINE)
    got = simulate(mechanism, 0.5, 20.0, integrator=integrator, **options)
    assert got.constraint_error.max() < 1e-7
    assert np.abs(got.position - expected.position).max() < near
    assert turned_apart(got.orientation, expected.orientation).max() < 5 * near


@pytest.mark.parametrize("integrator", ["adams", "impulse", "implicit"])
@pytest.mark.parametrize("locked", [("z",), ("x", "turn z"), ("turn x", "turn y"), JOINTS["revolute"]], ids=" ".join)
def test_enabled_while_apart_it_is_drawn_together(locked, integrator):
    """From 0.3 m and some 50 degrees: critically damped, (1 + t/tau) exp(-t/tau) of each gap is left."""
    tau, begun = 0.05, 0.1
    part = generic(locked, point_a=(0, 0, 0), point_b=PLACE, orientation_a=(1, 0, 0, 0), enabled=False, tau=tau)
    mechanism = Mechanism(gravity=(0, 0, 0), bodies=[bar()], constraints=[part])
    mechanism.actions = [Action(begun, "g", {"enabled": True})]
    got = simulate(mechanism, 2.2, 40.0, integrator=integrator)
    axes = rotation_matrices(np.array([TURN]))[0]
    rows = [k for k, name in enumerate(TRAVELS) if name in locked]
    gap = (got.position[:, 0] - PLACE) @ axes[:, rows]
    s = np.maximum(got.times - begun, 0.0) / tau
    assert np.abs(gap - gap[0] * ((1.0 + s) * np.exp(-s))[:, None]).max(initial=0.0) < 1e-6
    assert np.abs(gap[-1]).max(initial=0.0) < HELD
    own = rotation_matrices(got.orientation[-1:, 0])[0]
    if "turn x" in locked:
        assert np.abs(axes[:, :2].T @ own[:, 2]).max() < HELD
    elif "turn z" in locked:
        assert abs(axes[:, 0] @ own[:, 1]) < HELD


def test_an_action_frees_an_axis_and_locks_it_again():
    """A bead on a level line goes on in the plane when y is freed, and comes back to the line on a damped course."""
    line = Generic("g", body_a="bead", point_a=(0, 0, 0), locked=("y", "z"), tau=0.02)
    mechanism = Mechanism(bodies=[bead(linear_velocity=(1.0, 0, 0))], constraints=[line])
    mechanism.gravity = (0.0, -2.0, -9.81)
    mechanism.actions = [Action(0.5, "g", {"locked": ["z"]}), Action(1.0, "g", {"locked": ["y", "z"]})]
    got = simulate(mechanism, 2.0, 20.0, relative=FINE)
    free = (got.times > 0.5) & (got.times < 1.0)
    fallen = -((got.times[free] - 0.5) ** 2)
    assert np.abs(got.position[free, 0, 1] - fallen).max() < MOVES
    assert np.abs(got.position[:, 0, 2]).max() < HELD
    assert abs(got.position[-1, 0, 1]) < HELD
    assert np.abs(got.position[:, 0, 0] - got.times).max() < MOVES


@pytest.mark.parametrize("locked", MASKS[::4], ids=" ".join)
def test_assembly_brings_both_sides_together(locked):
    """And describes it anew: the assembled mechanism starts, and leaves what is free as it was assembled."""
    part = generic(locked, body_b="b", point_b=(0.3, 0.2, 0.5), orientation_a=(0.5, 0.5, -0.5, 0.5))
    apart = Mechanism(bodies=[bar(), bar("b", position=(0.2, 0.2, 0.2))], constraints=[part])
    with pytest.raises(MechanismError, match="at the start"):
        simulate(apart, 0.0)
    got = simulate(assemble(apart), 0.05, 20.0, relative=FINE)
    assert got.constraint_error.max() < HELD


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"locked": ()}, "locked must name an axis: with all six free it holds nothing"),
        ({"locked": ("x", "x")}, r"locked\[1\] repeats x"),
        ({"locked": ("w",)}, "must be one of x, y, z, turn x"),
        ({"times": (0.0, 1.0)}, "times needs positions or orientations"),
        ({"positions": ((0, 0, 0),)}, "positions needs times"),
        ({"times": (0.0,), "positions": ((0, 0, 0), (1, 0, 0))}, "must have 1 entry, one per time, has 2"),
        ({"times": (0.0,), "positions": ((0, 0, 0),), "body_b": "b"}, "leave out body_b"),
        ({"body_b": "bar"}, "joins a body to itself"),
        ({"body_b": "nobody"}, "nobody"),
        ({"within": 0.1}, "within has no meaning"),
        ({"body_a": "still"}, "there is nothing to hold"),
    ],
)
def test_refused(given, words):
    bodies = [bar(), bar("b"), Body("still", motion="fixed")]
    with pytest.raises(MechanismError, match=words):
        simulate(Mechanism(bodies=bodies, constraints=[generic(**{"locked": ("x",), **given})]), 0.0)


def test_all_six_locked_is_a_doubt_unless_it_is_led():
    still, led = generic(AXES), generic(AXES, times=(0.0,), positions=(PLACE,))
    notes = [doubts_about(Mechanism(bodies=[bar()], constraints=[each])) for each in (still, led)]
    assert ["all six of its axes are locked" in str(note) for note in notes[0]] == [True]
    assert notes[1] == []
