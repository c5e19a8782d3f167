# SPDX-License-Identifier: GPL-3.0-or-later
"""Cams that push and never pull: when a follower lifts off, when it is struck, and what the jerk takes.

The eccentric: a circle of radius R whose middle is e beside its shaft, under a roller of radius r. At an angle x the
roller's height is h(x) = e sin x + sqrt(L^2 - e^2 cos^2 x), L = R + r.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from solver import Mechanism, MechanismError, simulate

G = 9.81
E, R, ROLLER, MASS, SPRING = 0.02, 0.05, 0.01, 0.5, 40.0
L = R + ROLLER
PRESSED = 0.03  # m: by which the spring is pressed at the start
UP, ABOUT_Y = [1.0, 0.0, 0.0, 0.0], [0.5**0.5, 0.5**0.5, 0.0, 0.0]
CLOSE = {"adams": 2e-6, "runge-kutta": 2e-5, "implicit": 2e-5, "impulse": 4e-4}
ANGLES = np.arange(64) * 2.0 * np.pi / 64


def height(x: float | np.ndarray) -> float | np.ndarray:
    return E * np.sin(x) + np.sqrt(L * L - (E * np.cos(x)) ** 2)


def slope(x: float) -> float:
    return E * np.cos(x) + E * E * np.cos(x) * np.sin(x) / np.sqrt(L * L - (E * np.cos(x)) ** 2)


def bend(x: float) -> float:
    return (slope(x + 1e-5) - slope(x - 1e-5)) / 2e-5


def ring(radius: float, middle: float = 0.0) -> list[list[float]]:
    return [[middle + radius * float(np.cos(a)), 0.0, radius * float(np.sin(a))] for a in ANGLES]


def slider(name: str, z: float, **more: object) -> dict:
    joint = {"name": f"{name} guide", "type": "prismatic", "parent": None, "child": name, "position": [0, 0, z]}
    return {**joint, "orientation": UP, **more}


def follower(z: float, **more: object) -> dict:
    return {"name": "follower", "mass": MASS, "inertia": [1e-3] * 3, "position": [0, 0, z], **more}


def shaft(speed: float, **more: object) -> list[dict]:
    """The cam's body, and its hinge along Y."""
    body = {"name": "cam", "mass": 1.0, "inertia": [2e-3] * 3, "position": [0, 0, 0]}
    joint = {"name": "shaft", "type": "revolute", "parent": None, "child": "cam", "position": [0, 0, 0]}
    return [body, {**joint, "orientation": ABOUT_Y, "speeds": [speed], **more}]


def profile(points: list, z: float, **more: object) -> dict:
    held = {"name": "profile", "type": "curve", "body": "follower", "point": [0, 0, z], "points": points}
    return {**held, "closed": True, "to": "cam", "one_sided": "outside", **more}


def mechanism(bodies: list, joints: list, constraints: list, **more: object) -> Mechanism:
    parts = {"bodies": bodies, "joints": joints, "constraints": constraints}
    return Mechanism.from_dict({"format": "ves-mechanism", "version": 1, **parts, **more})


def eccentric(speed: float, stiffness: float = SPRING, **motor: object) -> Mechanism:
    """Turning evenly, its follower pressed on it by its weight and a spring."""
    z = float(height(0.0))
    cam, hinge = shaft(speed, motor={"mode": "speed", "target": speed, **motor})
    guide = slider("follower", z, stiffness=stiffness, rest=-PRESSED)
    return mechanism([cam, follower(z)], [hinge, guide], [profile(ring(R, E), z, radius=ROLLER)])


def downwards(z: float) -> float:
    """N: by which spring and weight press the follower."""
    return MASS * G + SPRING * (z - height(0.0) + PRESSED)


