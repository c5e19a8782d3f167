# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that follow their keys: responses against the closed form, lag, exactness, and what is refused."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from solver import Mechanism, simulate
from solver.mechanism import Body, Follow, Joint, JointMotor, Keys, Sphere, Table

FINGER, THIGH = (0.08, 0.02), (0.45, 9.0)  # m and kg
ALONG_Y = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)


def swinging(bone, kind="revolute", amplitude=0.0, offset=0.0, touches=False, gravity=-9.81, **follow):
    """A bone on a joint in the world, whose animation swings 1.5 times a second; it begins `offset` (rad) beside it."""
    (length, mass), t = bone, np.arange(49) / 48.0
    angle = 0.5 * amplitude * np.sin(3.0 * np.pi * t)
    orientations = np.column_stack([np.cos(angle), 0.0 * t, np.sin(angle), 0.0 * t])
    moment = mass * length**2 / 12.0
    body = Body(
        name="bone",
        mass=mass,
        inertia=(0.02 * moment, moment, moment),
        center_of_mass=(0.5 * length, 0.0, 0.0),
        keys=Keys(t.tolist(), np.zeros((49, 3)), orientations),
        follow=Follow(**follow),
    )
    if touches:
        body.shape = Sphere(radius=0.1 * length)
    joint = Joint(name="joint", type=kind, parent=None, child="bone", position=(0.0, 0.0, 0.0))
    swing = 3.0 * np.pi * amplitude
    if kind == "revolute":
        joint.orientation, joint.coordinates, joint.speeds = ALONG_Y, (offset,), (swing,)
    else:
        joint.coordinates, joint.speeds = (0.0, offset, 0.0), (0.0, swing, 0.0)
    mechanism = Mechanism(bodies=[body], joints=[joint], gravity=(0.0, 0.0, gravity))
    if touches:
        mechanism.contact = {"enabled": True, "ground": {"height": -9.0}}
    return mechanism


def angles(mechanism: Mechanism, **options) -> tuple[np.ndarray, np.ndarray]:
    """Times and angles about Y."""
    recording = simulate(mechanism, duration=1.0, **options)
    return recording.times, recording.joint_coordinates[:, 0 if recording.joint_coordinates.shape[1] == 1 else 1]


@pytest.mark.parametrize("bone", [FINGER, THIGH], ids=["finger", "thigh"])
@pytest.mark.parametrize("kind", ["revolute", "spherical"])
@pytest.mark.parametrize(("frequency", "ratio"), [(0.5, 0.2), (3.0, 0.3), (20.0, 0.7)])
def test_one_number_means_the_same_for_each_bone(bone, kind, frequency, ratio):
    t, found = angles(swinging(bone, kind, offset=0.2, gravity=0.0, frequency=frequency, damping_ratio=ratio))
    w, damped = 2.0 * np.pi * frequency, 2.0 * np.pi * frequency * np.sqrt(1.0 - ratio**2)
    closed = np.exp(-ratio * w * t) * (np.cos(damped * t) + ratio * w / damped * np.sin(damped * t))
    assert np.abs(found - 0.2 * closed).max() < 1e-5 * 0.2


@pytest.mark.parametrize("touches", [False, True], ids=["smooth", "impulses"])
@pytest.mark.parametrize("kind", ["revolute", "spherical"])
@pytest.mark.parametrize("frequency", [0.1, 20.0, 1000.0])
def test_feed_forward_does_not_lag(touches, kind, frequency):
    t, found = angles(swinging(THIGH, kind, 0.5, touches=touches, frequency=frequency))
    assert np.abs(found - 0.5 * np.sin(3.0 * np.pi * t)).max() < 1e-3 * 0.5


def along_and_about(free: tuple[str, ...], gain: float, **follow) -> tuple[Mechanism, np.ndarray]:
    """A block on a generic joint that is keyed along and about its free axes, with springs and dampers there.

    With it (T, D) its keyed coordinates at the frames of one second.
    """

    def waves(t):
        return [(0.1 if name in "xyz" else 0.4) * np.sin((3.0 + k) * t) for k, name in enumerate(free)]

    t = np.arange(193) / 192.0
    q = dict(zip(free, waves(t), strict=True))
    turns = np.tile((1.0, 0.0, 0.0, 0.0), (len(t), 1))
    for axis, name in enumerate(("turn x", "turn y", "turn z")):
        half = 0.5 * q.get(name, 0.0 * t)
        own = np.zeros((len(t), 4))
        own[:, 0], own[:, 1 + axis] = np.cos(half), np.sin(half)
        turns = np.array([_product(a, b) for a, b in zip(turns, own, strict=True)])
    places = np.column_stack([q.get(name, 0.0 * t) for name in "xyz"])
    block = Body("block", mass=3.0, inertia=(0.1, 0.2, 0.15), center_of_mass=(0.3, 0.1, 0.0))
    block.keys, block.follow = Keys(t.tolist(), places, turns), Follow(**follow)
    speeds = [(0.1 if name in "xyz" else 0.4) * (3.0 + k) for k, name in enumerate(free)]
    count = len(free)
    joint = Joint("joint", "generic", None, "block", (0.0, 0.0, 0.0), free=free, speeds=speeds)
    joint.stiffness, joint.damping, joint.rest = (gain * 30.0,) * count, (gain * 4.0,) * count, (0.05,) * count
    mechanism = Mechanism(bodies=[block], joints=[joint], gravity=(1.0, -2.0, -9.81))
    return mechanism, np.column_stack(waves(np.arange(25) / 24.0))


