# SPDX-License-Identifier: GPL-3.0-or-later
"""Generic joints: against the joints that have the same axes, against the constraint that holds the others, by names.

The same axis of another joint is that of its frame turned, so that runs agree to rounding where nothing jumps, and else
to what the steps, at relative 1e-10, find of the moments.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from solver import Mechanism, MechanismError, evaluate, simulate
from solver.assembly import Assembly
from solver.kinematics import Kinematics
from solver.mechanism import Body, Generic, Joint, JointMotor
from solver.mechanism.joint_types import AXES, TURNS
from solver.model.arrays import COMPOSITE, RECURSIVE
from solver.model.linkage.compilation import compile_linkages
from solver.model.poses import rotation_matrices
from solver.simulation.inspection import inspect
from tests.solver.comparison import turned_apart
from tests.solver.dynamics.derivatives.differences import differentiated, worst_error

FREE = [free for count in range(1, 6) for free in combinations(AXES, count)]
SOME = [("x", "turn y"), ("y", "z", "turn x", "turn z"), ("x", "turn x", "turn y", "turn z"), ("z", "turn x", "turn y")]
PLACE, TURN = (0.1, 0.05, -0.2), tuple(np.array((0.9, 0.3, 0.3, 0.1)) / np.linalg.norm((0.9, 0.3, 0.3, 0.1)))
HALF = np.sqrt(0.5)
TO_Z = {"x": (HALF, 0.0, HALF, 0.0), "y": (HALF, -HALF, 0.0, 0.0), "z": (1.0, 0.0, 0.0, 0.0)}  # z goes to the axis
AXIS_BY_AXIS = pytest.mark.parametrize("axis", AXES)
FINE = {"relative": 1e-10, "absolute": 1e-12}
SAME = 1e-11


def bar(name: str, **given) -> Body:
    return Body(name, mass=1.5, inertia=(0.03, 0.08, 0.09), center_of_mass=(0.4, 0.1, 0.05), **given)


def times(p, q) -> tuple[float, ...]:
    """The product of two quaternions."""
    (a, *u), (b, *v) = p, q
    u, v = np.array(u), np.array(v)
    return (a * b - u @ v, *(a * v + b * u + np.cross(u, v)))


def plain_joint(axis: str, name: str, parent, child: str, place=PLACE, turn=TURN, **given) -> Joint:
    """The hinge or slider that is a generic joint with this free axis."""
    kind = "revolute" if axis in TURNS else "prismatic"
    return Joint(name, kind, parent, child, place, times(turn, TO_Z[axis[-1]]), **given)


def generic_joint(axis: str, name: str, parent, child: str, place=PLACE, turn=TURN, **given) -> Joint:
    return Joint(name, "generic", parent, child, place, turn, free=(axis,), **given)


def in_tree(make, axis: str, **given) -> Mechanism:
    """On a swinging bar, and the other way round: the joint's parent hangs on its child."""
    bodies = [bar("a"), bar("b", position=(0.5, 0.1, 0.0)), bar("c", position=(0.2, 0.4, 0.1))]
    hang = Joint("hang", "spherical", None, "a", (0, 0, 0), speeds=(0.0, 1.0, 0.5))
    joints = [hang, make(axis, "j", "a", "b", **given), make(axis, "k", "c", "b", (0.3, 0.3, 0.1), **given)]
    return Mechanism(bodies=bodies, joints=joints)


def in_loop(make, axis: str, **given) -> Mechanism:
    """Three bars between the world and the world, with three ways to move; the loop is cut at the joint."""
    bodies = [bar("a"), bar("b", position=(0.8, 0.0, 0.0)), bar("c", position=(1.3, 0.6, 0.2))]
    near = Joint("near", "spherical", None, "a", (0, 0, 0))
    ball = Joint("ball", "spherical", "a", "b", (0.8, 0.0, 0.1))
    cross = Joint("cross", "universal", "b", "c", (1.3, 0.6, 0.2), TURN)
    return Mechanism(bodies=bodies, joints=[near, ball, cross, make(axis, "j", None, "c", (1.5, 0.2, 0.0), **given)])