def truth(speed: float, times: np.ndarray) -> tuple[np.ndarray, list[float], list[float]]:
    """(heights, times of lifting off, times of landing), by scipy: on the profile the height is h."""
    heights, lifts, lands = np.array(height(speed * times)), [], []
    time, end = 1e-3, float(times[-1])

    def pressing(t: float) -> float:
        return MASS * bend(speed * t) * speed**2 + downwards(height(speed * t))

    while time < end:
        steps = np.linspace(time, end, 4000)
        lost = [k for k, t in enumerate(steps) if pressing(t) < 0.0]
        if not lost:
            break
        lift = brentq(pressing, steps[max(lost[0] - 1, 0)], steps[lost[0]], xtol=1e-14) if lost[0] else time

        def lands_at(t: float, y: np.ndarray) -> float:
            return y[0] - height(speed * t)

        lands_at.terminal, lands_at.direction = True, -1
        start = [height(speed * lift), speed * slope(speed * lift)]
        flight = solve_ivp(
            lambda _, y: (y[1], -downwards(y[0]) / MASS), (lift, end + 1.0), start, events=lands_at, rtol=1e-12,
            atol=1e-14, dense_output=True, first_step=1e-4,
        )  # fmt: skip
        land = float(flight.t_events[0][0])
        flying = (times > lift) & (times < land)
        heights[flying] = flight.sol(times[flying])[0]
        lifts.append(lift)
        lands.append(land)
        time = land
    return heights, lifts, lands


def highest_speed() -> float:
    """rad/s: at which it is just not lifted off, where h'' = -e (1 + e / L): on top."""
    top = height(0.5 * np.pi)
    return float(np.sqrt(downwards(top) / (MASS * E * (1.0 + E / L))))


@pytest.mark.parametrize(("share", "lifts"), [(0.998, False), (1.002, True)])
def test_an_eccentric_lifts_its_follower_off_above_a_speed(share, lifts):
    """m e w^2 (1 + e / L) against weight and spring."""
    speed = share * highest_speed()
    found = simulate(eccentric(speed), 0.09, 240.0)
    off = found.position[:, 1, 2] - height(speed * found.times)
    assert bool(off.max() > 1e-7) == lifts
    assert (np.abs(found.constraint_force[1:, 0]).max(axis=1) == 0.0).any() == lifts


@pytest.mark.parametrize(("integrator", "close"), CLOSE.items())
def test_it_lifts_off_and_lands_when_the_equation_says(integrator, close):
    speed = 1.4 * highest_speed()
    found = simulate(eccentric(speed), 0.21, 240.0, integrator=integrator)
    heights, lifts, lands = truth(speed, found.times)
    assert len(lifts) >= 1
    assert found.position[:, 1, 2] == pytest.approx(heights, abs=close)
    flying = np.zeros(len(found.times), bool)
    for lift, land in zip(lifts, lands, strict=True):
        flying |= (found.times > lift + 1e-3) & (found.times < land - 1e-3)
    assert flying.sum() > 10
    assert np.abs(found.constraint_force[flying, 0]).max() == 0.0
    if integrator != "adams":
        return
    jerks = [float(re.search(r"at ([\d.e-]+) s", note)[1]) for note in found.notes if "velocities changed" in note]
    assert min(abs(jerk - lands[0]) for jerk in jerks) < 1e-6
    on = ~flying & (np.abs(found.position[:, 1, 2] - height(speed * found.times)) < 1e-7) & (found.times > 1e-3)
    push = [MASS * bend(speed * t) * speed**2 + downwards(height(speed * t)) for t in found.times[on]]
    assert found.constraint_force[on, 0, 2] == pytest.approx(push, rel=4e-3, abs=0.03)
    assert len(push) >= 4