def _product(p, q) -> tuple[float, ...]:
    (a, *u), (b, *v) = p, q
    return (a * b - np.dot(u, v), *(a * np.array(v) + b * np.array(u) + np.cross(u, v)))


@pytest.mark.parametrize("gain", [0.0, 1.0], ids=["bare", "sprung"])
@pytest.mark.parametrize(
    "free", [("y", "turn x"), ("x", "z", "turn y", "turn z"), ("z", "turn x", "turn z"), ("turn y",)], ids=" ".join
)
def test_a_generic_joint_does_not_lag_either(free, gain):
    mechanism, keyed = along_and_about(free, gain, frequency=8.0)
    found = simulate(mechanism, duration=1.0).joint_coordinates
    lag = np.abs(found - keyed).max()
    assert lag < 1e-3 * 0.4
    mechanism.bodies[0].follow.feed_forward = 0.0
    assert np.abs(simulate(mechanism, duration=1.0).joint_coordinates - keyed).max() > 10.0 * lag


def test_without_feed_forward_it_lags():
    t, found = angles(swinging(THIGH, amplitude=0.5, frequency=3.0, feed_forward=0.0))
    assert np.abs(found - 0.5 * np.sin(3.0 * np.pi * t)).max() > 0.05


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_feed_forward_of_the_weight_alone_neither_sags_nor_keeps_up(kind):
    """Against SciPy, for a rod that is drawn by its spring and damper, and borne as its animation stands."""
    length, frequency, ratio, amplitude = THIGH[0], 2.0, 0.3, 0.4
    how = {"frequency": frequency, "damping_ratio": ratio, "gravity_only": True}
    _, still = angles(swinging(THIGH, kind, **how))
    assert np.abs(still).max() < 1e-9
    t, found = angles(swinging(THIGH, kind, amplitude, **how), relative=1e-9)
    w, heavy = 2.0 * np.pi * frequency, 1.5 * 9.81 / length

    def rates(t, state):
        q, u = state
        r, v = amplitude * np.sin(3.0 * np.pi * t), 3.0 * np.pi * amplitude * np.cos(3.0 * np.pi * t)
        return u, w * w * (r - q) + 2.0 * ratio * w * (v - u) + heavy * (np.cos(q) - np.cos(r))

    true = solve_ivp(rates, (0.0, 1.0), (0.0, 3.0 * np.pi * amplitude), "DOP853", t, rtol=1e-11, atol=1e-12).y[0]
    assert np.abs(found - true).max() < 1e-5
    assert np.abs(found - amplitude * np.sin(3.0 * np.pi * t)).max() > 0.2


@pytest.mark.parametrize("touches", [False, True], ids=["smooth", "impulses"])
@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_a_weight_of_one_is_the_animation(touches, kind):
    t, found = angles(swinging(THIGH, kind, 0.5, touches=touches, frequency=0.0, weight=1.0))
    assert np.abs(found - 0.5 * np.sin(3.0 * np.pi * t)).max() < 1e-6