EXERTED = {
    "spring": {"stiffness": 40.0, "rest": 0.1, "damping": 0.5},
    "armature": {"armature": 0.3, "stiffness": 5.0},
    "limits": {"limits": [(-0.05, 0.07)], "bounciness": 0.5},
    "friction": {"friction": 1.5},
    "force": {"motor": JointMotor("force", value=3.0)},
    "speed": {"motor": JointMotor("speed", target=0.5, max_force=40.0)},
    "position": {"motor": JointMotor("position", target=0.2, stiffness=80.0, damping=5.0, max_force=12.0)},
    "keyed": {"motor": JointMotor("keyed", target={"times": [0.0, 0.5, 1.0], "values": [0.0, 0.2, 0.1]})},
}
# where limits, friction or a maximum jump the moments are found to the tolerance of the steps, on both sides anew
MET = {"limits": 2e-8, "friction": 2e-10, "speed": 1e-9}


@pytest.mark.parametrize("exerted", EXERTED)
@pytest.mark.parametrize("where", [in_tree, in_loop])
@AXIS_BY_AXIS
def test_is_the_hinge_or_slider_with_the_same_on_its_axis(axis, where, exerted):
    given = EXERTED[exerted]
    got, expected = (simulate(where(make, axis, **given), 0.4, **FINE) for make in (generic_joint, plain_joint))
    met = MET.get(exerted, SAME)
    assert np.abs(got.position - expected.position).max() < met
    assert turned_apart(got.orientation, expected.orientation).max() < met
    assert np.abs(got.joint_coordinates - expected.joint_coordinates).max() < met
    strongest = np.abs(expected.joint_force).max()
    assert np.abs(got.joint_force - expected.joint_force).max() < 10.0 * met * strongest


@pytest.mark.parametrize("integrator", ["runge-kutta", "implicit", "impulse", "variational"])
@pytest.mark.parametrize("where", [in_tree, in_loop])
@pytest.mark.parametrize("axis", ["y", "turn x", "turn y"])
def test_is_the_same_by_each_integrator(axis, where, integrator):
    given = {"stiffness": 40.0, "rest": 0.1, "damping": 0.5}
    if integrator in ("runge-kutta", "impulse"):
        given |= {"limits": [(-0.05, 0.07)], "friction": 0.3}
    got, expected = (
        simulate(where(make, axis, **given), 0.3, integrator=integrator) for make in (generic_joint, plain_joint)
    )
    assert np.abs(got.position - expected.position).max() < SAME
    assert np.abs(got.joint_coordinates - expected.joint_coordinates).max() < SAME


@pytest.mark.parametrize("free", FREE, ids=" ".join)
def test_holds_as_the_constraint_that_locks_the_others(free):
    """Motion and reactions; the constraint holds by rows, the joint by its axes."""
    bodies = [bar("a", angular_velocity=(0.0, 1.0, 0.5)), bar("b", position=(0.5, 0.1, 0.0))]
    hang = Joint("hang", "spherical", None, "a", (0, 0, 0), speeds=(0.0, 1.0, 0.5))
    bodies[1].linear_velocity = np.cross((0.0, 1.0, 0.5), (0.5, 0.1, 0.0))
    bodies[1].angular_velocity = (0.0, 1.0, 0.5)
    joint = Joint("j", "generic", "a", "b", PLACE, TURN, free=free)
    # of two free turns the constraint's first is z of z and x, the joint's is x: its frames are those of the other side
    is_swapped = [name for name in free if name in TURNS] == ["turn x", "turn z"]
    locked = tuple(name for name in AXES if name not in free)
    held = Generic("g", body_a="b", body_b="a", point_a=PLACE, orientation_b=TURN, locked=locked)
    got = simulate(Mechanism(bodies=bodies, joints=[hang, joint]), 0.4, **FINE)
    if is_swapped:  # the right angle is that of other axes, which no constraint has between travels of its frame
        turns = tuple(name for name in locked if name in TURNS)
        assert turns == ("turn y",)
        return _square_as_drawn(got, free)
    expected = simulate(Mechanism(bodies=bodies, joints=[hang], constraints=[held]), 0.4, **FINE)
    assert np.abs(got.position - expected.position).max() < SAME
    assert turned_apart(got.orientation, expected.orientation).max() < SAME
    strongest = np.abs(expected.constraint_force).max()
    assert np.abs(got.joint_force[:, 1] - expected.constraint_force[:, 0]).max() < SAME * max(strongest, 1.0)
    return None


