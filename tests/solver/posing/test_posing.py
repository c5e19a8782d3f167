# SPDX-License-Identifier: GPL-3.0-or-later
"""Quasi-static posing: exact against the other methods, and never further from exact than it was allowed to be."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from solver import Mechanism, MechanismError, Posing, evaluate
from solver.mechanism import Body, Joint, Motor, Nail
from solver.posing import MEASURES, warm_up
from solver.posing import engine as engine_module
from solver.posing.steps import fill_all, run_steps
from tests.solver.comparison import turned_apart
from tests.solver.random_mechanisms import mechanisms

IDENTITY = (1.0, 0.0, 0.0, 0.0)
ROUNDING = 1e-9  # of the largest acceleration, by the conditioning of the drawn masses and arms
some = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def at_rest(mechanism: Mechanism) -> Mechanism:
    """The same with nothing that moves it."""
    for body in mechanism.bodies:
        body.linear_velocity = body.angular_velocity = None if body.motion == "keyed" else (0.0, 0.0, 0.0)
        if body.motion == "keyed":  # posing has no time: it stands where it is
            body.motion, body.keys = "fixed", None
    for joint in mechanism.joints:
        joint.speeds = None
    return dataclasses.replace(mechanism, gravity=(0.0, 0.0, 0.0))


def trees(most: int):
    return mechanisms(most=most, efforts=False, forces=False).map(at_rest)


def pushes(mechanism: Mechanism, seed: int, count: int) -> list[tuple]:
    """(body, point in the world, force, moment, whether both are along the body's axes) at the pose of the file."""
    rng = np.random.default_rng(seed)
    names = [body.name for body in mechanism.bodies if body.motion == "dynamic"]
    return [
        (names[rng.integers(len(names))], rng.normal(size=3), rng.normal(size=3), rng.normal(size=3), k % 2 == 1)
        for k in range(count)
    ]


def rotated(q, v: np.ndarray) -> np.ndarray:
    """A vector turned by a quaternion."""
    w, u = q[0], np.asarray(q[1:])
    return v + 2.0 * w * np.cross(u, v) + 2.0 * np.cross(u, np.cross(u, v))


def turned_back(q, v: np.ndarray) -> np.ndarray:
    return rotated((q[0], -q[1], -q[2], -q[3]), v)


def posing_of(
    mechanism: Mechanism, drawn: list[tuple], error: float = 0.0, measure: str = "relative joint", **options
) -> Posing:
    posing = Posing(mechanism, error, measure, **options)
    bodies = {body.name: body for body in mechanism.bodies}
    for name, point, force, moment, along_body in drawn:
        body = bodies[name]
        posing.push(name, force, moment, turned_back(body.orientation, point - np.array(body.position)), along_body)
    return posing


def as_motors(mechanism: Mechanism, drawn: list[tuple]) -> Mechanism:
    """The same pushes for the other methods; those along the world's axes at zero coordinates only."""
    bodies = {body.name: body for body in mechanism.bodies}
    motors = [
        Motor(
            f"push {k}",
            body=name,
            point=point,
            orientation=bodies[name].orientation if along_body else IDENTITY,
            force=tuple(force),
            torque=tuple(moment),
        )
        for k, (name, point, force, moment, along_body) in enumerate(drawn)
    ]
    return dataclasses.replace(mechanism, forces=motors)


def accelerations(posing: Posing) -> list[tuple[np.ndarray, np.ndarray]]:
    """(joint accelerations, their squares by joint as they count) of each pushed linkage."""
    found = []
    for engine in posing._engines.values():
        joints, second = engine.linkage.joints, engine.linkage.accelerations
        squares = [
            sum(joint.weight[k] * second[joint.axis_start + k] ** 2 for k in range(6 - joint.held))
            for joint in joints[engine.model.driven :]
        ]
        found.append((second.copy(), np.array(squares)))
    return found


def computed(posing: Posing) -> None:
    """Zeros where the last step computed nothing."""
    for engine in posing._engines.values():
        engine.linkage.accelerations[:] = 0.0


@pytest.mark.fallback
@some
@given(trees(12), st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_without_error_accelerations_are_those_of_the_other_methods(mechanism, seed, count):
    for joint in mechanism.joints:
        joint.coordinates = None
    drawn = pushes(mechanism, seed, count)
    posing = posing_of(mechanism, drawn)
    posing.advance(1e-9)
    expected = evaluate(as_motors(mechanism, drawn), "recursive")
    largest = max(1.0, np.abs(expected.joint_acceleration).max(initial=0.0))
    for k, engine in posing._engines.items():
        linkage = posing._linkages[k]
        for number, j in enumerate(linkage.joint):
            if j is not None:
                joint = engine.linkage.joints[engine.model.driven + number]
                got = engine.linkage.accelerations[joint.axis_start : joint.axis_start + 6 - joint.held]
                at = expected.joint_offsets[j]
                assert (
                    np.abs(got - expected.joint_acceleration[at : at + len(got)]).max(initial=0.0) < ROUNDING * largest
                )


@some
@given(
    trees(40),
    st.integers(0, 2**32 - 1),
    st.integers(1, 4),
    st.sampled_from(sorted(MEASURES)),
    st.floats(1e-7, 1.0),
)
def test_the_error_never_exceeds_its_bound(mechanism, seed, count, measure, error):
    """Along a motion of eight steps, each compared with all accelerations in the same pose."""
    drawn = pushes(mechanism, seed, count)
    posing = posing_of(mechanism, drawn, error, measure)
    for _ in range(8):
        here = posing.state()
        computed(posing)
        posing.set_error(0.0)
        posing.advance(1e-9)
        exact = accelerations(posing)
        posing.restore(here)
        computed(posing)
        posing.set_error(error)
        posing.advance(0.05)
        for engine, (_, squares), (all_second, all_squares) in zip(
            posing._engines.values(), accelerations(posing), exact, strict=True
        ):
            scale = max(1e-12, np.abs(all_second).max(initial=0.0))
            left_out = np.where(squares == 0.0, all_squares, 0.0)
            is_known = squares > 0.0
            assert np.allclose(squares[is_known], all_squares[is_known], rtol=1e-6, atol=(1e-9 * scale) ** 2)
            missing = {
                "absolute linkage": np.sqrt(left_out.sum()),
                "relative linkage": np.sqrt(left_out.sum() / max(all_squares.sum(), 1e-300)),
                "absolute joint": np.sqrt(left_out.max(initial=0.0)),
                "relative joint": np.sqrt(left_out.max(initial=0.0) / max(all_squares.max(initial=0.0), 1e-300)),
            }[measure]
            assert missing <= engine.bound * (1.0 + 1e-9) + 1e-15
            assert engine.bound <= error
        turn = max(np.abs(second).max(initial=0.0) for second, _ in exact)
        assume(turn < 1e6)


@some
@given(trees(20), st.integers(0, 2**32 - 1), st.sampled_from(sorted(MEASURES)), st.floats(1e-4, 0.5))
def test_what_is_updated_is_what_would_be_made_anew(mechanism, seed, measure, error):
    """After many steps, pulls that end and others that begin, all equations and poses are as if filled afresh."""
    posing = posing_of(mechanism, pushes(mechanism, seed, 3), error, measure)
    for part in range(3):
        for _ in range(3):
            posing.advance(0.02, 3)
        posing.release()
        bodies = {body.name: body for body in mechanism.bodies}
        for name, _, force, moment, along_body in pushes(mechanism, seed + part, 2):
            posing.push(name, force, moment, bodies[name].center_of_mass, along_body)
    posing.release()
    for engine in posing._engines.values():
        linkage = engine.linkage
        data, poses, rows = linkage.data.copy(), linkage.poses.copy(), linkage.rows.copy()
        fill_all(linkage, engine.queue)
        assert np.abs(poses - linkage.poses).max() < 1e-12 * max(1.0, np.abs(poses).max())
        assert np.abs(data - linkage.data).max() < 1e-9 * max(1.0, np.abs(data).max())
        assert np.abs(rows - linkage.rows).max(initial=0.0) < 1e-9 * max(1.0, np.abs(rows).max(initial=0.0))


@pytest.mark.fallback
@some
@given(trees(10), st.integers(0, 2**32 - 1))
def test_bodies_stand_where_they_are_said_to_stand(mechanism, seed):
    """At the start as in the file; later, pulled points by hierarchical frames as by all poses; joints stay closed."""
    for joint in mechanism.joints:
        joint.coordinates = None
    drawn = pushes(mechanism, seed, 3)
    posing = posing_of(mechanism, drawn)
    positions, orientations = posing.poses()
    assert positions == pytest.approx(np.array([body.position for body in mechanism.bodies]), abs=1e-12)
    given_ = np.array([body.orientation for body in mechanism.bodies])
    assert turned_apart(orientations, given_ / np.linalg.norm(given_, axis=1, keepdims=True)).max() < 1e-7
    names = [body.name for body in mechanism.bodies]
    for name, *_ in drawn:
        posing.pull(name, (0.1, 0.2, 0.3), (1.0, 2.0, 3.0))
    posing.advance(0.1, 5)
    positions, orientations = posing.poses()
    for k, engine in posing._engines.items():
        for pull, place in zip(engine.pulls, engine.place_pulled(), strict=True):
            if pull.kind == 2:
                i = posing._linkages[k].bodies[pull.body - engine.model.driven]
                expected = positions[i] + rotated(orientations[i], np.array((0.1, 0.2, 0.3)))
                assert place == pytest.approx(expected, abs=1e-9)
    assert {name for name, *_ in drawn} <= set(names)


def chain(count: int, kind: str = "revolute") -> Mechanism:
    """Links of 1 m along X on the world, hinged about Z and Y in turn."""
    about = (IDENTITY, (0.5**0.5, -(0.5**0.5), 0.0, 0.0))
    bodies = [Body(f"link {k}", mass=1.0, inertia=(0.05, 0.1, 0.1), position=(k + 0.5, 0, 0)) for k in range(count)]
    joints = [
        Joint(f"joint {k}", kind, f"link {k - 1}" if k else None, f"link {k}", (k, 0, 0), about[k % 2])
        for k in range(count)
    ]
    return Mechanism(bodies=bodies, joints=joints, gravity=(0.0, 0.0, 0.0))


def test_a_single_door_turns_as_its_moment_of_inertia_lets_it():
    posing = Posing(chain(1), error=0.0)
    posing.push("link 0", (0.0, 3.0, 0.0), point=(0.5, 0.0, 0.0))
    posing.advance(0.01)
    (engine,) = posing._engines.values()
    assert engine.linkage.accelerations[0] == pytest.approx(3.0 * 1.0 / (0.1 + 1.0 * 0.25), rel=1e-14)
    assert engine.state.coordinates[0] == pytest.approx(0.5 * 3.0 / 0.35 * 1e-4, rel=1e-14)


@pytest.mark.parametrize("error", [0.0, 1e-6, 1e-3])
def test_pulled_points_arrive_whatever_the_error(error):
    posing = Posing(chain(30), error=error)
    posing.pull("link 29", (0.5, 0.0, 0.0), (12.0, 9.0, 7.0))
    posing.approach(400)
    assert posing.distance() < 1e-9
    posing.release()
    posing.pull("link 14", (0.5, 0.0, 0.0), (2.0, -9.0, 1.0), strength=1.0)
    posing.pull("link 29", (0.5, 0.0, 0.0), (3.0, 4.0, -5.0), strength=3.0)
    posing.approach(800)
    assert posing.distance() < 1e-9


def test_small_errors_lead_to_the_same_pose():
    """Of 200 steps each errs by at most the error times the motion in it, and a chain of 40 m has arms of 40 m."""
    positions = {}
    for error in (0.0, 1e-6, 1e-3):
        posing = Posing(chain(40), error=error)
        posing.push("link 20", (0.0, 2.0, 1.0))
        posing.push("link 39", (1.0, 0.0, 3.0), along_body=True)
        posing.advance(0.1, 200)
        positions[error], _ = posing.poses()
    travel = np.abs(positions[0.0] - np.array([body.position for body in chain(40).bodies])).max()
    assert travel > 1.0
    assert np.abs(positions[1e-6] - positions[0.0]).max() < 40 * 1e-6 * travel
    assert np.abs(positions[1e-3] - positions[0.0]).max() < 40 * 1e-3 * travel


def test_digits_tell_in_a_chain_of_thirty_links():
    """As in figure 1 of Redon and Lin (2006): each digit computes more joints, and the end is nearer to its place."""
    ends, joints = {}, []
    for digits in (0.5, 2, 3, 4, 12):
        posing = Posing(chain(30), error=10.0**-digits, measure="relative linkage")
        posing.push("link 29", (0.0, 4.0, 8.0))
        joints.append(posing.advance(0.05, 100) / 100)
        ends[digits] = posing.poses()[0][-1]
    assert np.linalg.norm(ends[12] - np.array([29.5, 0.0, 0.0])) > 0.3
    assert joints[0] < 10
    assert joints[-1] == 30
    assert all(few < more for few, more in pairwise(joints))
    off = [np.linalg.norm(end - ends[12]) for end in ends.values()][:-1]
    assert all(more > 2.0 * less for more, less in pairwise(off))
    assert off[-1] < 1e-3 < off[0]


@pytest.mark.parametrize("measure", sorted(MEASURES))
def test_a_step_is_as_good_as_its_time_allows(monkeypatch, measure):
    """As many joints as there is time for, all within the bound.

    On a clock that goes on by half a microsecond for a joint of a step, and again in the next one.
    """
    clock = SimpleNamespace(now=0.0, joints=0)

    def tick(*arguments):
        joints = run_steps(*arguments)
        clock.now += 0.5e-6 * (clock.joints + joints)
        clock.joints = joints
        return joints

    monkeypatch.setattr(engine_module, "run_steps", tick)
    monkeypatch.setattr(engine_module, "time", SimpleNamespace(perf_counter=lambda: clock.now))
    posing = Posing(chain(2000), error=0.0, measure=measure, grain=1)
    for k in range(0, 2000, 40):
        posing.push(f"link {k}", (0.0, 1.0, 2.0))
    bounds = []
    for microseconds in (40, 150, 600):
        posing.time_budget = 1e-6 * microseconds
        posing.advance(1e-3, 12)
        assert posing.solved == pytest.approx(microseconds, rel=0.05, abs=2)
        start = posing.state()
        computed(posing)
        posing.advance(1e-9)
        ((_, known),) = accelerations(posing)
        bounds.append(posing.bound)
        posing.restore(start)
        posing.time_budget = 0.0
        posing.advance(1e-9)
        assert posing.bound == 0.0, "without a budget as exact as was asked for"
        ((_, exact),) = accelerations(posing)
        posing.restore(start)
        left_out, of = np.where(known == 0.0, exact, 0.0), np.max if measure.endswith("joint") else np.sum
        whole = of(exact) if measure.startswith("relative") else 1.0
        assert 0.0 < np.sqrt(of(left_out) / whole) <= bounds[-1] * (1.0 + 1e-9)
    assert bounds[2] < bounds[1] < bounds[0]


def test_what_is_out_of_reach_is_approached():
    posing = Posing(chain(3), error=0.0)
    posing.pull("link 2", (0.5, 0.0, 0.0), (0.0, 5.0, 0.0))
    posing.approach(300)
    assert posing.distance() == pytest.approx(2.0, abs=0.05)


def test_one_force_on_a_long_chain_computes_few_joints():
    posing = Posing(chain(3000), error=2.0**-19)
    posing.push("link 1500", (0.3, 0.7, 0.2))
    posing.advance(1e-3, 2)
    assert 10 < posing.solved < 150
    posing.set_error(2.0**-3)
    posing.advance(1e-3)
    assert posing.solved < 60


def test_a_pull_that_is_led_arrives_where_a_new_one_does():
    """By fewer steps, since what was learnt is kept; pins stay where they are.

    The pin lies within reach: one at full stretch is approached as slowly as roots of order two are.
    """
    ways = [np.array((9.0, 0.1 * k, 0.05 * k)) for k in range(1, 21)]
    ends, steps = [], []
    for is_led in (True, False):
        posing = Posing(chain(20, "spherical"), error=1e-8)
        count, pull = 0, None
        for way in ways:
            if is_led and pull is not None:
                posing.lead(pull, way)
            else:
                posing.release()
                posing.pull("link 2", (0.5, 0.0, 0.0), (2.9, 0.1, 0.0), strength=10.0)
                pull = posing.pull("link 9", (0.5, 0.0, 0.0), way)
            while posing.distance() > 1e-6:
                posing.approach()
                count += 1
                assert count < 2000
        steps.append(count)
        ends.append(posing.poses()[0])
    assert steps[0] < steps[1]
    assert ends[0] == pytest.approx(ends[1], abs=0.2)
    with pytest.raises(ValueError, match="target"):
        posing.lead(pull, (float("inf"), 0, 0))


def test_what_hangs_together():
    mechanism = chain(3)
    mechanism.bodies.append(Body("loner", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.0, 5.0, 0.0)))
    posing = Posing(mechanism)
    assert sorted(posing.together_with("link 1")) == ["link 0", "link 1", "link 2"]
    assert posing.together_with("loner") == ["loner"]
    with pytest.raises(ValueError, match="body 'nobody'"):
        posing.together_with("nobody")


def test_warming_up_says_what_it_does_and_does_it_once():
    first = list(warm_up())
    assert not first or first[0].endswith("posing")
    assert list(warm_up()) == []


def test_pulls_and_pushes_keep_apart():
    """Steps towards a place heed no push, others no pull."""
    ways = []
    for with_push in (False, True):
        posing = Posing(chain(10), error=0.0)
        posing.pull("link 9", (0.5, 0.0, 0.0), (7.0, 4.0, 3.0))
        if with_push:
            posing.push("link 4", (0.0, 5.0, 5.0))
        posing.approach(20)
        ways.append(posing.poses()[0])
        if not with_push:
            posing.advance(0.1, 3)
            assert posing.poses()[0] == pytest.approx(ways[0], abs=1e-12)
    assert ways[1] == pytest.approx(ways[0], abs=1e-9)


def test_states_come_back():
    posing = Posing(chain(12, "spherical"), error=1e-3)
    posing.push("link 11", (0.0, 1.0, 1.0))
    before, start = posing.state(), posing.poses()[0]
    posing.advance(0.2, 20)
    moved = posing.poses()[0]
    assert np.abs(moved - start).max() > 0.1
    posing.restore(before)
    assert posing.poses()[0] == pytest.approx(start, abs=1e-12)
    posing.advance(0.2, 20)
    assert posing.poses()[0] == pytest.approx(moved, abs=1e-9)


@some
@given(trees(12), st.integers(0, 2**32 - 1))
def test_poses_are_taken_over(mechanism, seed):
    """By another one, from where a motion has led; and it goes on alike."""
    first = posing_of(mechanism, pushes(mechanism, seed, 3))
    first.advance(0.1, 4)
    positions, orientations = first.poses()
    second = posing_of(mechanism, pushes(mechanism, seed, 3))
    second.take(positions, orientations)
    got = second.poses()
    size = max(1.0, np.abs(positions).max())
    assert np.abs(got[0] - positions).max() < 1e-9 * size
    assert turned_apart(got[1], orientations).max() < 1e-7
    first.advance(1e-3)
    second.advance(1e-3)
    for (a, _), (b, _) in zip(accelerations(first), accelerations(second), strict=True):
        assert np.abs(a - b).max(initial=0.0) < 1e-6 * max(1.0, np.abs(a).max(initial=0.0))


def test_wrong_input_is_refused_by_name():
    mechanism = chain(3)
    with pytest.raises(ValueError, match="one row for each body"):
        Posing(mechanism).take(np.zeros((2, 3)), np.zeros((2, 4)))
    with pytest.raises(ValueError, match="no quaternion zero"):
        Posing(mechanism).take(np.zeros((3, 3)), np.zeros((3, 4)))
    with pytest.raises(ValueError, match="error"):
        Posing(mechanism, error=-1.0)
    with pytest.raises(ValueError, match="measure 'much' is unknown"):
        Posing(mechanism, measure="much")
    posing = Posing(mechanism)
    with pytest.raises(ValueError, match="body 'nobody'"):
        posing.push("nobody", (1, 0, 0))
    with pytest.raises(ValueError, match="body 'link 1'"):
        posing.pull("link 1", (0, 0, 0), (float("nan"), 0, 0))
    with pytest.raises(ValueError, match="strength"):
        posing.pull("link 1", (0, 0, 0), (0, 0, 0), strength=0.0)
    with pytest.raises(ValueError, match="interval"):
        posing.advance(0.0)
    mechanism.constraints = [Nail("tack", body="link 2", point=(3, 0, 0))]
    with pytest.raises(MechanismError, match="body 'link 0': loops or constraints hold it"):
        Posing(mechanism).push("link 0", (1, 0, 0))