def waving(links: int, kind: str, **follow) -> Mechanism:
    """Links of 0.3 m in a row on the world, whose animation waves about Y, each 0.3 rad beside the one before."""
    t = np.arange(97) / 48.0
    wave, angle, place = 0.3 * np.sin(7.0 * t), np.zeros(97), np.zeros((97, 3))
    mechanism = Mechanism()
    for k in range(links):
        angle = angle + wave
        turns = np.column_stack([np.cos(0.5 * angle), 0.0 * t, np.sin(0.5 * angle), 0.0 * t])
        link = {"mass": 1.0, "inertia": (0.001, 0.01, 0.01), "center_of_mass": (0.15, 0.0, 0.0)}
        keys = Keys(t.tolist(), place, turns)
        mechanism.bodies.append(Body(f"{k}", position=(0.3 * k, 0, 0), keys=keys, follow=Follow(**follow), **link))
        inner = f"{k - 1}" if k else None
        mechanism.joints.append(Joint(f"joint {k}", kind, inner, f"{k}", (0.3 * k, 0.0, 0.0), ALONG_Y))
        place = place + 0.3 * np.column_stack([np.cos(angle), 0.0 * t, -np.sin(angle)])
    return mechanism


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
@pytest.mark.parametrize("links", [1, 3])
def test_any_strength_costs_as_much(links, kind):
    """A curved animation: at weight 1 three links took 1.8 million evaluations while substeps made no leads."""
    soft = simulate(waving(links, kind, frequency=2.0), 1.5, 24.0, integrator="implicit")
    for strength in ({"frequency": 1000.0}, {"weight": 1.0}):
        stiff = simulate(waving(links, kind, **strength), 1.5, 24.0, integrator="implicit")
        assert stiff.evaluations < 5.0 * soft.evaluations
        assert simulate(waving(links, kind, **strength), 1.5, 24.0).evaluations < 25_000  # it may stay with Adams
    truth = np.array([body.keys.orientations[::2] for body in waving(links, kind).bodies]).transpose(1, 0, 2)
    off = np.linalg.norm(stiff.orientation - truth[: len(stiff.times)], axis=-1)
    assert np.minimum(off, 2.0 - off).max() < 1e-6


@pytest.mark.parametrize("touches", [False, True], ids=["smooth", "impulses"])
def test_a_weight_of_nothing_is_physics_alone(touches):
    free = swinging(THIGH, touches=touches)
    free.bodies[0].follow = free.bodies[0].keys = None
    _, expected = angles(free)
    _, found = angles(swinging(THIGH, touches=touches, weight=0.0))
    assert np.abs(found - expected).max() < 1e-6


@pytest.mark.parametrize("touches", [False, True], ids=["smooth", "impulses"])
def test_let_go_and_taken_hold_of_again(touches):
    weight = Table((0.0, 0.25, 0.26, 0.5, 0.8), (1.0, 1.0, 0.0, 0.0, 1.0))
    t, found = angles(swinging(THIGH, amplitude=0.5, touches=touches, weight=weight), frame_rate=240.0)
    off = np.abs(found - 0.5 * np.sin(3.0 * np.pi * t))
    assert off[t < 0.25].max() < 1e-6
    assert off.max() > 0.1
    assert off[t > 0.85].max() < 1e-5
    assert np.abs(np.diff(found[t < 0.5], 2)).max() < 2e-3  # rad: no speed jumps by 0.5 rad/s as it is let go


def test_where_things_touch_no_force_is_without_a_bound():
    """So that what is held past a limit gives way, and does not gather speed: 1e6 N m for each kilogram."""
    places = []
    for given in ({}, {"max_force": 1e6 * THIGH[1]}):
        mechanism = swinging(THIGH, amplitude=0.5, touches=True, weight=1.0, **given)
        mechanism.joints[0].limits = ((-0.3, 0.3),)
        places.append(simulate(mechanism, 0.5, 24.0).position)
    np.testing.assert_array_equal(*places)


@pytest.mark.parametrize("touches", [False, True], ids=["smooth", "impulses"])
def test_it_pulls_with_its_largest_force_at_most(touches):
    # held straight out it takes 9 kg * 9.81 m/s2 * 0.225 m = 19.9 N m
    _, strong = angles(swinging(THIGH, touches=touches, frequency=20.0, max_force=25.0))
    _, weak = angles(swinging(THIGH, touches=touches, frequency=20.0, max_force=15.0))
    assert np.abs(strong).max() < 1e-3
    assert weak.max() > 0.2


def test_a_loose_body_follows_the_world():
    t = np.arange(49) / 48.0
    positions = np.column_stack([np.sin(3.0 * t), 0.0 * t, 1.0 + 0.2 * np.cos(5.0 * t)])
    turns = np.column_stack([np.cos(t), 0.0 * t, np.sin(t), 0.0 * t])
    body = Body(
        name="box", mass=2.0, inertia=(0.1, 0.2, 0.3), position=positions[0], linear_velocity=(3.0, 0.0, 0.0),
        angular_velocity=(0.0, 2.0, 0.0), keys=Keys(t.tolist(), positions, turns), follow=Follow(frequency=20.0),
    )  # fmt: skip
    recording = simulate(Mechanism(bodies=[body]), duration=1.0, frame_rate=48.0)
    assert np.abs(recording.position[:, 0] - positions).max() < 1e-3


