# SPDX-License-Identifier: GPL-3.0-or-later
"""Efforts that drives need: against closed forms, power balances, a plain force balance, and the way back forward."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from solver import Mechanism, MechanismError, simulate
from solver.__main__ import main
from solver.drives.drive_efforts import DriveEfforts, drive_efforts
from solver.drives.motors import with_motors
from solver.mechanism import (
    Action,
    Balance,
    Body,
    Contact,
    Distance,
    Follow,
    Gear,
    Joint,
    JointMotor,
    Keys,
    Rubber,
    Spring,
    Table,
)  # fmt: skip
from solver.simulation.inspection import inspect
from tests.solver.simulation.test_keyed_motors import ABOUT_Y, four_bar, hinge, keyed, pendulum, rod, table
from tests.truths import arms

G = 9.81
FINE, EXACT = 480.0, 1e-8  # keys a second; of the largest effort: what splines through such keys err


def as_keyed(mechanism: Mechanism, duration: float, names=None, rate: float = FINE, **more) -> Mechanism:
    """The same with bodies keyed as they move in a simulation, and no motors in joints."""
    recording = simulate(mechanism, duration, rate, relative=1e-10, **more)
    bodies = []
    for i, body in enumerate(mechanism.bodies):
        if body.motion == "dynamic" and (names is None or body.name in names):
            keys = Keys(recording.times, recording.position[:, i], recording.orientation[:, i])
            body = dataclasses.replace(body, motion="keyed", keys=keys, linear_velocity=None, angular_velocity=None)
        bodies.append(body)
    joints = [dataclasses.replace(joint, motor=None, speeds=None) for joint in mechanism.joints]
    return dataclasses.replace(mechanism, bodies=bodies, joints=joints)


def inside(values: np.ndarray, margin: int = 4) -> np.ndarray:
    """Without the first and last frames, where splines through keys have ends."""
    return values[margin:-margin]


def efforts_of(result: DriveEfforts, joint: str) -> np.ndarray:
    """(F, coordinates)"""
    j = list(result.joint_names).index(joint)
    return result.joint_effort[:, result.joint_offsets[j] : result.joint_offsets[j + 1]]


def codes(result: DriveEfforts) -> list[str]:
    return [note.code for note in result.notes]


def test_a_pendulum_takes_the_closed_form() -> None:
    t = np.linspace(0.0, 2.0, 481)
    angle = 0.8 * np.sin(2.3 * t)
    rodded = as_keyed(pendulum(Table(tuple(t), tuple(angle))), 2.0, rate=240.0)
    result = drive_efforts(rodded, 2.0, 48.0)
    t = result.times
    q, second = 0.8 * np.sin(2.3 * t), -0.8 * 2.3**2 * np.sin(2.3 * t)
    closed = 2.0 * 0.7**2 / 3.0 * second - 0.5 * 2.0 * G * 0.7 * np.cos(q)
    assert np.abs(inside(efforts_of(result, "hinge")[:, 0] - closed)).max() < EXACT * np.abs(closed).max()
    assert result.driven.all()
    assert not result.redundancy.any()
    assert codes(result) == []
    (peak,) = result.peaks()
    assert peak.effort == pytest.approx(closed[np.argmax(np.abs(closed))], rel=1e-5)
    assert peak.power == pytest.approx((closed * 0.8 * 2.3 * np.cos(2.3 * t)).max(), rel=1e-5)


def two_links(first, second, **more) -> Mechanism:
    """Links of 0.6 and 0.5 m, level at the angles 0, which turn downwards."""
    bodies = [rod("upper", (0, 0, 0), (0.6, 0, 0), 2.0), rod("lower", (0.6, 0, 0), (1.1, 0, 0), 1.2)]
    motors = (keyed(first), keyed(second)) if first is not None else (None, None)
    joints = [
        hinge("shoulder", None, "upper", (0, 0, 0), motor=motors[0]),
        hinge("elbow", "upper", "lower", (0.6, 0, 0), motor=motors[1], **more),
    ]
    return Mechanism(bodies=bodies, joints=joints)


ARM = arms.Arm(0.6, 0.3, 0.25, 2.0, 1.2, 2.0 * 0.6**2 / 12.0, 1.2 * 0.5**2 / 12.0)


def swinging(t: np.ndarray) -> tuple[np.ndarray, ...]:
    """Angles that turn downwards, their speeds and accelerations, (F, 2)."""
    q = np.column_stack([0.7 * np.sin(2.0 * t), 0.5 * np.sin(3.0 * t)])
    u = np.column_stack([1.4 * np.cos(2.0 * t), 1.5 * np.cos(3.0 * t)])
    return q, u, np.column_stack([-2.8 * np.sin(2.0 * t), -4.5 * np.sin(3.0 * t)])


def arm_in_motion(**more) -> Mechanism:
    q = [table(lambda t, k=k: swinging(t)[0][:, k], 2.0, 481) for k in (0, 1)]
    return as_keyed(two_links(*q, **more), 2.0, rate=240.0)


def test_an_arm_of_two_links_takes_the_torques_of_the_textbook() -> None:
    result = drive_efforts(arm_in_motion(), 2.0, 48.0)
    closed = -arms.torques(ARM, *(-each for each in swinging(result.times)))
    assert np.abs(inside(result.joint_effort - closed)).max() < EXACT * np.abs(closed).max()


def test_springs_dampers_friction_and_rotors_of_its_joints_are_taken_along() -> None:
    more = {"stiffness": (3.0,), "rest": (0.2,), "damping": (0.4,), "friction": (0.5,), "armature": (0.03,)}
    result = drive_efforts(arm_in_motion(**more), 2.0, 48.0)
    q, u, a = swinging(result.times)
    closed = -arms.torques(ARM, -q, -u, -a)
    closed[:, 1] += 3.0 * (q[:, 1] - 0.2) + 0.4 * u[:, 1] + 0.5 * np.sign(u[:, 1]) + 0.03 * a[:, 1]
    assert np.abs(inside(result.joint_effort - closed)).max() < EXACT * np.abs(closed).max()


def test_a_joint_without_a_drive_leaves_its_load_unmet_and_is_named() -> None:
    result = drive_efforts(arm_in_motion(), 2.0, 48.0, drives=["shoulder"])
    closed = -arms.torques(ARM, *(-each for each in swinging(result.times)))
    assert np.abs(inside(result.joint_effort[:, 0] - closed[:, 0])).max() < EXACT * np.abs(closed).max()
    assert np.abs(inside(result.joint_unmet[:, 1] - closed[:, 1])).max() < EXACT * np.abs(closed).max()
    (note,) = (note for note in result.notes if note.code == "torques-unmet")
    k = int(np.argmax(np.abs(closed[:, 1])))
    assert note.parts == (("joint", "elbow"),)
    assert note.values["time"] == f"{result.times[k]:g}"
    assert note.values["load"] == f"{abs(closed[k, 1]):.3g} N m"


def test_a_load_that_floats_is_what_newton_asks_for() -> None:
    t = np.linspace(0.0, 1.0, 97)
    places = np.column_stack([0.3 * t**3, 0.0 * t, 0.5 * t**2])
    turns = np.column_stack([np.cos(t**2), 0.0 * t, 0.0 * t, np.sin(t**2)])  # about Z, by 2 t^2
    body = Body("box", "keyed", 3.0, inertia=(0.1, 0.2, 0.3), keys=Keys(t, places, turns))
    result = drive_efforts(Mechanism(bodies=[body]), 1.0, 24.0)
    t = result.times
    force = 3.0 * np.column_stack([1.8 * t, 0.0 * t, 1.0 + G + 0.0 * t])
    assert np.abs(inside(result.body_unmet[:, 0, :3] - force)).max() < 1e-6
    assert np.abs(inside(result.body_unmet[:, 0, 3:] - [0.0, 0.0, 0.3 * 4.0])).max() < 1e-6
    assert codes(result) == ["torques-floats"]


TURN = 2.0


def crank(t: np.ndarray) -> np.ndarray:
    """rad: a turn that begins and ends at rest."""
    return TURN * (t - np.sin(2.0 * np.pi * t) / (2.0 * np.pi))


def bar_linkage() -> Mechanism:
    return four_bar(table(crank, 1.0, 241))


def test_the_crank_of_a_four_bar_gives_the_power_that_its_energy_takes() -> None:
    moving = bar_linkage()
    recording = simulate(moving, 1.0, FINE, relative=1e-10)
    result = drive_efforts(as_keyed(moving, 1.0), 1.0, FINE, drives=[moving.joints[0].name])
    energy = recording.kinetic_energy + recording.potential_energy
    power = result.power().sum(axis=1)
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) / FINE)])
    assert np.abs(work - (energy - energy[0])).max() < 2e-5 * np.ptp(energy)
    assert not result.redundancy.any()
    assert codes(result) in ([], ["redundant"])
    # and the effort is that of the motor which has led it
    effort = inspect(moving, recording).joint_effort[:, 0]
    assert np.abs(inside(result.joint_effort[:, 0] - effort)).max() < 1e-7 * np.abs(effort).max()


def test_what_has_no_keys_goes_along_and_counts() -> None:
    moving = bar_linkage()
    whole = drive_efforts(as_keyed(moving, 1.0), 1.0, 48.0, drives=[moving.joints[0].name])
    first = moving.joints[0].child
    part = drive_efforts(as_keyed(moving, 1.0, [first]), 1.0, 48.0, relative=1e-9, drives=[moving.joints[0].name])
    most = np.abs(whole.joint_effort).max()
    assert np.abs(inside(part.joint_effort - whole.joint_effort)).max() < 1e-5 * most
    assert np.abs(part.joint_unmet).max() < 1e-5 * most


def test_a_drawing_in_single_precision_braces_nothing() -> None:
    """Hinges that are off parallel by rounding must not take loads by levers a million times as long."""

    def rounded(values) -> tuple[float, ...]:
        return tuple(np.float64(np.float32(values)))

    def turned(k: int) -> tuple[float, ...]:
        q = np.array(rounded(np.array(ABOUT_Y) + 1e-7 * np.sin([k, 2.0 * k, 3.0 * k, 5.0 * k])))
        return tuple(q / np.linalg.norm(q))

    keys = as_keyed(bar_linkage(), 1.0)
    name = keys.joints[0].name
    joints = [
        dataclasses.replace(joint, position=rounded(joint.position), orientation=turned(k))
        for k, joint in enumerate(keys.joints)
    ]
    exact, near = (
        drive_efforts(each, 1.0, 20.0, drives=[name]) for each in (keys, dataclasses.replace(keys, joints=joints))
    )
    assert not near.redundancy.any()
    most = np.abs(exact.joint_effort).max()
    assert np.abs(inside(near.joint_effort - exact.joint_effort)).max() < 1e-5 * most


def plain_least_norm(mechanism: Mechanism, duration: float, rate: float, drives: list[str]) -> np.ndarray:
    """(F, drives) N m: least torques of hinges about Y, by Newton's and Euler's laws for each bar in its plane.

    Unknown are two forces at each hinge and the torques of the drives; accelerations are differences of a simulation.
    """
    h = 1e-3
    times = np.arange(round(duration * rate) + 1)[2:-2] / rate
    fine = simulate(mechanism, duration, 1.0 / h, relative=1e-12)
    number = {body.name: i for i, body in enumerate(mechanism.bodies)}
    found = []
    for time in times:
        k = round(time / h)
        place = fine.position[:, :, [0, 2]]
        a = (place[k + 1] - 2.0 * place[k] + place[k - 1]) / h**2
        turn = (fine.angular_velocity[k + 1, :, 1] - fine.angular_velocity[k - 1, :, 1]) / (2.0 * h)
        n, J = len(mechanism.bodies), len(mechanism.joints)
        A, D, b = np.zeros((3 * n, 2 * J)), np.zeros((3 * n, len(drives))), np.zeros(3 * n)
        for i, body in enumerate(mechanism.bodies):
            b[3 * i : 3 * i + 3] = body.mass * a[i, 0], body.mass * (a[i, 1] + G), body.inertia[1] * turn[i]
        for j, joint in enumerate(mechanism.joints):
            for name, sign in ((joint.child, 1.0), (joint.parent, -1.0)):
                if name is None:
                    continue
                i, body = number[name], mechanism.bodies[number[name]]
                away = np.array(joint.position) - np.array(body.position)
                w, x, y, z = body.orientation
                begun = 2.0 * np.arctan2(y, w)
                w, x, y, z = fine.orientation[k, i]
                angle = 2.0 * np.arctan2(y, w) - begun  # about Y
                x, z = (
                    np.cos(angle) * away[0] + np.sin(angle) * away[2],
                    np.cos(angle) * away[2] - np.sin(angle) * away[0],
                )
                A[3 * i, 2 * j], A[3 * i + 1, 2 * j + 1] = sign, sign
                A[3 * i + 2, 2 * j], A[3 * i + 2, 2 * j + 1] = sign * z, -sign * x  # (r x f) about Y
                if joint.name in drives:
                    D[3 * i + 2, drives.index(joint.name)] += sign
        left = np.linalg.svd(A)[0][:, np.linalg.matrix_rank(A) :].T  # what no force at the hinges takes
        found.append(np.linalg.pinv(left @ D) @ (left @ b))
    return np.array(found)


@pytest.mark.parametrize("drives", [(0, 3), (0, 1, 2, 3)], ids=["both ends", "all hinges"])
def test_redundant_drives_of_a_closed_loop_have_the_least_norm(drives: tuple[int, ...]) -> None:
    moving = bar_linkage()
    names = [moving.joints[j].name for j in drives]
    result = drive_efforts(as_keyed(moving, 1.0), 1.0, 20.0, drives=names)
    plain = plain_least_norm(moving, 1.0, 20.0, names)
    found = np.hstack([efforts_of(result, name) for name in names])[2:-2]
    assert np.abs(found - plain).max() < 2e-5 * np.abs(plain).max()
    assert (result.redundancy == len(drives) - 1).all()
    assert "torques-shared" in codes(result)
    alone = drive_efforts(as_keyed(moving, 1.0), 1.0, 20.0, drives=names[:1])
    least, one = (np.linalg.norm(each.joint_effort, axis=1) for each in (result, alone))
    assert (least <= one * (1.0 + 1e-6)).all()
    assert (least < 0.9 * one).any()


@pytest.mark.parametrize("drives", [(0,), (0, 3)], ids=["crank", "redundant"])
def test_the_torques_make_the_motion_again(drives: tuple[int, ...]) -> None:
    """They are linear between frames, so what is left falls by the square of the frame rate."""
    moving = bar_linkage()
    keys, told, left = as_keyed(moving, 1.0), simulate(moving, 1.0, 24.0, relative=1e-8), []
    for rate in (120.0, 480.0):
        result = drive_efforts(keys, 1.0, rate, drives=[moving.joints[j].name for j in drives])
        again = simulate(with_motors(result), 1.0, 24.0, relative=1e-8)
        left.append(np.abs(again.position - told.position).max())
    assert left[1] < 5e-5
    assert 10.0 < left[0] / left[1] < 25.0


def test_each_kind_of_joint_gives_its_efforts_back() -> None:
    """Forward with efforts that are known, then asked which they were: a tree of ball, slider, universal and planar."""
    t = np.linspace(0.0, 0.5, 241)
    turns = np.column_stack([0.4 * np.sin(5.0 * t), 0.3 * np.cos(4.0 * t), 0.2 + 0.3 * t])

    def motor(*columns: int) -> JointMotor:
        tables = tuple(Table(tuple(t), tuple(turns[:, c])) for c in columns)
        return JointMotor("force", value=tables if len(tables) > 1 else tables[0])

    inertia, kinds = (0.05, 0.08, 0.06), (("spherical", (0, 1, 2)), ("prismatic", (1,)), ("universal", (2, 0)))
    kinds += (("planar", (0, 1, 2)), ("cylindrical", (1, 0)))
    bodies, joints = [], []
    for k, (kind, columns) in enumerate(kinds):
        name, inner = f"{kind} body", bodies[-1].name if bodies else None
        at = (0.4 * k, 0.1 * k, -0.05 * k)
        bodies.append(Body(name, mass=1.0 + 0.2 * k, inertia=inertia, position=(at[0] + 0.2, at[1], at[2] + 0.03)))
        turn = np.array([1.0, 0.3 * k, -0.2, 0.1 * k])
        flipped = k == 2  # one whose parent is the outer body
        ends = (name, inner) if flipped else (inner, name)
        joints.append(Joint(kind, kind, *ends, at, tuple(turn / np.linalg.norm(turn)), motor=motor(*columns)))
    mechanism = Mechanism(bodies=bodies, joints=joints)
    result = drive_efforts(as_keyed(mechanism, 0.5), 0.5, 48.0)
    for kind, columns in kinds:
        known = np.column_stack([np.interp(result.times, t, turns[:, c]) for c in columns])
        assert np.abs(inside(efforts_of(result, kind) - known)).max() < 1e-4, kind


def test_rods_gears_springs_and_rubbers_act_along_with_the_drives() -> None:
    wheels = [
        Body("a", mass=1.0, inertia=(0.1, 0.1, 0.1)), Body("b", mass=2.0, inertia=(0.2, 0.2, 0.3), position=(1, 0, 0)),
    ]  # fmt: skip
    push = Table(tuple(np.linspace(0, 1, 481)), tuple(np.sin(4.0 * np.linspace(0, 1, 481))))
    mechanism = Mechanism(
        bodies=[*wheels, Body("c", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(2.0, 0.5, 0.0))],
        joints=[
            Joint("ha", "revolute", None, "a", (0, 0, 0), motor=JointMotor("force", value=push)),
            Joint("hb", "revolute", None, "b", (1, 0, 0)),
            Joint("s", "prismatic", None, "c", (2.0, 0.5, 0.0), (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)),
        ],
        constraints=[Gear("gear", joint_a="ha", joint_b="hb", ratio=-0.5),
                     Distance("rod", body_a="b", body_b="c", point_a=(1.0, 0.3, 0.0), point_b=(2.0, 0.5, 0.0))],
        forces=[
            Spring("spring", body_a="c", body_b=None, point_a=(2, 0.5, 0), point_b=(3, 1, 0), stiffness=5.0,
                   damping=0.3, rest_length=0.8),
            Rubber("rubber", body_a="a", body_b=None, point_a=(0.2, 0, 0), point_b=(0, 1, 0), stiffness=4.0,
                   rest_length=0.9),
        ],
    )  # fmt: skip
    result = drive_efforts(as_keyed(mechanism, 1.0), 1.0, 48.0, drives=["ha"])
    known = np.interp(result.times, push.times, push.values)
    assert np.abs(inside(result.joint_effort[:, 0] - known)).max() < 1e-4
    assert np.abs(inside(result.joint_unmet)).max() < 1e-4
    assert not result.redundancy.any()


def test_of_many_frames_and_bodies_it_takes_in_followers_too() -> None:
    """A dynamic body that follows counts as one that leads, whatever its weight."""
    moving = arm_in_motion()
    following = [
        dataclasses.replace(body, motion="dynamic", follow=Follow(weight=0.1)) for body in moving.bodies
    ]  # fmt: skip
    a = drive_efforts(moving, 2.0, 48.0)
    b = drive_efforts(dataclasses.replace(moving, bodies=following), 2.0, 48.0)
    assert np.array_equal(a.joint_effort, b.joint_effort)


def test_a_motor_is_a_drive_and_joints_without_one_are_none() -> None:
    moving = arm_in_motion()
    joints = [dataclasses.replace(moving.joints[0], motor=JointMotor("speed", target=0.0)), moving.joints[1]]
    result = drive_efforts(dataclasses.replace(moving, joints=joints), 2.0, 24.0)
    assert list(result.driven) == [True, False]


def test_keys_that_open_a_joint_are_told() -> None:
    moving = arm_in_motion()
    lower = moving.bodies[1]
    places = np.array(lower.keys.positions) + np.linspace(0.0, 0.02, len(lower.keys.times))[:, None]
    keys = dataclasses.replace(lower.keys, positions=places)
    result = drive_efforts(
        dataclasses.replace(moving, bodies=[moving.bodies[0], dataclasses.replace(lower, keys=keys)]), 2.0, 24.0
    )
    (note,) = (note for note in result.notes if note.code == "torques-off")
    assert note.parts == (("body", "lower"),)
    assert float(note.values["gap"]) == pytest.approx(0.02 * 3**0.5, rel=0.05)


def test_what_has_no_mass_carries_what_hangs_on_it() -> None:
    """A keyed hub without a mass, on a hinge of its own, which asks for nothing; the arm on it feels its motion."""
    t = np.linspace(0.0, 1.0, 241)
    hub = Body(
        "hub", "keyed", keys=Keys(t, np.column_stack([0.0 * t, 0.0 * t, 0.5 * t**2]), [(1.0, 0.0, 0.0, 0.0)] * 241)
    )
    arm = rod("arm", (0, 0, 0), (0.6, 0, 0), 2.0)
    places = np.column_stack([0.3 + 0.0 * t, 0.0 * t, 0.5 * t**2])
    arm = dataclasses.replace(arm, motion="keyed", keys=Keys(t, places, [(1.0, 0.0, 0.0, 0.0)] * 241))
    joints = [hinge("guide", None, "hub", (0, 0, 0)), hinge("hinge", "hub", "arm", (0, 0, 0))]
    result = drive_efforts(Mechanism(bodies=[hub, arm], joints=joints), 1.0, 24.0)
    assert np.abs(inside(efforts_of(result, "hinge")[:, 0]) + 2.0 * (G + 1.0) * 0.3).max() < 1e-6
    assert not efforts_of(result, "guide").any()
    assert codes(result) == []


def test_contact_is_left_out_and_said() -> None:
    moving = dataclasses.replace(arm_in_motion(), contact=Contact())
    assert codes(drive_efforts(moving, 0.2, 24.0)) == ["torques-contact"]


def _changed(mechanism: Mechanism, what: str) -> Mechanism:
    if what == "balance":
        bodies = [dataclasses.replace(body, motion="dynamic", follow=Follow()) for body in mechanism.bodies]
        balance = Balance("keeps", body="lower", feet=("upper",))
        return dataclasses.replace(mechanism, bodies=bodies, forces=[balance])
    if what == "action":
        return dataclasses.replace(mechanism, actions=[Action(0.1, target=None, set={"gravity": [0, 0, 0]})])
    if what == "slack":
        rope = Distance("rope", body_a="lower", body_b=None, point_a=(1.1, 0, 0), point_b=(2, 0, 0), slack=True)
        return dataclasses.replace(mechanism, constraints=[rope])
    if what == "backlash":
        gear = Gear("teeth", joint_a="shoulder", joint_b="elbow", ratio=1.0, backlash=0.1)
        return dataclasses.replace(mechanism, constraints=[gear])
    joints = [mechanism.joints[0], dataclasses.replace(mechanism.joints[1], motor=JointMotor("speed", target=1.0))]
    return dataclasses.replace(mechanism, joints=joints)


@pytest.mark.parametrize(
    ("what", "named"),
    [
        ("balance", "force 'keeps'"),
        ("action", "1 actions"),
        ("slack", "constraint 'rope'"),
        ("backlash", "constraint 'teeth'.*play"),
        ("motor", "joint 'elbow'"),
    ],
)
def test_what_it_cannot_take_is_refused_by_name(what: str, named: str) -> None:
    with pytest.raises(MechanismError, match=named):
        drive_efforts(_changed(arm_in_motion(), what), 1.0, drives=["shoulder"])


def test_unknown_drives_are_named() -> None:
    with pytest.raises(MechanismError, match="there is no joint 'knee'"):
        drive_efforts(arm_in_motion(), 1.0, drives=["knee"])


def test_the_file_has_all_of_it(tmp_path) -> None:
    result = drive_efforts(arm_in_motion(), 1.0, 24.0)
    result.save(tmp_path / "torques.npz")
    with np.load(tmp_path / "torques.npz", allow_pickle=False) as file:
        assert np.array_equal(file["joint_effort"], result.joint_effort)
        assert np.array_equal(file["joint_power"], result.joint_effort * result.joint_speeds)
        assert set(file) >= {"times", "driven", "joint_offsets", "joint_unmet", "body_unmet", "redundancy", "notes"}


def test_the_command_line_writes_them_and_motors_and_prints_a_line_for_each(tmp_path, capsys) -> None:
    source, out, moved = tmp_path / "arm.json", tmp_path / "arm.npz", tmp_path / "moved.json"
    arm_in_motion().save(source)
    arguments = ["torques", str(source), "-o", str(out), "--motors", str(moved), "--frame-rate", "120"]
    assert main([*arguments, "--drives", "shoulder"]) == 0
    said, noted = capsys.readouterr()
    assert said.startswith("shoulder, angle: ")
    assert said.count("\n") == 1
    assert noted.startswith("note: joint 'elbow': its angle has no drive")
    assert main(arguments) == 0
    with np.load(out) as file:
        assert file["times"][-1] == pytest.approx(2.0)  # as long as there are keys
        closed = -arms.torques(ARM, *(-each for each in swinging(file["times"])))
        assert np.abs(inside(file["joint_effort"] - closed)).max() < EXACT * np.abs(closed).max()
    again = simulate(Mechanism.load(moved), 2.0, 24.0)
    assert np.abs(again.joint_coordinates - swinging(again.times)[0]).max() < 1e-3
    assert main([*arguments, "--drives", "knee"]) == 1
    assert "there is no joint 'knee'" in capsys.readouterr().err