def _square_as_drawn(got, free) -> None:
    """The parent's x and the child's z stay at a right angle, and the places where they are held."""
    frames = [rotation_matrices(got.orientation[:, k]) @ rotation_matrices(np.array([TURN]))[0] for k in range(2)]
    assert np.abs(np.sum(frames[0][:, :, 0] * frames[1][:, :, 2], axis=1)).max() < 1e-12
    own = rotation_matrices(got.orientation[:, 1]) @ (np.array(PLACE) - (0.5, 0.1, 0.0))
    start = rotation_matrices(got.orientation[:, 0]) @ np.array(PLACE)
    away = np.einsum("fij,fi->fj", frames[0], got.position[:, 1] + own - got.position[:, 0] - start)
    for k, name in enumerate("xyz"):
        assert (np.abs(away[:, k]).max() < 1e-12) == (name not in free)


@pytest.mark.parametrize("free", FREE, ids=" ".join)
def test_counts_its_degrees_of_freedom_and_exerts_nothing_along_them(free):
    mechanism = Mechanism(
        bodies=[bar("a"), bar("b", position=(0.5, 0.1, 0.0))],
        joints=[
            Joint("hang", "spherical", None, "a", (0, 0, 0), speeds=(0.3, 1.0, 0.5)),
            Joint("j", "generic", "a", "b", PLACE, TURN, free=free, speeds=(0.4,) * len(free)),
        ],
    )
    (compiled,) = compile_linkages(mechanism)
    assert len(compiled.model.armature) == 3 + len(free)
    recording = simulate(mechanism, 0.4)
    assert recording.joint_coordinates.shape[1] == 3 + len(free)
    inspection = inspect(mechanism, recording)
    strongest = np.abs(recording.joint_force[:, 1]).max()
    assert np.abs(inspection.joint_transmitted[:, 3:]).max() < 1e-12 * strongest
    start = simulate(mechanism, 0.0)
    assert np.abs(start.joint_speeds[0, 3:] - 0.4).max() < 1e-12
    # coordinates tell where its frames are to each other
    frames = [rotation_matrices(recording.orientation[:, k]) @ rotation_matrices(np.array([TURN]))[0] for k in range(2)]
    there = recording.position[:, 1] + rotation_matrices(recording.orientation[:, 1]) @ (
        np.array(PLACE) - (0.5, 0.1, 0.0)
    )
    here = recording.position[:, 0] + rotation_matrices(recording.orientation[:, 0]) @ np.array(PLACE)
    travel = np.einsum("fij,fi->fj", frames[0], there - here)
    for k, name in enumerate("xyz"):
        q = recording.joint_coordinates[:, 3 + free.index(name)] if name in free else 0.0
        assert np.abs(travel[:, k] - q).max() < 1e-12


@pytest.mark.parametrize("free", [*SOME, ("turn x", "turn z"), ("x", "y", "z", "turn y", "turn z")], ids=" ".join)
def test_coordinates_in_a_loop_and_in_a_tree_are_the_same(free):
    """A body between the world and a loose one: whichever of the two joints the loop is cut at, the motion is one."""
    count = len(free)
    spring = {"stiffness": (30.0,) * count, "damping": (0.3,) * count}
    bodies = [bar("a"), bar("b", position=(0.5, 0.1, 0.0))]
    ball = Joint("ball", "spherical", "a", "b", (0.4, 0.2, 0.0))
    own = Joint("own", "generic", None, "a", PLACE, TURN, free=free, **spring)
    other = Joint("other", "generic", None, "b", (0.9, 0.0, 0.1), free=("x", "y", "turn x", "turn z"))
    joints = [own, ball, other]
    got, expected = (simulate(Mechanism(bodies=bodies, joints=order), 0.4, **FINE) for order in (joints, joints[::-1]))
    assert np.abs(got.position - expected.position).max() < SAME
    first, last = slice(0, count), slice(-count, None)
    assert np.abs(got.joint_coordinates[:, first] - expected.joint_coordinates[:, last]).max() < SAME
    assert np.abs(got.joint_force[:, 0] - expected.joint_force[:, 2]).max() < SAME * np.abs(got.joint_force).max()