def test_relative_to_the_world_it_stays_upright_on_a_parent_that_turns():
    t = np.arange(49) / 48.0
    turns = np.column_stack([np.cos(t), 0.0 * t, np.sin(t), 0.0 * t])
    still = np.tile((1.0, 0.0, 0.0, 0.0), (49, 1))
    places = np.zeros((49, 3))
    for space, expected in (("world", 0.0), ("parent", 2.0)):
        parent = Body(name="parent", motion="keyed", keys=Keys(t.tolist(), places, turns))
        child = Body(
            name="child", mass=1.0, inertia=(0.1, 0.1, 0.1),
            keys=Keys(t.tolist(), places, still if space == "world" else turns),
            follow=Follow(frequency=50.0, relative_to=space),
        )  # fmt: skip
        if space == "parent":
            child.angular_velocity = (0.0, 2.0, 0.0)
        joint = Joint(name="ball", type="spherical", parent="parent", child="child", position=(0.0, 0.0, 0.0))
        found = simulate(Mechanism(bodies=[parent, child], joints=[joint]), duration=1.0)
        w, _, y, _ = found.orientation[-1, 1]
        assert abs(2.0 * np.arctan2(y, w) - expected) < 1e-3


def test_what_is_refused():
    fixed = Body(name="post", motion="fixed", follow=Follow())
    assert "belongs to a dynamic body" in str(Mechanism(bodies=[fixed]).problems())
    mechanism = swinging(FINGER)
    mechanism.bodies[0].keys = None
    assert "needs the motion that it follows" in str(mechanism.problems())


def test_a_file_keeps_it(tmp_path):
    mechanism = swinging(FINGER, weight=Table((0.0, 1.0), (0.0, 1.0)), max_force=3.0, relative_to="world")
    mechanism.save(tmp_path / "bone.json")
    assert Mechanism.load(tmp_path / "bone.json").bodies[0].follow == mechanism.bodies[0].follow


def pedalling(kind: str, **follow) -> Mechanism:
    """A leg whose foot is held to a crank that turns: in a loop. The foot's first joint is its ankle, not its pedal."""
    hip, knee, ankle, pedal, axle = (
        (x, 0.0, z) for x, z in ((0, 0.85), (0.38, 0.7), (0.3, 0.3), (0.42, 0.22), (0.25, 0.2))
    )

    def bar(name: str, start, end, mass: float, **more) -> Body:
        middle = 0.5 * (np.array(start) + end)
        moment = mass * float(np.linalg.norm(np.subtract(end, start))) ** 2 / 12.0
        return Body(name, mass=mass, inertia=(moment,) * 3, position=middle, **more)

    foot = bar("foot", ankle, pedal, 1.0, follow=Follow(**follow))
    foot.keys = Keys([0.0], [foot.position], [(1.0, 0.0, 0.0, 0.0)])
    bodies = [bar("crank", axle, pedal, 1.0), bar("thigh", hip, knee, 6.0), bar("shin", knee, ankle, 3.0), foot]
    joints = [
        Joint("bearing", "revolute", None, "crank", axle, ALONG_Y, motor=JointMotor(mode="speed", target=3.0)),
        Joint("hip", "revolute", None, "thigh", hip, ALONG_Y),
        Joint("knee", "revolute", "thigh", "shin", knee, ALONG_Y),
        Joint("ankle", kind, "shin", "foot", ankle, ALONG_Y),
        Joint("pedal", "revolute", "crank", "foot", pedal, ALONG_Y),
    ]
    return Mechanism(bodies=bodies, joints=joints)


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
@pytest.mark.parametrize("touches", [False, True], ids=["smooth", "impulses"])
def test_in_a_loop_a_body_follows_by_its_first_joint(kind, touches):
    """Beside the shin, whichever of its two joints closes the loop; so the crank goes round, and the pedal turns."""
    mechanism = pedalling(kind, weight=1.0)
    if touches:
        mechanism.bodies[0].shape = Sphere(radius=0.01)
        mechanism.contact = {"enabled": True, "ground": {"height": -9.0}}
    recording = simulate(mechanism, duration=2.5, frame_rate=24.0)
    names = list(recording.body_names)
    pitch = {
        name: 2.0 * np.unwrap(np.arctan2(*recording.orientation[:, names.index(name), [2, 0]].T)) for name in names
    }
    assert np.abs(pitch["foot"] - pitch["shin"]).max() < 1e-4
    assert np.ptp(pitch["crank"]) == pytest.approx(7.5, abs=0.05)
    assert np.ptp(pitch["foot"] - pitch["crank"]) > 6.0
