# SPDX-License-Identifier: GPL-3.0-or-later
"""Assembly: loose mechanisms come together, what can't is named with its gap, and what comes out means the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import Assembly, Mechanism, MechanismError, OpenConnection, assemble
from solver.__main__ import main
from solver.mechanism import (
    COORDINATES,
    Body,
    Curve,
    Distance,
    Joint,
    Nail,
    Orientation,
    PointToPoint,
    Pulley,
)
from solver.mechanism import Path as PathConstraint
from tests.solver.assembly.loose_parts import Moved, ball, chain, joint_gap, joint_gaps, quaternion, rotation, scattered
from tests.solver.random_mechanisms import unit_quaternion

REFERENCE = Path(__file__).resolve().parents[2] / "reference"
EXACT = 1e-11


def run(mechanism: Mechanism, child_frames: dict | None = None) -> Assembly:
    assembly = Assembly(mechanism, child_frames)
    for _ in assembly.run():
        pass
    return assembly


def place_of(assembly: Assembly, name: str, point) -> np.ndarray:
    """The place now of a point of the file's pose."""
    return Moved(assembly._given, name, assembly.poses).point(point)


@pytest.mark.parametrize("angle", [0.3, 1.0, -2.0, 3.0])
def test_a_four_bar_opened_by_its_crank_closes(angle):
    mechanism = Mechanism.load(REFERENCE / "four_bar.json")
    mechanism.joints[0].coordinates = [angle]
    assembly = run(mechanism)
    assert assembly.open == []
    assert assembly.largest_gap < 1e-14
    assert max(joint_gaps(mechanism, assembly.poses)) < EXACT


def test_overdetermined_planar_loops_close():
    """Forty windows of 3D hinges: 240 rows more than freedoms."""
    mechanism = Mechanism.load(REFERENCE / "n_four_bar_40.json")
    for joint in mechanism.joints[:20]:
        joint.coordinates = [0.3]
    assembly = run(mechanism)
    assert assembly.open == []
    assert max(joint_gaps(mechanism, assembly.poses)) < EXACT