@pytest.mark.parametrize("method", ["recursive", "composite", "propagation", "lagrange", "divide"])
@pytest.mark.parametrize("free", SOME, ids=" ".join)
def test_accelerations_are_those_of_each_method(free, method):
    count = len(free)
    mechanism = Mechanism(
        bodies=[bar("a"), bar("b", position=(0.5, 0.1, 0.0)), bar("c", position=(0.9, 0.1, 0.0))],
        joints=[
            Joint("hang", "generic", None, "a", (0, 0, 0), free=("turn x", "turn z"), speeds=(1.0, 0.5)),
            Joint("j", "generic", "a", "b", PLACE, TURN, free=free, coordinates=(0.2,) * count, speeds=(0.4,) * count),
            Joint("k", "generic", "c", "b", (0.7, 0.1, 0.0), free=free, stiffness=(5.0,) * count),
        ],
    )
    got, expected = evaluate(mechanism, method=method), evaluate(mechanism, method="recursive")
    strongest = np.abs(expected.joint_acceleration).max()
    assert np.abs(got.joint_acceleration - expected.joint_acceleration).max() < 1e-9 * strongest
    assert np.abs(got.joint_force - expected.joint_force).max() < 1e-9 * np.abs(expected.joint_force).max()


@pytest.mark.parametrize("method", [RECURSIVE, COMPOSITE])
@pytest.mark.parametrize("free", SOME, ids=" ".join)
def test_derivatives_are_those_of_differences(free, method):
    count = len(free)
    spring = {"stiffness": (30.0,) * count, "damping": (0.3,) * count}
    mechanism = Mechanism(
        bodies=[bar("a"), bar("b", position=(0.5, 0.1, 0.0)), bar("c", position=(0.9, 0.1, 0.0))],
        joints=[
            Joint("hang", "universal", None, "a", (0, 0, 0)),
            Joint("j", "generic", "a", "b", PLACE, TURN, free=free, **spring),
            Joint("k", "generic", "c", "b", (0.7, 0.1, 0.0), free=free),
        ],
    )
    (case,) = differentiated(mechanism, method)
    assert worst_error(case) < 1e-8


def test_springs_keep_their_energy():
    count = 4
    joint = Joint("j", "generic", None, "a", PLACE, TURN, free=("x", "turn x", "turn y", "turn z"))
    joint = replace(joint, stiffness=(30.0, 5.0, 6.0, 7.0), rest=(0.1, 0.2, -0.1, 0.3), speeds=(0.5,) * count)
    mechanism = Mechanism(bodies=[bar("a")], joints=[joint])
    recording = simulate(mechanism, 2.0, **FINE)
    total = recording.kinetic_energy + recording.potential_energy
    assert np.ptp(total) < 1e-10
    assert np.ptp(recording.kinetic_energy) > 1.0


def test_each_axis_has_what_it_is_given():
    """x is held by a servo, y keyed, z within limits, a turn driven at its speed: each in one joint."""
    curve = {"times": [0.0, 0.5, 1.0], "values": [0.0, 0.3, 0.1]}
    joint = Joint("j", "generic", None, "a", (0, 0, 0), free=("x", "y", "z", "turn z"))
    joint = replace(
        joint,
        limits=(None, None, (-0.2, 0.2), None),
        motor=(
            JointMotor("position", target=0.25, stiffness=4e3, damping=150.0),
            JointMotor("keyed", target=curve),
            None,
            JointMotor("speed", target=2.0),
        ),
    )
    # steps with impulses lead a slider and a hinge with the same motors, on three carriages, to 6e-6 too
    for integrator, kept in (("adams", 1e-6), ("runge-kutta", 1e-6), ("impulse", 2e-5)):
        got = simulate(Mechanism(bodies=[bar("a")], joints=[joint]), 2.0, integrator=integrator)
        x, y, z, _ = got.joint_coordinates.T
        assert abs(x[-1] - 0.25) < 0.01, integrator
        assert abs(y[-1] - 0.1) < 1e-9, integrator
        assert abs(np.interp(0.5, got.times, y) - 0.3) < 1e-4, integrator
        assert abs(z[-1] + 0.2) < 1e-4, integrator  # steps with impulses stop where they end
        assert z.min() > -0.2 - 1e-4, integrator
        assert np.abs(got.joint_speeds[1:, 3] - 2.0).max() < kept, integrator


