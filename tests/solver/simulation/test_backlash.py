# SPDX-License-Identifier: GPL-3.0-or-later
"""Gears and racks with backlash: when the teeth meet, what the blow takes, when they part, and what is in between.

d = q_b - ratio q_a is between -g/2 and g/2, and 0 at the start. An impact leaves both wheels the momentum
J_a q_a' + ratio J_b q_b', and d' is reversed times the restitution.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from solver import Mechanism, MechanismError, Recording, SimulationFailed, simulate

A, B = 0.5, 0.3  # kg m2
BACKLASH, TORQUE, G = 0.1, 2.0, 9.81
UP, FLAT = [1.0, 0.0, 0.0, 0.0], [0.5**0.5, 0.0, 0.5**0.5, 0.0]
EXACT = {"adams": 1e-12, "runge-kutta": 1e-12, "implicit": 1e-12, "impulse": 1e-12}
CLOSE = {"adams": 2e-6, "runge-kutta": 5e-5, "implicit": 2e-5, "impulse": 2e-3}


def wheel(name: str, inertia: float, x: float, **more: object) -> list[dict]:
    """A body, and its hinge on the world along Z."""
    body = {"name": name, "mass": 1.0, "inertia": [inertia] * 3, "position": [x, 0, 0]}
    joint = {"name": f"{name} axle", "type": "revolute", "parent": None, "child": name, "position": [x, 0, 0]}
    return [body, {**joint, "orientation": UP, **more}]


def gear(**more: object) -> dict:
    held = {"name": "gear", "type": "gear", "joint_a": "a axle", "joint_b": "b axle", "ratio": 1.0}
    return {**held, "backlash": BACKLASH, **more}


def wheels(held: dict, a: dict | None = None, b: dict | None = None, **more: object) -> Mechanism:
    bodies, joints = zip(wheel("a", A, 0.0, **(a or {})), wheel("b", B, 1.0, **(b or {})), strict=True)
    return mechanism(list(bodies), list(joints), [held], **more)


def mechanism(bodies: list, joints: list, constraints: list, **more: object) -> Mechanism:
    parts = {"bodies": bodies, "joints": joints, "constraints": constraints}
    return Mechanism.from_dict(copy.deepcopy({"format": "ves-mechanism", "version": 1, **parts, **more}))


def driven(value: float = TORQUE) -> dict:
    return {"motor": {"mode": "force", "value": value}}


def angles(found: Recording) -> np.ndarray:
    """(2, F)"""
    return found.joint_coordinates.T


@pytest.mark.parametrize(("integrator", "close"), (EXACT | {"variational": 1e-5}).items())
@pytest.mark.parametrize("ratio", [1.0, -0.4])
def test_the_gap_is_crossed_at_the_time_of_the_equation(integrator, close, ratio):
    """g/2 = |ratio| T t^2 / (2 J_a); then both turn on by what is left of the momentum, and by the whole inertia."""
    found = simulate(wheels(gear(ratio=ratio), driven()), 0.6, 240.0, integrator=integrator)
    whole, t = A + ratio**2 * B, found.times
    met = float(np.sqrt(BACKLASH * A / (abs(ratio) * TORQUE)))
    since = np.maximum(0.0, t - met)
    a = np.where(t < met, 0.5 * TORQUE / A * t**2, 0.5 * BACKLASH / abs(ratio))
    a += TORQUE * met / whole * since + 0.5 * TORQUE / whole * since**2
    b = np.where(t < met, 0.0, ratio * a - np.sign(ratio) * 0.5 * BACKLASH)
    assert angles(found) == pytest.approx(np.array([a, b]), abs=close)
    passed_on = np.where(t < met, 0.0, ratio * B * TORQUE / whole)  # what b gets along its hinge
    off = np.abs(t - met) > 1e-5  # a frame at the very moment may show either
    assert found.constraint_force[off, 0, 5] == pytest.approx(passed_on[off], abs=1e-9)
    assert any("velocities changed at 0." in note for note in found.notes)


def bounced(times: np.ndarray, e: float) -> np.ndarray:
    """d of two free wheels, the first of which is driven: a ball that bounces on the lower end."""
    fall, end = TORQUE / A, -0.5 * BACKLASH
    met, speed = float(np.sqrt(2.0 * -end / fall)), float(np.sqrt(2.0 * -end * fall))
    d = np.where(times < met, -0.5 * fall * times**2, end)
    while (speed := speed * e) > 1e-7:
        since = times - met
        d = np.where((since > 0.0) & (since < 2.0 * speed / fall), end + speed * since - 0.5 * fall * since**2, d)
        met += 2.0 * speed / fall
    return d


@pytest.mark.parametrize(("integrator", "close"), [("adams", 1e-7), ("implicit", 1e-6), ("impulse", 2e-4)])
@pytest.mark.parametrize("e", [0.4, 0.8])
def test_bounces_are_a_geometric_series(integrator, close, e):
    found = simulate(wheels(gear(restitution=e), driven()), 2.0, 240.0, integrator=integrator)
    a, b = angles(found)
    assert b - a == pytest.approx(bounced(found.times, e), abs=close)
    assert A * a + B * b == pytest.approx(0.5 * TORQUE * found.times**2, abs=1e-9)


def test_between_two_flanks_energy_is_lost_in_impacts_alone():
    """A wheel with a speed and no torque: flank to flank the relative speed falls by e, and the momentum stays."""
    e, speed = 0.7, 3.0
    found = simulate(wheels(gear(restitution=e), {"speeds": [speed]}), 1.0, 960.0)
    reduced, momentum = A * B / (A + B), A * speed
    energies, relative, time, changes = [], speed, 0.5 * BACKLASH / speed, []
    while time < found.times[-1]:
        changes.append(time)
        relative *= e
        time += BACKLASH / relative
    hits = np.searchsorted(changes, found.times, side="right")
    energies = 0.5 * momentum**2 / (A + B) + 0.5 * reduced * (speed * e**hits) ** 2
    assert len(changes) > 5
    assert found.kinetic_energy == pytest.approx(energies, rel=1e-9)
    assert A * found.joint_speeds[:, 0] + B * found.joint_speeds[:, 1] == pytest.approx(momentum, rel=1e-12)


def swinging(times: np.ndarray, ratio: float, stiffness: float, damping: float, start: float) -> np.ndarray:
    """(2, F): both angles, by scipy: a on a spring, b in a damper; free, and held at either end of the backlash."""
    half, whole = 0.5 * BACKLASH, A + ratio**2 * B
    found, time, side, y = np.zeros((2, len(times))), 0.0, 0, np.array([start, 0.0, 0.0, 0.0])
    middle = -ratio * start

    def free(_, y):
        return [y[2], y[3], -stiffness * y[0] / A, -damping * y[3] / B]

    def held(_, y):
        quick = (-stiffness * y[0] - ratio * damping * y[3]) / whole
        return [y[2], y[3], quick, ratio * quick]

    def push(_, y):  # of b along d, by the first wheel
        return B * held(0.0, y)[3] + damping * y[3]

    def off(_, y):
        return y[1] - ratio * y[0] - middle

    def at(end):
        def event(t, y):
            return off(t, y) - end

        event.terminal, event.direction = True, np.sign(end)
        return event

    push.terminal = True
    while time < times[-1]:
        events = [at(half), at(-half)] if side == 0 else [push]
        law, span = (free if side == 0 else held), (time, times[-1] + 1e-9)
        part = solve_ivp(law, span, y, events=events, rtol=1e-12, atol=1e-13, dense_output=True, max_step=0.01)
        inside = (times >= time) & (times <= part.t[-1])
        found[:, inside] = part.sol(times[inside])[:2]
        time, y = part.t[-1], part.y[:, -1].copy()
        if part.status == 1 and side == 0:
            side = 1 if off(0.0, y) > 0.0 else -1
            y[2] = (A * y[2] + ratio * B * y[3]) / whole
            y[3] = ratio * y[2]
            if side * push(0.0, y) > 0.0:
                side = 0
        elif part.status == 1:
            side = 0
    return found


@pytest.mark.parametrize(("integrator", "close"), CLOSE.items())
def test_a_drive_to_and_fro_goes_through_the_backlash(integrator, close):
    ratio, stiffness, damping, start = -1.5, 20.0, 0.4, 0.8
    a = {"stiffness": [stiffness], "coordinates": [start]}
    found = simulate(wheels(gear(ratio=ratio), a, {"damping": [damping]}), 4.0, 60.0, integrator=integrator)
    assert angles(found) == pytest.approx(swinging(found.times, ratio, stiffness, damping, start), abs=close)
    force = found.constraint_force[:, 0, 5]
    d = found.joint_coordinates[:, 1] - ratio * (found.joint_coordinates[:, 0] - start)
    within = np.abs(d) < 0.5 * BACKLASH - 1e-4
    assert within.sum() > 5
    assert (force[within] == 0.0).all()
    at_end = ~within & (np.abs(force) > 1e-6)
    assert (np.sign(force[at_end]) == -np.sign(d[at_end])).all()
    assert {-1.0, 1.0} <= set(np.sign(d[at_end]))


def rack(**more: object) -> tuple[list, list, list]:
    """A pinion along X, and a rack that slides upright."""
    body, hinge = wheel("a", A, 0.0, orientation=FLAT)
    bar = {"name": "b", "mass": 2.0, "inertia": [0.1] * 3, "position": [0, 1, 0]}
    slide = {"name": "b axle", "type": "prismatic", "parent": None, "child": "b", "position": [0, 1, 0]}
    held = {"name": "rack", "type": "rack", "joint_a": "a axle", "joint_b": "b axle", "radius": 0.2, "backlash": 0.01}
    return [body, bar], [hinge, {**slide, "orientation": UP}], [{**held, **more}]


def test_a_rack_falls_freely_and_then_turns_its_pinion():
    found = simulate(mechanism(*rack()), 0.3, 240.0)
    t, fallen, mass = found.times, 0.005, 2.0
    met, whole = np.sqrt(2.0 * fallen / G), mass + A / 0.2**2
    since = np.maximum(0.0, t - met)
    z = np.where(t < met, -0.5 * G * t**2, -fallen)
    z -= mass * G * met / whole * since + 0.5 * mass * G / whole * since**2
    assert found.joint_coordinates[:, 1] == pytest.approx(z, abs=1e-12)
    assert found.joint_coordinates[:, 0] == pytest.approx(np.where(t < met, 0.0, (z + fallen) / 0.2), abs=1e-11)
    assert found.constraint_force[:, 0, 2] == pytest.approx(np.where(t < met, 0.0, mass * G * (1 - mass / whole)))


def played(drive: np.ndarray, half: float) -> np.ndarray:
    """The play operator (Krasnosel'skii and Pokrovskii 1989): what follows a drive (F,) with a dead band."""
    found, at = np.empty_like(drive), 0.0
    for k, each in enumerate(drive):
        found[k] = at = min(max(at, each - half), each + half)
    return found


@pytest.mark.parametrize(("integrator", "close"), [("adams", 1e-8), ("implicit", 1e-7), ("impulse", 1e-3)])
def test_a_train_held_by_friction_lags_by_each_backlash(integrator, close):
    """Three wheels, turned slowly to and fro by keys: as teeth cross their backlash friction keeps what is behind."""
    bodies, joints = zip(wheel("a", A, 0.0), wheel("b", B, 1.0), wheel("c", B, 2.0), strict=True)
    keyed = {"times": [0.0, 2.0, 4.0], "values": [0.0, 1.0, 0.0]}
    joints[0]["motor"] = {"mode": "keyed", "target": keyed}
    for joint in joints[1:]:
        joint["friction"] = [0.5]
    held = [gear(), gear(name="second", joint_a="b axle", joint_b="c axle", ratio=-2.0, backlash=0.04)]
    found = simulate(mechanism(list(bodies), list(joints), held), 4.0, 240.0, integrator=integrator)
    a, b, c = found.joint_coordinates.T
    assert a == pytest.approx(1.0 - 0.25 * (found.times - 2.0) ** 2, abs=close)
    assert b == pytest.approx(played(a, 0.05), abs=close)
    assert c == pytest.approx(-2.0 * played(b, 0.01), abs=3.0 * close)
    assert b[480] == pytest.approx(b[480 + int(240 * 0.4**0.5)], abs=close) != pytest.approx(b[640], abs=close)


@pytest.mark.parametrize("e", [0.0, 0.6])
def test_on_a_carrier_that_turns_no_angular_momentum_is_lost(e):
    """A sun and a planet on a free arm, which is thrown round; the arm feels what the teeth exert."""
    arm, pivot = wheel("arm", 0.8, 0.0, speeds=[1.5])
    bodies, joints = [arm], [pivot]
    for name, x, inertia, speed in (("a", 0.0, A, 4.0), ("b", 1.0, B, 0.0)):
        body, joint = wheel(name, inertia, x)
        bodies.append(body)
        joints.append(joint | {"parent": "arm", "speeds": [speed]})
    held = gear(ratio=-1.0, restitution=e)
    found = simulate(mechanism(bodies, joints, [held], gravity=[0, 0, 0]), 0.5, 120.0)
    spins = found.angular_velocity[:, :, 2] @ np.array([0.8, A, B])
    round_pivot = (found.position[:, 2, 0] * found.linear_velocity[:, 2, 1]) - (
        found.position[:, 2, 1] * found.linear_velocity[:, 2, 0]
    )
    assert spins + round_pivot == pytest.approx(float(spins[0] + round_pivot[0]), rel=1e-9)
    d = found.joint_coordinates[:, 2] + found.joint_coordinates[:, 1]
    assert np.abs(d).max() == pytest.approx(0.5 * BACKLASH, rel=0.05)
    assert np.abs(d).max() < 0.5 * BACKLASH + 1e-8
    if e == 0.0:  # the arm is free, so nothing drives the teeth apart
        assert d[-1] == pytest.approx(0.5 * BACKLASH, abs=1e-8)
        assert found.kinetic_energy[-1] < 0.9 * found.kinetic_energy[0]


def test_actions_change_the_backlash_and_nothing_jumps():
    actions = [
        {"time": 0.4, "target": "gear", "set": {"backlash": 0.3}},
        {"time": 0.8, "target": "gear", "set": {"backlash": 0.02}},
        {"time": 1.0, "target": "gear", "set": {"ratio": 2.0}},
        {"time": 1.2, "target": "gear", "set": {"backlash": 0.0}},
        {"time": 1.4, "target": "gear", "set": {"backlash": 0.1}},
    ]
    found = simulate(wheels(gear(), driven(), actions=actions), 1.7, 240.0)
    a, b = angles(found)
    speed_a, speed_b = found.joint_speeds[:, 0], found.joint_speeds[:, 1]
    steps = np.abs(np.diff(b)) - 1.001 * np.maximum(np.abs(speed_b[:-1]), np.abs(speed_b[1:])) / 240.0
    assert steps.max() < 1e-3 * np.abs(np.diff(b)).max()
    at = {time: round(time * 240.0) for time in (0.3, 0.41, 0.7, 0.9, 1.05, 1.3, 1.41, 1.69)}
    assert (b - a)[at[0.3]] == pytest.approx(-0.05, abs=1e-8)
    free = speed_b[at[0.41]]
    assert speed_b[at[0.41] + 1] == pytest.approx(free, abs=1e-12)  # it has let go, and 0.1 rad are left
    assert (b - a)[at[0.7]] == pytest.approx(-0.15, abs=1e-8)
    assert speed_b[at[0.9]] == pytest.approx(speed_a[at[0.9]], rel=1e-9)
    assert (b - a)[at[0.9]] == pytest.approx((b - a)[at[0.7]], abs=1e-8)  # at the end where it was
    assert speed_b[at[1.05]] == pytest.approx(2.0 * speed_a[at[1.05]], rel=1e-9)
    assert speed_b[at[1.3]] == pytest.approx(2.0 * speed_a[at[1.3]], rel=1e-9)
    assert speed_b[at[1.41] + 1] == pytest.approx(speed_b[at[1.41]], abs=1e-12)
    assert (b - 2.0 * a)[at[1.69]] - (b - 2.0 * a)[at[1.3]] == pytest.approx(-0.05, abs=1e-8)


def test_a_clutch_takes_hold_in_the_middle():
    actions = [{"time": 0.2, "target": "gear", "set": {"enabled": True}}]
    found = simulate(wheels(gear(enabled=False), driven(), actions=actions), 0.5, 240.0)
    a, b = angles(found)
    apart = float(np.interp(0.2, found.times, b - a))
    assert (b - a)[-1] == pytest.approx(apart - 0.5 * BACKLASH, abs=1e-6)
    assert found.joint_speeds[-1, 1] == pytest.approx(found.joint_speeds[-1, 0])


@pytest.mark.parametrize("method", ["recursive", "composite", "propagation", "lagrange"])
def test_methods_agree(method):
    found = simulate(wheels(gear(restitution=0.3), driven()), 0.4, 48.0, method=method)
    true = simulate(wheels(gear(restitution=0.3), driven()), 0.4, 48.0)
    assert found.joint_coordinates == pytest.approx(true.joint_coordinates, abs=1e-9)


WRONG = {
    "must be at most 1": {"restitution": 1.5},
    "must be at least 0": {"backlash": -0.1},
    "tau has no meaning with a backlash": {"tau": 0.1},
    "force has no meaning with a backlash": {"force": 10.0},
}


@pytest.mark.parametrize("message", WRONG)
def test_what_cannot_be_is_refused_by_name(message):
    with pytest.raises(MechanismError, match=f"'gear'.*{message}"):
        simulate(wheels(gear(**WRONG[message])), 0.1)


def test_quasi_statics_cannot_let_go_and_refuses_it_by_name():
    with pytest.raises(MechanismError, match=r"'gear'.*one side"):
        simulate(wheels(gear()), 0.1, integrator="quasi-static")


def test_motors_that_press_the_teeth_against_each_other_are_said():
    """As soon as they meet; the other way round they part."""
    a, b = ({"motor": {"mode": "speed", "target": speed}} for speed in (1.0, 0.5))
    with pytest.raises(SimulationFailed, match=r"at 0\.1 s: joint 'a axle', joint 'b axle'"):
        simulate(wheels(gear(), a, b), 0.5, 24.0)
    found = simulate(wheels(gear(backlash=1.0), a, b), 0.5, 24.0)
    assert np.diff(found.joint_coordinates[-1]) == pytest.approx(-0.25)


@pytest.mark.parametrize(("integrator", "close"), (EXACT | {"impulse": 1e-5}).items())
@pytest.mark.parametrize("off", [0.0, 1e-11, -1e-11])
def test_wheels_that_friction_slows_alike_press_by_nothing_and_take_few_steps(integrator, close, off):
    """The sign of a force between teeth that is rounding says nothing, nor does when it would be 0.

    off: m, by which one wheel's centre of mass is above its hinge: its weight turns it by less than what is rounding.
    """
    slows = 2.0
    a, b = ({"friction": [slows * inertia], "orientation": FLAT} for inertia in (A, B))
    given = wheels(gear(), a | {"speeds": [1.0]}, b).to_dict()
    given["bodies"][1]["position"][2] = off
    found = simulate(Mechanism.from_dict(given), 0.6, 240.0, integrator=integrator)
    met = (1.0 - np.sqrt(1.0 - slows * BACKLASH)) / slows
    together, t = A * (1.0 - slows * met) / (A + B), found.times
    since = np.clip(t - met, 0.0, together / slows)
    b_turned = together * since - 0.5 * slows * since**2
    a_turned = np.where(t < met, t - 0.5 * slows * t**2, b_turned + 0.5 * BACKLASH)
    assert angles(found) == pytest.approx(np.array([a_turned, b_turned]), abs=max(close, 1e-9))
    assert found.evaluations < 4000


def test_wheels_that_stop_with_their_drive_are_struck_once():
    """Friction holds them as the drive comes to rest; what is left of their speeds then is rounding, and no blow."""
    times = np.linspace(0.0, 1.5, 37)
    smooth = np.clip((times - 0.25) / 1.0, 0.0, 1.0)
    turns = [{"times": list(times), "values": list(3.0 * smooth**2 * (3.0 - 2.0 * smooth))}]
    drive = {"friction": [0.01], "motor": {"mode": "keyed", "target": turns}}
    train = wheel("a", A, 0.0, **drive), wheel("b", B, 1.0, friction=[20.0]), wheel("c", A, 2.0, friction=[35.0])
    bodies, joints = zip(*train, strict=True)
    second = gear(name="second", joint_a="b axle", joint_b="c axle", ratio=-1.0)
    found = simulate(mechanism(list(bodies), list(joints), [gear(ratio=-1.5), second]), 1.5, 48.0)
    blows = [(note.parts, note.values["when"]) for note in found.notes if note.code == "velocities-changed"]
    assert [parts for parts, _ in blows] == [(("body", "b"),), (("body", "c"),)]
    assert all(0.3 < float(when.removesuffix(" s")) < 0.5 for _, when in blows)