def test_energy_is_lost_in_the_jerk_alone():
    """By 1/2 u^2 / (1/m + h'^2 / J), u the speed at which they come together; the shaft is free."""
    speed, inertia, z = 32.0, 2e-3, float(height(0.0))
    cam, hinge = shaft(speed)
    parts = [cam, follower(z)], [hinge, slider("follower", z)], [profile(ring(R, E), z, radius=ROLLER)]
    found = simulate(mechanism(*parts, gravity=[0, 0, -G]), 0.25, 960.0, relative=1e-9)
    energy = found.kinetic_energy + found.potential_energy
    jumps = np.flatnonzero(np.abs(np.diff(energy)) > 1e-7 * energy[0])
    jumps = jumps[jumps > 0]  # at the very start the follower is at rest, and the cam is not
    assert len(jumps) == 1
    k = int(jumps[0])
    x, w = found.joint_coordinates[k, 0], found.joint_speeds[k, 0]
    y, v = found.position[k, 1, 2], found.linear_velocity[k, 1, 2]
    # the cam's own middle is off the shaft, but not its centre of mass: it turns evenly while the follower flies
    after = brentq(lambda t: y + v * t - 0.5 * G * t * t - height(x + w * t), 0.0, found.times[k + 1] - found.times[k])
    u, h = slope(x + w * after) * w - (v - G * after), slope(x + w * after)
    assert energy[k] - energy[k + 1] == pytest.approx(0.5 * u * u / (1.0 / MASS + h * h / inertia), rel=1e-4)
    assert np.delete(np.diff(energy), [0, k]) == pytest.approx(0.0, abs=1e-8 * energy[0])


def lobes(count: int = 3) -> np.ndarray:
    radius = 0.05 + 0.006 * np.cos(count * ANGLES)
    return np.stack([radius * np.cos(ANGLES), 0.0 * ANGLES, radius * np.sin(ANGLES)], axis=1)


def test_a_roller_is_led_as_by_the_offset_curve():
    """Slowly turned, so that it stays on: its middle is where a curve parallel to the profile meets the guide."""
    from scipy.interpolate import CubicSpline

    points = np.vstack([lobes(), lobes()[:1]])[:, [0, 2]]
    chords = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    spline = CubicSpline(chords, points, bc_type="periodic")
    s = np.linspace(0.0, chords[-1], 40001)
    tangent = spline(s, 1) / np.linalg.norm(spline(s, 1), axis=1)[:, None]
    offset = spline(s) + ROLLER * np.stack([tangent[:, 1], -tangent[:, 0]], axis=1)

    def meets(turn: float) -> float:
        """Height of the highest point of the offset curve, turned from Z to X, on the guide."""
        c, n = np.cos(turn), np.sin(turn)
        x, z = c * offset[:, 0] + n * offset[:, 1], c * offset[:, 1] - n * offset[:, 0]
        k = np.flatnonzero((x[:-1] * x[1:] <= 0.0) & (z[:-1] > 0.0))
        return float(max(z[k] - x[k] * (z[k + 1] - z[k]) / (x[k + 1] - x[k])))

    z0 = meets(0.0)
    cam, hinge = shaft(4.0, motor={"mode": "speed", "target": 4.0})
    guide = slider("follower", z0)
    held = profile(lobes().tolist(), z0, radius=ROLLER)
    found = simulate(mechanism([cam, follower(z0)], [hinge, guide], [held]), 1.0, 24.0)
    turned = [2.0 * np.arctan2(q[2], q[0]) for q in found.orientation[:, 0]]
    assert found.position[:, 1, 2] == pytest.approx([meets(turn) for turn in turned], abs=1e-7)
    assert np.ptp(found.position[:, 1, 2]) > 0.01


@pytest.mark.parametrize("restitution", [0.5, 0.8])
@pytest.mark.parametrize("integrator", ["adams", "impulse"])
def test_a_follower_that_falls_on_its_cam_bounces(restitution, integrator):
    z0 = 0.2
    held = profile(ring(R), z0, radius=ROLLER, to=None, restitution=restitution)
    del held["to"]
    found = simulate(mechanism([follower(z0)], [slider("follower", z0)], [held]), 0.6, 48.0, integrator=integrator)
    time, speed = float(np.sqrt(2.0 * (z0 - L) / G)), float(np.sqrt(2.0 * (z0 - L) * G))
    heights = z0 - 0.5 * G * found.times**2
    while time < found.times[-1] and speed > 1e-6:
        speed *= restitution
        since = found.times - time
        heights = np.where(since >= 0.0, np.maximum(L, L + speed * since - 0.5 * G * since**2), heights)
        time += 2.0 * speed / G
    heights = np.where(found.times >= time, L, heights)
    assert found.position[:, 0, 2] == pytest.approx(heights, abs=1e-7 if integrator == "adams" else 1e-3)