@pytest.mark.parametrize(
    ("integrator", "close"), [("adams", 1e-7), ("runge-kutta", 1e-7), ("implicit", 1e-6), ("impulse", 2e-2)]
)
def test_each_axis_goes_as_its_closed_form(integrator, close):
    """A damped spring along x, dry friction along y, and along z a fall on a limit that throws back."""
    joint = Joint("j", "generic", None, "a", (0, 0, 0), free=("x", "y", "z"), speeds=(1.0, 0.8, 0.0))
    joint = replace(joint, stiffness=(30.0, 0.0, 0.0), damping=(0.6, 0.0, 0.0), friction=(0.0, 3.0, 0.0))
    joint = replace(joint, limits=(None, None, (-0.5, None)), bounciness=(0.0, 0.0, 0.6))
    mass = bar("a").mass
    got = simulate(Mechanism(bodies=[bar("a")], joints=[joint]), 0.6, 100.0, integrator=integrator)
    t, (x, y, z) = got.times, got.joint_coordinates.T
    decay, pace = 0.3 / mass, np.sqrt(30.0 / mass - (0.3 / mass) ** 2)
    assert np.abs(x - np.exp(-decay * t) * np.sin(pace * t) / pace).max() < close
    slid = np.minimum(t, 0.8 * mass / 3.0)
    assert np.abs(y - (0.8 * slid - 1.5 / mass * slid**2)).max() < close
    g, met = 9.81, np.sqrt(1.0 / 9.81)
    after = np.maximum(t - met, 0.0)
    fallen = np.where(t < met, -0.5 * g * t**2, -0.5 + 0.6 * g * met * after - 0.5 * g * after**2)
    assert np.abs(z - fallen).max() < close


def test_a_motor_of_one_axis_is_set_by_an_action():
    joint = Joint("j", "generic", None, "a", (0, 0, 0), free=("x", "turn z"), damping=(0.1, 0.1))
    motors = [{"mode": "force", "value": 3.0}, None]
    actions = [{"time": 0.5, "target": "j", "set": {"motor": motors}}]
    parts = {"bodies": [bar("a").to_dict()], "joints": [joint.to_dict()], "actions": actions}
    given = {"format": "ves-mechanism", "version": 1, "gravity": [0, 0, 0], **parts}
    mechanism = Mechanism.from_dict(given)
    assert Mechanism.from_dict(mechanism.to_dict()).to_dict() == mechanism.to_dict()
    got = simulate(mechanism, 1.0)
    assert np.abs(got.joint_coordinates[got.times <= 0.5]).max() == 0.0
    assert got.joint_speeds[-1, 0] > 0.5


@pytest.mark.parametrize("free", FREE, ids=" ".join)
def test_is_brought_together_within_its_limits(free):
    """Its other side stands off in all six; what is locked closes, what is free stays within its limits."""
    count = len(free)
    joint = Joint("j", "generic", None, "a", PLACE, TURN, free=free, limits=((-0.1, 0.1),) * count)
    other = np.array((0.98, 0.1, -0.08, 0.15))
    stands = tuple(np.array(PLACE) + (0.3, 0.2, -0.1)), times(tuple(other / np.linalg.norm(other)), TURN)
    assembly = Assembly(Mechanism(bodies=[bar("a")], joints=[joint]), {"j": stands})
    for _ in assembly.run():
        pass
    assert not assembly.open
    got = simulate(assembly.mechanism, 0.0)
    assert got.joint_coordinates[0] == pytest.approx(np.zeros(count), abs=1e-9)  # Snap Together stops 1e-10 inside
    low, high = np.array(assembly.mechanism.joints[0].limits).T
    assert (low < 1e-9).all()
    assert (high > -1e-9).all()
    assert np.abs(high - low - 0.2).max() < 1e-9 or [name for name in free if name in TURNS] == list(TURNS)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "free is missing"),
        ({"free": []}, "with all six locked it is a fixed joint"),
        ({"free": list(AXES)}, "must leave an axis locked"),
        ({"free": ["turn x", "x"]}, "in the order x, y, z, turn x"),
        ({"free": ["x", "x"]}, "must name each axis once"),
        ({"free": ["w"]}, "must be one of x, y, z, turn x"),
        ({"free": ["x"], "type": "revolute"}, "belongs to a generic joint"),
        ({"free": ["x", "y"], "stiffness": [1.0]}, "must have 2"),
        ({"free": ["x"], "stiffness": [-1.0]}, "must be at least 0"),
        ({"free": ["x"], "limits": [[1.0, 0.0]]}, "lower below upper"),
        ({"free": ["x", "y"], "motor": [None]}, "must have 2"),
        ({"free": ["x"], "motor": [{"mode": "speed"}]}, "target is missing"),
        ({"free": ["x"], "motor": [{"mode": "speed", "target": [1.0]}]}, "must be one number or table"),
        ({"free": ["x", *TURNS], "bounciness": [0, 0, 0, 0.5]}, "three free turns"),
        ({"free": ["x", *TURNS], "motor": [None, None, None, {"mode": "keyed", "target": 0.1}]}, "must not be keyed"),
        ({"free": ["x"], "motor": [{"mode": "keyed", "target": 0.5}], "limits": [[0, 0.1]]}, "leads past a limit"),
    ],
)
def test_what_cannot_be_is_said_by_name(given, said):
    joint = {"name": "j", "type": "generic", "parent": None, "child": "a", "position": [0, 0, 0], **given}
    mechanism = {"format": "ves-mechanism", "version": 1, "bodies": [bar("a").to_dict()], "joints": [joint]}
    with pytest.raises(MechanismError, match=said) as refused:
        Mechanism.from_dict(mechanism)
    assert "joint 'j'" in str(refused.value)


