# SPDX-License-Identifier: GPL-3.0-or-later
"""Live runs with contact, on which somebody acts at any moment: the same again, to the last bit, from what was done."""

from __future__ import annotations

import numpy as np
import pytest

from solver import LiveRun, Mechanism, simulate
from solver.mechanism import Box, Capsule, Joint, Nail, Sphere
from tests.solver.contact.random_loops import random_loops
from tests.solver.contact.scenes import FRAME_RATE, LYING, meets_bodies, on_ground
from tests.solver.contact.solids import solid
from tests.solver.simulation.hurrying import (
    assert_plays_again,
    assert_same_bits,
    count_pieces,
    go_on,
    work_in_small_pieces,
)

CUBE = Box(half_size=(0.2, 0.2, 0.2))


def pile() -> Mechanism:
    """Three cubes on each other, and the ball that is dragged through them; a nail for the lowest."""
    bodies = [solid(f"cube {k}", CUBE, (0, 0, 0.2 + 0.4 * k)) for k in range(3)]
    mechanism = on_ground([solid("ball", Sphere(radius=0.1), (1, 0, 0.1)), *bodies], 0.5)
    mechanism.constraints = [Nail("nail", body="cube 2", point=(0, 0, 1.0), enabled=False)]
    return mechanism


def doll() -> Mechanism:
    """A trunk on two legs without a will, which falls over."""
    limb = Capsule(radius=0.08, half_length=0.15)
    bodies = [solid("trunk", Box(half_size=(0.12, 0.2, 0.3)), (0, 0, 1.2), 20.0)]
    joints = []
    for side, y in (("left", -0.12), ("right", 0.12)):
        bodies += [solid(f"{side} thigh", limb, (0, y, 0.65), 6.0), solid(f"{side} shin", limb, (0, y, 0.25), 4.0)]
        joints += [
            Joint(f"{side} hip", "spherical", "trunk", f"{side} thigh", (0, y, 0.88)),
            Joint(
                f"{side} knee", "revolute", f"{side} thigh", f"{side} shin", (0, y, 0.45), LYING, limits=((-0.1, 2.0),)
            ),
        ]
    mechanism = on_ground(bodies, 0.6)
    mechanism.joints = joints
    mechanism.constraints = [Nail("nail", body="trunk", point=(0, 0, 1.5), enabled=False)]
    return mechanism


def loop() -> Mechanism:
    """A closed linkage that falls on the ground."""
    mechanism = random_loops(3)
    mechanism.constraints = [Nail("nail", body="link 1", point=mechanism.bodies[1].position, enabled=False)]
    return mechanism


def act_in_haste(live: LiveRun, pieces: int, frames: int = 24) -> bool:
    """A mouse and a button that know of no frames; whether anything was done in the midst of one."""
    rng, in_the_midst = np.random.default_rng(pieces + 1), False
    body = live._given.bodies[0]
    hand, start, done = "", None, set()
    while live.frame < frames:
        live.advance(live.frame + int(rng.integers(1, 3)), pieces)
        before = live.is_on_frame, len(live.actions)
        if not hand and 4 <= live.frame < 16:
            start = live.pose()[0][0]
            hand = live.grab(body.name, tuple(start), 300.0 * body.mass, 30.0 * body.mass)
        elif hand and live.frame >= 16:
            live.let_go(hand)
            hand = ""
        elif hand and rng.random() < 0.5:
            live.drag(hand, tuple(start + rng.uniform((-0.6, -0.1, 0.0), (0.0, 0.1, 0.3))))
        for enabled, frame in ((True, 10), (False, 13)):
            if live.frame >= frame and enabled not in done:
                live.act("nail", enabled=enabled)
                done.add(enabled)
        in_the_midst |= not before[0] and len(live.actions) > before[1]
    return in_the_midst


@meets_bodies
@pytest.mark.parametrize("pieces", [-1, 1, 4])
@pytest.mark.parametrize("build", [pile, doll, loop])
def test_it_plays_again_whenever_somebody_acts(monkeypatch, build, pieces):
    with monkeypatch.context() as hurried:
        count_pieces(hurried)
        work_in_small_pieces(hurried)
        live = LiveRun(build(), FRAME_RATE)
        assert act_in_haste(live, pieces)
    assert_plays_again(live, build)


@pytest.mark.fallback
def test_a_hand_brings_room_for_its_spring():
    """Steps note the energy of each spring; without the room they wrote it into memory of something else."""
    live = LiveRun(on_ground([solid("ball", Sphere(radius=0.1), (0, 0, 0.1))]), FRAME_RATE, substeps=2)
    go_on(live, 1)
    for _ in range(3):
        live.grab("ball", (0, 0, 0.1), 200.0, 5.0)
    go_on(live, 2)
    (run,) = live._timeline.runs
    assert len(run.memory.arrays.islands.spring_before) == 3


def test_a_grab_in_the_midst_of_a_frame_takes_the_point_that_was_seen(monkeypatch):
    """The body is carried along until the frame is done, and the hand takes hold of the same point there."""
    count_pieces(monkeypatch)
    work_in_small_pieces(monkeypatch)
    ball = solid("ball", Sphere(radius=0.1), (0, 0, 5.0), linear_velocity=(3.0, 0, 0), angular_velocity=(0, 0, 4.0))
    live = LiveRun(on_ground([ball]), FRAME_RATE)
    go_on(live, 2)
    assert not live.advance(3, 1)
    seen = live.pose()[0][0] + (0.0, 0.1, 0.0)
    live.grab("ball", seen, 200.0, 5.0)
    (spring,) = live.mechanism.forces
    (position, _), time = live.pose(), 3 / FRAME_RATE
    assert live.time == live.actions[0].time == time
    assert np.linalg.norm(np.subtract(spring.point_a, ball.position)) == pytest.approx(0.1)
    turn = 4.0 * time - 4.0 * 2 / FRAME_RATE
    assert np.subtract(spring.point_b, position[0]) == pytest.approx((-0.1 * np.sin(turn), 0.1 * np.cos(turn), 0.0))


@meets_bodies
def test_a_ball_dragged_through_a_stack_does_it_again():
    bodies = [solid(f"cube {k}", CUBE, (0, 0, 0.2 + 0.4 * k)) for k in range(3)]
    live = LiveRun(on_ground([*bodies, solid("ball", Sphere(radius=0.1), (1, 0, 0.1))], 0.5), FRAME_RATE)
    live.advance(6, 60.0)
    hand = live.grab("ball", (1, 0, 0.1), 200.0, 5.0)
    for frame in range(6, 30):
        live.drag(hand, (1.0 - 0.06 * (frame - 5), 0.0, 0.3))
        live.advance(frame + 1, 60.0)
    live.let_go(hand)
    live.advance(48, 60.0)
    recording = live.recording()
    assert recording.notes[0] == "integrator: impulse"
    assert np.abs(recording.position[-1, :3, 0]).max() > 0.1, "cubes were pushed"
    assert_same_bits(simulate(live.mechanism, 48 / FRAME_RATE, FRAME_RATE), recording)
