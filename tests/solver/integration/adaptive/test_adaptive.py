# SPDX-License-Identifier: GPL-3.0-or-later
"""The adaptive integrator: hybrid linkages against fixed joints, its bound against the mass matrix, and its motion."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from solver import LiveRun, Mechanism, MechanismError, RunError, simulate
from solver.integration import METHODS, local_tolerance
from solver.integration.adaptive.hybrid import Hybrid, hybrid_of, rigid_parts
from solver.integration.adaptive.rigid_parts import speeds_of_momenta
from solver.integration.motion.observation import new_frames, write_now
from solver.mechanism import Body, Brake, Damping, Expression, Joint, Motor, Spring, Support
from solver.model.arrays import COMPOSITE, RECURSIVE, Model, Scratch, State, new_scratch
from solver.model.linkage.compilation import compile_linkages
from solver.simulation.initial_conditions import set_start
from tests.solver.random_mechanisms import GROUNDS, TYPES, ground, random_body, random_joint
from tests.truths.pendulums import Pendulum

ABOUT_Y = (math.sqrt(0.5), -math.sqrt(0.5), 0.0, 0.0)
PUSHED = 3.0  # N
INTERVAL = 1.0 / 24.0  # s


def random_tree(seed: int, count: int, root: str, types=TYPES) -> Mechanism:
    """Bodies in a bush, joints of all types with efforts and turned either way, forces at points and between bodies."""
    rng = np.random.default_rng(seed)
    bodies = [random_body(rng, f"body {i}") for i in range(count)]
    base = [ground(rng, "base", root)] if root in ("fixed", "keyed") else []
    joints = []
    for i, body in enumerate(bodies):
        inner = bodies[max(0, i - int(rng.integers(1, 4)))].name if i else ("base" if base else None)
        if i == 0 and root == "floating":
            continue
        ends = (inner, body.name) if i == 0 or rng.random() < 0.5 else (body.name, inner)
        joints.append(random_joint(rng, f"joint {i}", str(rng.choice(types)), *ends, efforts=True))
    joints = [replace(joint, friction=None, limits=None, motor=None) for joint in joints]
    a, b, c = (bodies[k].name for k in rng.choice(count, 3, replace=False))
    point, other = rng.normal(size=(2, 3))
    forces = [
        Motor("motor", body=a, point=point, force=(1.0, -2.0, 3.0)),
        Brake("brake", body=b, point=other, damping=2.0, max_force=5.0),
        Spring(
            "spring", body_a=a, point_a=point, body_b=c, point_b=other, stiffness=30.0, damping=2.0, rest_length=0.3
        ),
        Support("support", body=c, point=other, stiffness=100.0, damping=3.0, height=10.0),
        Expression("expression", body=b, point=point, force=("-x*vy", "z", "2*sin(3*t)")),
    ]
    return Mechanism(bodies=base + bodies, joints=joints, forces=forces)


def evaluated(mechanism: Mechanism, method: int = RECURSIVE) -> tuple[Model, State]:
    compiled = compile_linkages(mechanism, method)[0]
    set_start(mechanism, compiled)
    return compiled.model, compiled.state


def accelerations(model: Model, state: State, time: float = 0.0) -> tuple[Scratch, np.ndarray]:
    scratch, axes = new_scratch(model), len(model.armature)
    scratch.closed[:] = 2
    write_now(model, scratch, state, time, np.zeros(2 * axes), new_frames(model, 1))
    return scratch, scratch.accelerations.copy()


def gathered(hybrid: Hybrid, state: State) -> State:
    axes, charts = len(hybrid.axes), len(hybrid.charts)
    found = State(np.zeros(axes), np.zeros(axes), np.zeros((charts, 4)))
    hybrid.gather(state, found)
    return found


def some_held(mechanism: Mechanism, seed: int) -> tuple[np.ndarray, set[int]]:
    """(B,) whether each body's joint is active, as about half are and what floats, and the numbers of the others."""
    rng, compiled = np.random.default_rng(seed), compile_linkages(mechanism, RECURSIVE)[0]
    is_active = rng.random(len(compiled.model.bodies)) < 0.5
    is_active[: compiled.model.driven] = True
    joint = compiled.linkage.joint
    is_active[compiled.model.driven :] |= np.array([number is None for number in joint])
    return is_active, {joint[k] for k in np.flatnonzero(~is_active[compiled.model.driven :])}