def test_gears_refuse_it_by_name():
    joints = [
        Joint("j", "generic", None, "a", (0, 0, 0), free=("turn z",)),
        Joint("k", "revolute", None, "b", (0, 0, 0)),
    ]
    gear = {"type": "gear", "name": "g", "joint_a": "j", "joint_b": "k", "ratio": 1.0}
    mechanism = Mechanism(bodies=[bar("a"), bar("b")], joints=joints).to_dict() | {"constraints": [gear]}
    with pytest.raises(MechanismError, match="but 'j' is generic"):
        Mechanism.from_dict(mechanism)


@pytest.mark.parametrize(
    "given",
    [
        {"limits": [(-0.1, 0.1), None]},
        {"friction": (0.0, 1.0)},
        {"motor": (None, JointMotor("speed", target=1.0, max_force=5.0))},
    ],
    ids=["limits", "friction", "motor"],
)
def test_variational_does_with_its_axes_as_adams_does(given):
    joint = Joint("j", "generic", None, "a", (0, 0, 0), free=("x", "turn y"), **given)
    mechanism = Mechanism(bodies=[bar("a")], joints=[joint], gravity=(2.0, 0.0, -9.81))
    found, other = (simulate(mechanism, 0.5, integrator=name) for name in ("adams", "variational"))
    assert other.joint_coordinates == pytest.approx(found.joint_coordinates, abs=2e-3)


def test_divide_names_what_is_keyed():
    motors = (None, JointMotor("keyed", target=0.0))
    joint = Joint("j", "generic", None, "a", (0, 0, 0), free=("x", "turn y"), motor=motors)
    with pytest.raises(MechanismError, match="'j'"):
        simulate(Mechanism(bodies=[bar("a")], joints=[joint]), 0.1, method="divide")


def four_bar(make) -> Mechanism:
    """A crank, a rod and a rocker in the XZ plane."""
    places = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.3), (1.0, 0.0, 0.6), (1.0, 0.0, 0.0))
    middles = np.add(places[:-1], places[1:]) / 2.0
    bars = [Body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=middles[k]) for k, name in enumerate("abc")]
    ends = ((None, "a"), ("a", "b"), ("b", "c"), (None, "c"))
    joints = [make("turn y", f"j{k}", *ends[k], places[k], (1.0, 0.0, 0.0, 0.0)) for k in range(4)]
    return Mechanism(bodies=bars, joints=joints)


def test_one_with_one_axis_drives_a_live_linkage():
    found = []
    for make in (generic_joint, plain_joint):
        kinematics = Kinematics(four_bar(make), ["j0"])
        assert all(kinematics.lead([angle]).reached == 1.0 for angle in (0.3, 0.9, 1.5))
        found.append(kinematics.poses())
    for got, expected in zip(*found, strict=True):
        assert np.abs(np.subtract(got, expected)).max() < 1e-12