def snail() -> list[list[float]]:
    """A spiral that grows with the angle, and a drop."""
    angles = np.linspace(0.25, 2.0 * np.pi - 0.05, 48)
    radius = 0.03 + 0.03 * angles / (2.0 * np.pi)
    return [[float(r * np.cos(a)), 0.0, float(r * np.sin(a))] for r, a in zip(radius, angles, strict=True)]


def test_from_the_nose_of_a_snail_it_falls_freely():
    z0, speed = 0.12, -6.0
    cam, hinge = shaft(speed, motor={"mode": "speed", "target": speed})
    parts = [cam, follower(z0)], [hinge, slider("follower", z0)], [profile(snail(), z0, radius=0.004)]
    found = simulate(mechanism(*parts), 1.3, 240.0)
    fall = np.gradient(found.linear_velocity[:, 1, 2], found.times)
    free = np.isclose(fall, -G, atol=1e-3)
    drops = np.flatnonzero(free[1:-1] & free[2:] & free[:-2] & (found.times[1:-1] > 0.3)) + 1
    assert len(drops) > 10  # at 240 frames a second
    assert np.abs(found.constraint_force[drops, 0]).max() == 0.0
    assert found.position[:, 1, 2].max() < 0.1201
    assert found.position[found.times > 0.5, 1, 2].min() > 0.03


def test_where_a_roller_is_too_large_for_a_hollow_it_is_struck_on_its_other_side():
    """It bridges the hollows of a cross, and never reaches into the profile."""
    radius = 0.04 + 0.02 * np.cos(4.0 * ANGLES)
    points = np.stack([radius * np.cos(ANGLES), 0.0 * ANGLES, radius * np.sin(ANGLES)], axis=1)
    z0, speed, large = 0.11, 5.0, 0.045
    cam, hinge = shaft(speed, motor={"mode": "speed", "target": speed})
    parts = [cam, follower(z0)], [hinge, slider("follower", z0)], [profile(points.tolist(), z0, radius=large)]
    found = simulate(mechanism(*parts), 1.0, 60.0)
    assert any("does not fit into a hollow" in note for note in found.notes)
    for position, turn in zip(found.position[:, 1], found.orientation[:, 0], strict=True):
        angle = 2.0 * np.arctan2(turn[2], turn[0])
        c, n = np.cos(angle), np.sin(angle)
        there = np.stack([c * points[:, 0] + n * points[:, 2], c * points[:, 2] - n * points[:, 0]], axis=1)
        assert np.linalg.norm(there - position[[0, 2]], axis=1).min() > large - 1e-5
    assert np.ptp(found.position[found.times > 0.3, 1, 2]) > 0.002


def test_a_free_cam_is_pushed_away_as_hard():
    """Two free bodies in space: momentum and angular momentum stay through jerk and rolling off."""
    cam = {"name": "cam", "mass": 1.0, "inertia": [2e-3] * 3, "position": [0, 0, 0]}
    ball = follower(0.1, linear_velocity=[0.05, 0.3, -1.0])
    held = profile(ring(R, E), 0.1, radius=ROLLER)
    found = simulate(mechanism([cam, ball], [], [held], gravity=[0, 0, 0]), 0.3, 60.0)
    mass = np.array([1.0, MASS])
    momentum = (mass[:, None] * found.linear_velocity).sum(axis=1)
    spin = (mass[:, None] * np.cross(found.position, found.linear_velocity)).sum(axis=1)
    spin += found.angular_velocity[:, 0] * 2e-3 + found.angular_velocity[:, 1] * 1e-3
    assert momentum == pytest.approx(np.tile(momentum[0], (len(momentum), 1)), abs=1e-9)
    assert spin == pytest.approx(np.tile(spin[0], (len(spin), 1)), abs=1e-9)
    assert np.abs(found.linear_velocity[-1, 0]).max() > 0.1