def with_speeds(mechanism: Mechanism, seed: int) -> tuple[Model, State]:
    model, state = evaluated(mechanism)
    state.speeds[:] = np.random.default_rng(seed).normal(size=len(state.speeds))
    return model, state


@pytest.mark.parametrize("root", GROUNDS)
@pytest.mark.parametrize("seed", range(6))
def test_a_hybrid_moves_as_if_its_held_joints_were_fixed(root, seed):
    mechanism = random_tree(seed, 14, root)
    is_active, held = some_held(mechanism, seed)
    as_drawn = [replace(j, coordinates=None) if k in held else j for k, j in enumerate(mechanism.joints)]
    model, state = with_speeds(replace(mechanism, joints=as_drawn), seed)
    for body in np.flatnonzero(~is_active):
        state.speeds[model.bodies.axis_start[body] : model.bodies.axis_end[body]] = 0.0
    scratch, _ = accelerations(model, state)
    hybrid = hybrid_of(model, scratch, *rigid_parts(model, scratch, is_active))
    _, found = accelerations(hybrid.model, gathered(hybrid, state))
    fixed = [
        Joint(j.name, "fixed", j.parent, j.child, position=j.position, orientation=j.orientation) if k in held else j
        for k, j in enumerate(mechanism.joints)
    ]
    other, of_other = evaluated(replace(mechanism, joints=fixed))
    of_other.speeds[:] = state.speeds[hybrid.axes]
    _, expected = accelerations(other, of_other)
    assert 0 < len(expected) < len(state.speeds)
    assert found == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(4))
def test_what_floats_keeps_its_momentum_when_joints_are_held(seed):
    mechanism = random_tree(seed, 14, "floating")
    is_active, _ = some_held(mechanism, seed)
    model, state = with_speeds(mechanism, seed)
    scratch, _ = accelerations(model, state)
    part, parts = rigid_parts(model, scratch, is_active)
    hybrid = hybrid_of(model, scratch, part, parts)
    of_hybrid, room = gathered(hybrid, state), new_scratch(hybrid.model)
    along = hybrid.model.armature * of_hybrid.speeds
    speeds_of_momenta(hybrid.model, 0.0, of_hybrid, room, parts, along)
    before, energy = momentum_and_energy(model, scratch, state)
    hybrid.scatter(of_hybrid, state)
    scratch, _ = accelerations(model, state)
    after, left = momentum_and_energy(model, scratch, state)
    assert after == pytest.approx(before, abs=1e-11 * np.abs(before).max())
    assert left < energy


def momentum_and_energy(model: Model, scratch: Scratch, state: State) -> tuple[np.ndarray, float]:
    """Linear and angular momentum about the origin, and kinetic energy with that of armatures."""
    total, energy = np.zeros(6), 0.5 * model.armature @ state.speeds**2
    for body, moving in zip(model.bodies[model.driven :], scratch.bodies[model.driven :], strict=True):
        R, (xx, xy, xz, yy, yz, zz) = moving.rotation.reshape(3, 3), body.inertia
        spin = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T @ moving.angular
        push = body.mass * moving.linear
        total += [*push, *(spin + np.cross(moving.center, push))]
        energy += 0.5 * (moving.angular @ spin + push @ moving.linear)
    return total, energy