@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60))
def test_random_graphs_close(seed, count):
    rng = np.random.default_rng(seed)
    mechanism = scattered(rng, count, loops=max(1, count // 6), spread=0.3)
    assembly = run(mechanism)
    assert assembly.open == []
    assert max(joint_gaps(mechanism, assembly.poses)) < EXACT


@settings(max_examples=10, deadline=None, derandomize=True)
@given(st.integers(0, 2**32 - 1), st.integers(2, 20))
def test_random_graphs_close_within_their_limits(seed, count):
    """They start up to twice as far out as their limits allow; the pose at zero coordinates is a solution."""
    mechanism = scattered(np.random.default_rng(seed), count, loops=max(1, count // 6), spread=0.3)
    for joint in mechanism.joints:
        joint.limits = [[-0.15, 0.15]] * COORDINATES[joint.type] or None
    assembly = run(mechanism)
    assert assembly.open == []
    assert max(joint_gaps(mechanism, assembly.poses)) < EXACT
    bounds = np.array([pair for joint in assembly.mechanism.joints for pair in joint.limits or ()])
    assert bounds[:, 0].max() < 1e-11
    assert bounds[:, 1].min() > -1e-11


def test_assembling_twice_changes_nothing():
    mechanism = Mechanism.load(REFERENCE / "four_bar.json")
    mechanism.joints[0].coordinates = [1.0]
    once = assemble(mechanism)
    twice = run(once)
    assert twice.iterations == 0
    for before, after in zip(once.bodies + once.joints, twice.mechanism.bodies + twice.mechanism.joints, strict=True):
        assert after.position == pytest.approx(before.position, abs=1e-14)
        assert after.orientation == pytest.approx(before.orientation, abs=1e-14)


def test_what_is_together_is_left_alone():
    mechanism = Mechanism.load(REFERENCE / "four_bar.json")
    assert run(mechanism).iterations <= 1
    for before, after in zip(mechanism.bodies, assemble(mechanism).bodies, strict=True):
        assert after.position == pytest.approx(before.position, abs=1e-13)


@pytest.mark.parametrize("kind", ["spherical", "revolute"])
@pytest.mark.parametrize("reach", [5.5, 8.0])
def test_a_chain_that_is_too_short_stays_open_at_its_hook_alone(kind, reach):
    assembly = run(chain(5, [reach, 0, 0], kind))
    (tie,) = assembly.open
    assert tie == OpenConnection("hook", "constraint", tie.gap, "m")
    assert tie.gap == pytest.approx(reach - 5.0, abs=1e-9)
    assert max(joint_gaps(assembly._given, assembly.poses)) < 1e-8
    assert str(tie) == f"constraint 'hook': stays open by {reach - 5.0:.6g} m"


def test_two_nails_too_far_apart_share_what_is_missing():
    mechanism = chain(4, [6, 0, 0])
    mechanism.joints.pop(0)
    mechanism.constraints.append(PointToPoint("left", body_a="b0", point_a=[0, 0, 0], point_b=[-1, 0, 0]))
    assembly = run(mechanism)
    assert {tie.name for tie in assembly.open} == {"hook", "left"}
    assert [tie.gap for tie in assembly.open] == pytest.approx([1.5, 1.5], abs=1e-6)


def test_a_chain_pulled_off_its_plane_lies_straight_towards_the_hook():
    assembly = run(chain(5, [0, 0, -9]))
    assert assembly.open[0].gap == pytest.approx(4.0, abs=1e-6)


@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_a_straight_chain_buckles_when_it_has_to(count):
    """Exactly straight and pushed along itself: the slope is zero, but it is not together."""
    end = [count - 0.5, 0, 0] if count > 1 else [-1, 0, 0]
    assembly = run(chain(count, end))
    assert assembly.open == []
    assert place_of(assembly, f"b{count - 1}", [count, 0, 0]) == pytest.approx(end, abs=EXACT * count)


def test_a_thousand_bodies_come_together():
    mechanism = chain(1000, [999.0, 3.0, 0.0])
    assembly = run(mechanism)
    assert assembly.open == []
    assert assembly.largest_gap < 1e-12


def test_loops_that_contradict_each_other_settle_between():
    """A body pinned at one point to two places, 0.4 m apart."""
    hooks = [PointToPoint(f"h{k}", body_a="a", point_a=[0, 0, 0], point_b=[x, 0, 0]) for k, x in enumerate((1.0, 1.4))]
    assembly = run(Mechanism(bodies=[ball("a")], constraints=hooks))
    assert [tie.gap for tie in assembly.open] == pytest.approx([0.2, 0.2], abs=1e-9)
    assert assembly.poses["a"][0] == pytest.approx([1.2, 0, 0], abs=1e-9)


def test_two_free_bodies_meet_at_their_common_centre():
    """The least motion in the metric of mass; rotations come in by the lever arms, so the points are the centres."""
    together = PointToPoint("p", body_a="a", body_b="b", point_a=[0, 0, 0], point_b=[3, 0, 0])
    assembly = run(Mechanism(bodies=[ball("a", 2.0), ball("b", 1.0, position=[3, 0, 0])], constraints=[together]))
    assert assembly.poses["a"][0] == pytest.approx([1, 0, 0], abs=1e-12)
    assert assembly.poses["b"][0] == pytest.approx([1, 0, 0], abs=1e-12)


def test_a_small_gap_is_closed_by_the_least_motion_of_mass_and_inertia():
    """One point at the arm r from the centre: its response to a pull is 1/m - (r x) I^-1 (r x), a closed form."""
    rng = np.random.default_rng(3)
    r, gap, moments, mass = rng.normal(size=3), 1e-6 * rng.normal(size=3), np.array([0.4, 0.5, 0.6]), 2.0
    body = Body("a", mass=mass, inertia=moments.tolist())
    assembly = run(Mechanism(bodies=[body], constraints=[PointToPoint("p", body_a="a", point_a=r, point_b=r + gap)]))
    cross = np.cross(np.eye(3), -r)  # cross @ v = r x v
    pull = np.linalg.solve(np.eye(3) / mass - cross @ np.diag(1 / moments) @ cross, gap)
    assert assembly.poses["a"][0] == pytest.approx(pull / mass, abs=1e-10)
    turn = rotation(assembly.poses["a"][1]).as_rotvec()
    assert turn == pytest.approx(np.cross(r, pull) / moments, abs=1e-10)


@pytest.mark.parametrize("turn", [0.1, 2.0, 3.1, np.pi])
@pytest.mark.parametrize("kind", ["fixed", "prismatic", "revolute", "planar", "cylindrical", "screw"])
def test_a_loose_child_turns_into_its_joint_from_any_angle(kind, turn):
    axis = np.array([0.6, 0.8, 0.0])
    frame = [2.0, 1.0, -0.5], np.concatenate([[np.cos(turn / 2)], np.sin(turn / 2) * axis])
    joint = Joint("j", kind, None, "a", [0, 0, 0], pitch=0.1 if kind == "screw" else None)
    mechanism = Mechanism(bodies=[ball("a", position=[2, 0, 0])], joints=[joint])
    assembly = run(mechanism, {"j": frame})
    assert assembly.open == []
    assert max(joint_gaps(mechanism, assembly.poses, {"j": frame})) < EXACT
    assert run(assembly.mechanism).iterations == 0


@pytest.mark.parametrize("start", [[1, 0, 0], [0.3, 0.9, 0.1]])
def test_a_loose_universal_joint_crosses_its_axes(start):
    """Also where the child's y lies on the parent's x, from where no first-order step leads on."""
    y = np.array(start) / np.linalg.norm(start)
    x = np.cross(y, [0, 0, 1.0])
    turn = np.column_stack([x / np.linalg.norm(x), y, np.cross(x / np.linalg.norm(x), y)])
    frame = [1.0, 0, 0], quaternion(rotation([1, 0, 0, 0]).from_matrix(turn))
    mechanism = Mechanism(bodies=[ball("a")], joints=[Joint("j", "universal", None, "a", [0, 0, 0])])
    assembly = run(mechanism, {"j": frame})
    assert max(joint_gaps(mechanism, assembly.poses, {"j": frame})) < EXACT


def test_a_loose_nut_has_made_the_turns_that_its_travel_tells():
    """0.1 m along a thread of 0.01 m per radian: ten radians, one turn and a bit; the nut is 0.5 rad away from that.

    Mass and inertia share the 5 mm between them by their compliances, 1/m along and pitch^2 / I around.
    """
    joint = Joint("j", "screw", None, "a", [0, 0, 0], pitch=0.01, stiffness=[1.0])
    angle = 10.5 - 4 * np.pi
    frame = [0, 0, 0.1], [np.cos(angle / 2), 0, 0, np.sin(angle / 2)]
    assembly = run(Mechanism(bodies=[Body("a", mass=1e6, inertia=[1, 1, 1])], joints=[joint]), {"j": frame})
    assert assembly.open == []
    (after,) = assembly.mechanism.joints
    assert after.position[2] == pytest.approx(0.1 + 0.005 * 1e-6 / (1e-6 + 1e-4), abs=1e-12)
    assert after.rest[0] == pytest.approx(-after.position[2] / 0.01, abs=1e-9)


def test_a_loose_point_comes_to_its_partner():
    together = PointToPoint("p", body_a="a", body_b="b", point_a=[0.5, 0, 0], point_b=[0.5, 0, 0])
    mechanism = Mechanism(bodies=[ball("a"), ball("b", position=[1, 0, 0])], constraints=[together])
    assembly = run(mechanism, {"p": ([2.0, 1.0, 0.0], [1, 0, 0, 0])})
    a, b = place_of(assembly, "a", [0.5, 0, 0]), place_of(assembly, "b", [2, 1, 0])
    assert a == pytest.approx(b, abs=EXACT)
    (after,) = assembly.mechanism.constraints
    assert after.point_a == pytest.approx(a, abs=EXACT)
    assert after.point_b == pytest.approx(b, abs=EXACT)


def test_a_distance_is_kept_or_the_drawn_one():
    def distances(given):
        part = Distance("d", body_a="a", body_b="b", point_a=[0, 0, 1], point_b=[3, 0, 0], distance=given)
        joint = Joint("j", "prismatic", None, "a", [0, 0, 0], coordinates=[0.7])
        assembly = run(Mechanism(bodies=[ball("a"), ball("b", position=[3, 0, 0])], joints=[joint], constraints=[part]))
        (after,) = assembly.mechanism.constraints
        return np.linalg.norm(np.subtract(after.point_a, after.point_b)), after.distance

    assert distances(2.0) == pytest.approx((2.0, 2.0), abs=EXACT)
    assert distances(None) == pytest.approx((np.sqrt(10), np.sqrt(10)), abs=EXACT)


@pytest.mark.parametrize("closed", [False, True])
def test_a_bead_comes_to_its_curve(closed):
    angle = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    points = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    mechanism = Mechanism(
        bodies=[ball("a", position=[1.5, 1.0, 0.4])],
        constraints=[Curve("c", body="a", point=[1.5, 1.0, 0.4], points=points.tolist(), closed=closed)],
    )
    assembly = run(mechanism)
    assert assembly.open == []
    assert assembly.poses["a"][0] == pytest.approx([1.5 / np.hypot(1.5, 1), 1 / np.hypot(1.5, 1), 0], abs=1e-5)


def test_a_bead_beyond_an_open_end_stays_on_the_straight():
    points = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    bead = Curve("c", body="a", point=[5.0, 1.0, 0.5], points=points)
    assembly = run(Mechanism(bodies=[ball("a", position=[5.0, 1.0, 0.5])], constraints=[bead]))
    assert assembly.poses["a"][0] == pytest.approx([5.0, 0.0, 0.0], abs=1e-12)


def test_a_path_puts_point_and_body_where_they_are_at_the_start():
    turn = np.array([np.cos(1.4), 0, np.sin(1.4), 0])
    path = PathConstraint(
        "p", body="a", point=[0.5, 0, 0], times=[-1, 0, 1, 2], positions=[[0, 0, 0], [1, 2, 3], [2, 2, 2], [0, 0, 0]],
        orientations=[[1, 0, 0, 0], turn, [1, 0, 0, 0], [1, 0, 0, 0]],
    )  # fmt: skip
    assembly = run(Mechanism(bodies=[ball("a")], constraints=[path]))
    assert assembly.open == []
    assert place_of(assembly, "a", [0.5, 0, 0]) == pytest.approx([1, 2, 3], abs=EXACT)
    assert np.abs(assembly.poses["a"][1] @ turn) == pytest.approx(1.0, abs=1e-12)
    assert assembly.mechanism.constraints[0].point == pytest.approx([1, 2, 3], abs=EXACT)


def test_nail_and_orientation_bring_back_what_coordinates_moved():
    joint = Joint("j", "spherical", None, "a", [0, 0, 0], coordinates=[0.4, -0.2, 1.0])
    parts = [Nail("n", body="a", point=[1, 0, 0]), Orientation("o", body="a")]
    for chosen in (parts[:1], parts[1:], parts):
        assembly = run(Mechanism(bodies=[ball("a", position=[1, 0, 0])], joints=[joint], constraints=chosen))
        assert assembly.open == []
        assert assembly.poses["a"][0] == pytest.approx([1, 0, 0], abs=EXACT)
    assert assembly.poses["a"][1] == pytest.approx([1, 0, 0, 0], abs=EXACT)


def test_a_disabled_constraint_holds_nothing():
    mechanism = Mechanism(
        bodies=[ball("a")], constraints=[PointToPoint("p", body_a="a", point_a=[0, 0, 0], point_b=[1, 0, 0])]
    )
    mechanism.constraints[0].enabled = False
    assert run(mechanism).poses["a"][0] == pytest.approx([0, 0, 0], abs=0)


def elbow(limits) -> Mechanism:
    """An arm of two links that starts bent a little one way; its hand belongs at (1.2, 0, 0.6)."""
    mechanism = chain(2, [1.2, 0, 0.6], "revolute")
    mechanism.joints[1].coordinates, mechanism.joints[1].limits = [-0.2], [limits]
    return mechanism


def test_limits_choose_the_way_the_elbow_bends():
    free, bound = run(elbow(None)), run(elbow([0.1, 2.8]))
    assert free.open == bound.open == []

    def bend(assembly):
        first, second = (rotation(assembly.poses[name][1]).apply([1, 0, 0]) for name in ("b0", "b1"))
        return np.arctan2(np.cross(first, second)[1], first @ second) * -1.0

    assert abs(bend(free)) == pytest.approx(abs(bend(bound)), abs=1e-9)
    assert bend(free) * bend(bound) < 0.0
    lower, upper = bound.mechanism.joints[1].limits[0]
    assert lower < 0.0 < upper
    assert upper - lower == pytest.approx(2.7, abs=1e-12)


def test_limits_that_cannot_be_kept_are_named():
    mechanism = chain(1, [0, 0, -1], "revolute")
    mechanism.joints[0].limits = [[-0.5, 0.5]]
    mechanism.constraints[0] = Orientation("o", body="b0")
    mechanism.joints[0].limits = [[0.5, 1.0]]
    assembly = run(mechanism)
    assert {tie.name for tie in assembly.open} <= {"j0", "o"}
    assert sum(tie.gap for tie in assembly.open) == pytest.approx(0.5, abs=1e-6)


def test_what_stands_is_never_moved():
    fixed = Body("wall", "fixed", position=[1, 1, 1])
    joint = Joint("j", "fixed", "wall", "a", [1, 1, 1])
    frame = [0, 0, 0], unit_quaternion(np.random.default_rng(0))
    assembly = run(Mechanism(bodies=[fixed, ball("a")], joints=[joint]), {"j": frame})
    assert assembly.poses["wall"][0] == pytest.approx([1, 1, 1], abs=0)
    moved = [Moved(assembly._given, name, assembly.poses) for name in ("wall", "a")]
    assert joint_gap(joint, *moved, frame) < EXACT


def test_wrong_mechanisms_and_frames_are_refused():
    with pytest.raises(MechanismError, match="mass"):
        Assembly(Mechanism(bodies=[Body("a", inertia=[1, 1, 1])]))
    mechanism = Mechanism(bodies=[ball("a")], constraints=[Nail("n", body="a", point=[0, 0, 0])])
    with pytest.raises(ValueError, match="names no joint"):
        Assembly(mechanism, {"n": ([0, 0, 0], [1, 0, 0, 0])})
    mechanism.joints = [Joint("j", "fixed", None, "a", [0, 0, 0])]
    with pytest.raises(ValueError, match="unit quaternion"):
        Assembly(mechanism, {"j": ([0, 0, 0], [1, 1, 0, 0])})
    with pytest.raises(RuntimeError, match="has not run"):
        _ = Assembly(mechanism).mechanism


def test_the_command_writes_what_is_together(tmp_path, capsys):
    given, out = tmp_path / "open.json", tmp_path / "together.json"
    mechanism = Mechanism.load(REFERENCE / "four_bar.json")
    mechanism.joints[0].coordinates = [0.8]
    mechanism.save(given)
    assert main(["assemble", str(given), "-o", str(out)]) == 0
    assert capsys.readouterr() == ("", "")
    assert run(Mechanism.load(out)).iterations == 0


def test_the_command_names_what_stays_open_and_writes_nevertheless(tmp_path, capsys):
    given, out = tmp_path / "short.json", tmp_path / "best.json"
    chain(3, [4, 0, 0]).save(given)
    assert main(["assemble", str(given), "-o", str(out)]) == 3
    assert capsys.readouterr().err.splitlines() == ["constraint 'hook': stays open by 1 m"]
    assert Mechanism.load(out).problems() == []
    assert not list(tmp_path.glob("*.draft"))


def test_the_command_refuses_a_wrong_file(tmp_path, capsys):
    given, out = tmp_path / "wrong.json", tmp_path / "out.json"
    given.write_text('{"format": "ves-mechanism", "version": 1, "bodies": [{"name": "a"}]}')
    assert main(["assemble", str(given), "-o", str(out)]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert not out.exists()


@pytest.mark.fallback
@pytest.mark.parametrize("still", ["a", "b"])
def test_one_end_of_a_rope_may_be_fastened_to_what_stands_still(still: str) -> None:
    """The rope over the other wheel then has a length of its own."""
    bodies = [
        Body(name="a", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.0, 0.0, 0.0)),
        Body(name="b", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(1.0, 0.0, 0.0)),
    ]
    bodies = [
        Body(name=each.name, motion="fixed", position=each.position) if each.name == still else each for each in bodies
    ]
    ends = {
        "point_a": (0.0, 0.0, 0.0),
        "point_b": (1.0, 0.0, 0.0),
        "wheel_a": (0.0, 0.0, 2.0),
        "wheel_b": (1.0, 0.0, 2.0),
    }
    rope = Pulley("rope", body_a="a", body_b="b", **ends, length=3.5)
    assembly = run(Mechanism(bodies=bodies, constraints=[rope]))
    assert not assembly.open
    ways = [np.subtract(body.position, ends[f"wheel_{body.name}"]) for body in assembly.mechanism.bodies]
    assert sum(np.linalg.norm(way) for way in ways) == pytest.approx(3.5, abs=1e-9)