@pytest.mark.parametrize("method", ["recursive", "composite", "propagation", "lagrange"])
def test_methods_agree_on_a_push(method):
    """m (h'' w^2 + g) and the spring, as the cam begins to turn with the follower at its speed."""
    speed, z = 10.0, float(height(0.0)) - 1e-7  # on the profile but for rounding
    cam, hinge = shaft(speed, motor={"mode": "speed", "target": speed})
    moving = follower(z, linear_velocity=[0, 0, speed * slope(0.0)])
    guide = slider("follower", z, stiffness=SPRING, rest=-PRESSED)
    held = mechanism([cam, moving], [hinge, guide], [profile(ring(R, E), z, radius=ROLLER)])
    force = simulate(held, 0.0, method=method).constraint_force[0, 0]
    assert force[2] == pytest.approx(MASS * bend(0.0) * speed**2 + downwards(z), rel=1e-3)
    assert force[0] / force[2] == pytest.approx(-E / z, rel=1e-4)  # along the normal, from the circle's middle


def test_an_open_profile_pushes_to_its_left():
    """A wedge that is led under a follower lifts it."""
    x = np.linspace(-0.5, 0.0, 41)
    share = np.clip((x + 0.38) / 0.3, 0.0, 1.0)
    ramp = np.stack([x, 0.0 * x, 0.1 * share**3 * (10.0 - 15.0 * share + 6.0 * share**2)], axis=1)
    wedge = {"name": "cam", "motion": "keyed", "position": [0, 0, 0]}
    wedge["keys"] = {"times": [0, 1], "positions": [[0.45, 0, 0], [0.05, 0, 0]], "orientations": [UP, UP]}
    held = profile(ramp.tolist(), 0.02, closed=False, one_sided="left", axis=[0, -1, 0])
    parts = [wedge, follower(0.02)], [slider("follower", 0.02)], [held | {"radius": 0.01}]
    found = simulate(mechanism(*parts), 1.0, 24.0)
    assert found.position[2, 1, 2] == pytest.approx(0.01, abs=1e-5)
    assert found.position[-1, 1, 2] == pytest.approx(0.11, abs=1e-4)


WRONG = {
    "needs one_sided": {"one_sided": None, "radius": 0.01},
    "must be outside or inside": {"one_sided": "left"},
    "needed for an open curve": {"closed": False, "one_sided": "left"},
    "lies in the plane": {"axis": [1.0, 0.0, 0.0]},
    "enclose no area": {"points": [[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]]},
    "turns nothing": {"align": "tangent"},
    "inside the profile": {"point": [0.0, 0.0, 0.02]},
}


@pytest.mark.parametrize("message", WRONG)
def test_what_cannot_be_is_refused_by_name(message):
    z = float(height(0.0))
    cam, hinge = shaft(1.0)
    held = profile(ring(R, E), z) | WRONG[message]
    held = {key: value for key, value in held.items() if value is not None}
    with pytest.raises(MechanismError, match=f"'profile'.*{message}"):
        simulate(mechanism([cam, follower(z)], [hinge, slider("follower", z)], [held]), 0.1)


def test_quasi_statics_cannot_let_go_and_refuses_it_by_name():
    parts = eccentric(1.0)
    parts.joints[0].motor = None
    with pytest.raises(MechanismError, match=r"'profile'.*one side"):
        simulate(parts, 0.1, integrator="quasi-static")


def test_a_cam_that_never_touches_is_named():
    z0 = 0.3
    held = profile(ring(R, E), z0, radius=ROLLER)
    cam, hinge = shaft(1.0)
    guide = slider("follower", z0, stiffness=1e4, rest=0.0)
    found = simulate(mechanism([cam, follower(z0)], [hinge, guide], [held]), 0.1)
    assert any("'profile'" in note and "never touches" in note for note in found.notes)