def pushed_tree(seed: int, count: int = 40) -> Mechanism:
    """A tree at rest on joints with springs, one of whose bodies is pushed to and fro."""
    rng = np.random.default_rng(seed)
    types = ("revolute", "spherical", "universal", "prismatic")
    mechanism = random_tree(seed, count, "world", types)
    joints = [
        replace(
            joint,
            coordinates=None,
            speeds=None,
            rest=None,
            stiffness=(40.0,) * joint.count,
            damping=(1.0,) * joint.count,
            armature=None,
        )
        for joint in mechanism.joints
    ]
    body = mechanism.bodies[int(rng.integers(count // 2, count))]
    push = Expression("push", body=body.name, point=body.position, force=(f"{PUSHED}*sin(9*t)", "0", f"{PUSHED}*t"))
    return replace(mechanism, joints=joints, forces=[push], gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("bound", [10.0, 1.0, 0.1])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_left_out_is_within_the_bound(seed, bound):
    """Against the dense mass matrix, where each step begins and where it ends."""
    mechanism = pushed_tree(seed)
    compiled = compile_linkages(mechanism, RECURSIVE)[0]
    set_start(mechanism, compiled)
    compiled.error_bound = bound
    model, method = compiled.model, METHODS["adaptive"]
    dense = evaluated(mechanism, COMPOSITE)[0]
    tolerance = local_tolerance("adaptive", model, 1e-6, 1e-7)
    weights = np.where(model.is_length, 1.0 / model.size, 1.0)
    memory, scratch = method.new_memory(compiled, compiled.state, INTERVAL), new_scratch(model)
    owner = np.repeat(np.arange(len(model.bodies)), model.bodies.axis_end - model.bodies.axis_start)
    times, frames, frame, most = np.arange(25) * INTERVAL, new_frames(model, 25), 0, 0
    for step in range(24):
        _, at_start = accelerations(dense, memory.motion.state, memory.clock[0].time)
        status, frame = method.advance(
            model, scratch, memory, tolerance, step == 0, 2.0, times[step + 1], 1.0, times, frame, frames, 10**6
        )
        _, at_end = accelerations(dense, memory.motion.state, memory.clock[0].time)
        is_held = ~memory.region.is_active[owner]
        most = max(most, np.count_nonzero(is_held))
        left = [float(np.linalg.norm((values * weights)[is_held])) for values in (at_start, at_end)]
        assert left[0] <= 0.5 * bound * (1.0 + 1e-9)
        assert left[1] <= bound * (1.0 + 1e-9)
    assert most > 0
    assert 0.0 < memory.clock[0].left_out <= bound


@pytest.mark.parametrize("seed", range(3))
def test_the_motion_comes_nearer_with_the_bound(seed):
    """Within a second all accelerations left out, with the whole linkage as their arm, lead bound size t^2 / 2 off.

    Speeds that are stopped may add as much, in each step.
    """
    mechanism = pushed_tree(seed)
    true, size = simulate(mechanism, 1.0, relative=1e-9).position, evaluated(mechanism)[0].size
    bounds, off = (1.0, 0.1, 0.01, 1e-3, 0.0), []
    for bound in bounds:
        found = simulate(mechanism, 1.0, integrator="adaptive", error_bound=bound).position
        off.append(float(np.abs(found - true).max()))
        assert off[-1] < 1.0 * bound * size + 1e-6
    assert off[0] > 3.0 * off[2] > 9.0 * off[3]


@pytest.mark.parametrize("relative", [1e-4, 1e-6, 1e-8])
def test_with_a_bound_of_zero_a_pendulum_swings_as_by_elliptic_functions(relative):
    """A bar of a metre, released level: its angle, and its energy, to the tolerance."""
    bar = Body("bar", mass=2.0, inertia=(0.01, 1.0 / 6.0, 1.0 / 6.0), position=(0.5, 0.0, 0.0))
    hinge = Joint("hinge", "revolute", None, "bar", position=(0.0, 0.0, 0.0), orientation=ABOUT_Y)
    found = simulate(
        Mechanism(bodies=[bar], joints=[hinge]), 3.0, integrator="adaptive", error_bound=0.0, relative=relative
    )
    truth = Pendulum(0.5 * math.pi, math.sqrt(9.81 * 1.5)).angle(found.times)
    x, z = found.position[:, 0, 0], found.position[:, 0, 2]
    assert np.arctan2(x, -z) == pytest.approx(truth, abs=10.0 * relative)
    energy = found.kinetic_energy + found.potential_energy
    assert np.ptp(energy) <= 10.0 * relative * found.kinetic_energy.max()


def test_holding_joints_never_adds_energy():
    """Without dampers: bodies swing with what one joint began with, less what is stopped."""
    mechanism = pushed_tree(1)
    joints = [replace(joint, damping=None) for joint in mechanism.joints]
    joints[30] = replace(joints[30], speeds=(1.0,) * joints[30].count)
    hanging = replace(mechanism, joints=joints, forces=[])
    found = simulate(hanging, 2.0, integrator="adaptive", error_bound=0.5)
    energy = found.kinetic_energy + found.potential_energy
    most = found.kinetic_energy.max()
    assert np.diff(energy).max() <= 1e-5 * most
    assert energy[-1] < energy[0] - 1e-5 * most


def test_an_advance_in_pieces_is_the_same_to_the_last_bit():
    mechanism = pushed_tree(2)
    compiled = compile_linkages(mechanism, RECURSIVE)[0]
    set_start(mechanism, compiled)
    model, method, times = compiled.model, METHODS["adaptive"], np.arange(13) * INTERVAL
    tolerance, found = local_tolerance("adaptive", model, 1e-6, 1e-7), []
    for cuts, evaluations in (([0.5], 10**6), ([0.07, 0.11, 0.3, 0.5], 1)):
        memory = method.new_memory(compiled, compiled.state, INTERVAL)
        frames, scratch, frame, begin = new_frames(model, 13), new_scratch(model), 0, True
        for until in cuts:
            status = 1
            while status == 1:
                status, frame = method.advance(
                    model, scratch, memory, tolerance, begin, 1.0, until, 1.0, times, frame, frames, evaluations
                )
                begin = False
        found.append(frames.coordinates)
    assert (found[0] == found[1]).all()
    memory_time = memory.clock[0].time
    method.go_to(model, scratch, memory, tolerance, memory_time - 0.01)
    assert memory.clock[0].time == pytest.approx(memory_time - 0.01)


def test_a_live_run_with_a_hand_plays_again_to_the_last_bit():
    live = LiveRun(pushed_tree(3), 24.0, integrator="adaptive", error_bound=0.5)
    assert live.advance(6, np.inf)
    hand = live.grab("body 5", (0.5, 0.0, -0.2), stiffness=5.0, damping=1.0)
    live.drag(hand, (1.0, 0.2, 0.5))
    while not live.advance(12, 0.0):
        pass
    live.let_go(hand)
    assert live.advance(18, np.inf)
    again = simulate(live.mechanism, 0.75, integrator="adaptive", error_bound=0.5)
    assert np.array_equal(live.recording().position, again.position)


def test_its_notes_say_how_many_joints_were_simulated():
    found = simulate(pushed_tree(0), 0.5, integrator="adaptive", error_bound=1.0)
    note = next(note for note in found.notes if note.code == "simulated-joints")
    assert note.values["count"] == 40
    assert 0 < note.values["mean"] <= note.values["most"] < 40


def test_it_names_what_it_cannot_do():
    mechanism = pushed_tree(0, 5)
    body = mechanism.bodies[0].name
    damped = replace(mechanism, forces=[Damping("air", body=body, linear=1.0)])
    with pytest.raises(MechanismError, match=r"'air'.*middle"):
        simulate(damped, 0.1, integrator="adaptive")
    with pytest.raises(RunError, match="recursive"):
        simulate(mechanism, 0.1, integrator="adaptive", method="composite")
    with pytest.raises(RunError, match="error_bound"):
        simulate(mechanism, 0.1, integrator="adaptive", error_bound=-1.0)
