# SPDX-License-Identifier: GPL-3.0-or-later
"""Knobs that are turned, things that are moved, and parts that are put in or taken out while it runs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from solver import LiveRun, Mechanism, MechanismError, simulate
from solver.mechanism import (
    Action,
    Addition,
    Body,
    Damping,
    Distance,
    Drag,
    Joint,
    JointMotor,
    Nail,
    Path,
    PointToPoint,
    Rubber,
    Spring,
    Support,
)
from tests.solver.simulation.hurrying import FRAME_RATE, assert_plays_again, assert_same_bits, go_on

INERTIA = (0.01, 0.09, 0.09)
LYING = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)  # turns local Z into world Y
NONE = (0.0, 0.0, 0.0)


def ball(**given) -> Body:
    return Body(**{"name": "ball", "mass": 2.0, "inertia": (0.1, 0.1, 0.1), "position": (0.0, 0.0, -5.0)} | given)


def chain(links: int = 2, **joint) -> Mechanism:
    """Rods of a metre that hang from the world and begin level, and a ball that flies."""
    mechanism = Mechanism(bodies=[], joints=[], constraints=[], forces=[])
    for k in range(links):
        name, inner = f"rod {k}", f"rod {k - 1}" if k else None
        mechanism.bodies.append(Body(name, mass=1.0, inertia=INERTIA, position=(0.5 + k, 0.0, 0.0)))
        given = {"type": "revolute", "position": (k, 0.0, 0.0), "orientation": LYING, "damping": (0.01,), **joint}
        mechanism.joints.append(Joint(f"hinge {k}", parent=inner, child=name, **given))
    mechanism.bodies.append(ball(linear_velocity=(0.3, 0.0, 0.0)))
    return mechanism


def begun(mechanism: Mechanism, frame: int, **options) -> LiveRun:
    run = LiveRun(mechanism, FRAME_RATE, **options)
    go_on(run, frame)
    return run


def place(run: LiveRun, name: str) -> np.ndarray:
    recording = run._timeline.at(run.frame)
    return recording.position[0, list(recording.body_names).index(name)]


def test_gravity_changes_on_the_way():
    run = begun(chain(0), 24)
    run.act(None, gravity=(0.0, 0.0, 2.0))
    go_on(run, 48)
    recording = run.recording()
    later = np.clip(recording.times - 1.0, 0.0, None)
    fallen = np.minimum(recording.times, 1.0)
    expected = -5.0 - 0.5 * 9.81 * fallen**2 - 9.81 * later + 0.5 * 2.0 * later**2
    assert recording.position[:, -1, 2] == pytest.approx(expected, abs=1e-9)
    assert_plays_again(run, lambda: chain(0))


def test_a_mass_that_changes_lets_bodies_go_on_as_they_move():
    """From then on the same force makes half the acceleration."""
    mechanism = chain(0)
    mechanism.gravity = NONE
    mechanism.forces = [Spring("pull", body_a="ball", point_a=(0, 0, -5.0), point_b=(0, 0, 0), stiffness=8.0,
                               rest_length=1.0)]  # fmt: skip
    run = begun(mechanism, 12)
    before = run._timeline.at(12).linear_velocity[0, 0]
    run.act("ball", mass=4.0, inertia=(0.2, 0.2, 0.2))
    after = run._timeline.at(12).linear_velocity[0, 0]
    np.testing.assert_array_equal(after, before)
    pull = 8.0 * (np.linalg.norm(place(run, "ball")) - 1.0)
    go_on(run, 13)
    gained = np.linalg.norm(run._timeline.at(13).linear_velocity[0, 0] - before)
    pull = 0.5 * (pull + 8.0 * (np.linalg.norm(place(run, "ball")) - 1.0))
    assert gained * FRAME_RATE * 4.0 == pytest.approx(pull, rel=2e-3)


def test_a_body_that_is_put_in_falls_from_where_it_is():
    run = begun(chain(), 12)
    run.put_in(Addition(bodies=[ball(name="new", position=(3.0, 0.0, 1.0), linear_velocity=(0.0, 1.0, 0.0))]))
    go_on(run, 36)
    recording = run.recording()
    assert list(recording.body_names) == ["rod 0", "rod 1", "ball", "new"]
    np.testing.assert_array_equal(recording.position[:13, 3], np.tile([3.0, 0.0, 1.0], (13, 1)))
    assert recording.position[36, 3] == pytest.approx([3.0, 1.0, 1.0 - 0.5 * 9.81], abs=1e-9)
    assert_plays_again(run, chain)


@pytest.mark.parametrize("kind", ["revolute", "spherical", "fixed", "universal", "cylindrical", "planar", "prismatic"])
@pytest.mark.parametrize("ends", [("rod 1", "ball"), ("ball", "rod 1"), (None, "rod 1"), ("rod 1", None)])
def test_a_joint_that_is_put_in_takes_its_bodies_as_it_finds_them(kind, ends):
    """Both have moved, and turned, since the start: in trees, in loops, and the other way round."""
    if ends == ("rod 1", None):
        ends = ("rod 1", "rod 0")
    run = begun(chain(hinge := 2), hinge * 4)
    before = run.pose()
    at = tuple(place(run, "rod 1") + [0.1, 0.0, 0.2])
    joint = Joint("tie", type=kind, parent=ends[0], child=ends[1], position=at, orientation=(0.8, 0.6, 0.0, 0.0))
    run.put_in(Addition(joints=[joint]))
    for now, then in zip(run.pose(), before, strict=True):
        np.testing.assert_allclose(now, then, atol=1e-12)
    go_on(run, 30)
    recording = run.recording()
    assert recording.constraint_error[9:].max() < 1e-8
    offsets = recording.joint_offsets
    assert np.abs(recording.joint_coordinates[8, offsets[2] :]).max(initial=0.0) < 1e-9
    assert_plays_again(run, lambda: chain(2))


def test_a_weld_put_in_holds_to_the_last_digits():
    run = begun(chain(), 10)
    at = tuple(place(run, "ball"))
    run.put_in(Addition(joints=[Joint("weld", type="fixed", parent="rod 1", child="ball", position=at)]))
    arm = place(run, "ball") - place(run, "rod 1")
    go_on(run, 60)
    recording = run.recording()
    far = np.linalg.norm(recording.position[10:, 2] - recording.position[10:, 1], axis=1)
    assert far == pytest.approx(np.full(len(far), np.linalg.norm(arm)), abs=1e-11)


def test_its_impact_keeps_the_momentum():
    mechanism = Mechanism(
        gravity=NONE, bodies=[ball(linear_velocity=(3.0, 0, 0)), ball(name="b", position=(1.0, 0, 0))]
    )
    run = begun(mechanism, 6)
    run.put_in(Addition(joints=[Joint("tie", type="fixed", parent="ball", child="b", position=(0.5, 0, 0))]))
    go_on(run, 12)
    speeds = run.recording().linear_velocity[:, :, 0]
    assert 2.0 * speeds[12].sum() == pytest.approx(6.0, abs=1e-9)


def test_constraints_and_forces_that_are_put_in():
    run = begun(chain(3), 10)
    ends = place(run, "rod 2"), place(run, "ball")
    run.put_in(Addition(constraints=[
        Distance("rod", body_a="rod 2", body_b="ball", point_a=ends[0], point_b=ends[1]),
        Nail("nail", body="rod 0", point=place(run, "rod 0")),
    ], forces=[
        Rubber("rubber", body_a="rod 1", body_b="ball", point_a=place(run, "rod 1"), point_b=ends[1], stiffness=5.0,
               rest_length=1.0),
        Drag("air", body="ball", coefficient=0.3, wind=(2.0, 0.0, 0.0)),
    ]))  # fmt: skip
    go_on(run, 48)
    recording = run.recording()
    far = np.linalg.norm(recording.position[10:, 2] - recording.position[10:, 3], axis=1)
    assert far == pytest.approx(np.full(39, np.linalg.norm(ends[0] - ends[1])), abs=1e-8)
    np.testing.assert_allclose(recording.position[10:, 0], np.tile(recording.position[10, 0], (39, 1)), atol=1e-8)
    assert_plays_again(run, lambda: chain(3))


def test_a_nail_is_moved_and_pulls_without_overshoot():
    mechanism = chain(1)
    mechanism.constraints = [Nail("nail", body="ball", point=(0.0, 0.0, -5.0), tau=0.05)]
    run = begun(mechanism, 6)
    run.act("nail", place=(0.4, 0.0, -5.0))
    go_on(run, 60)
    recording = run.recording()
    s = np.clip(recording.times - 0.25, 0.0, None) / 0.05
    expected = 0.4 * (1.0 - (1.0 + s) * np.exp(-s))
    assert recording.position[:, 1, 0] == pytest.approx(expected, abs=1e-6)
    assert recording.position[-1, 1] == pytest.approx([0.4, 0.0, -5.0], abs=1e-9)


@pytest.mark.parametrize("frame", [0, 9])
def test_what_a_constraint_holds_to_is_moved(frame):
    """Also at the very start; and what it leads comes there."""

    def build() -> Mechanism:
        mechanism = chain(1)
        at = (0.0, 0.0, -5.0)
        mechanism.bodies += [ball(name="led", position=(3.0, 0, 0)), ball(name="far", position=(6.0, 0, 0))]
        mechanism.constraints = [
            PointToPoint("point", body_a="ball", point_a=at, point_b=at),
            Path("path", body="led", point=(3.0, 0, 0), times=[0.0], positions=[(3.0, 0, 0)]),
            Distance("rope", body_a="far", point_a=(6.0, 0, 0), point_b=(6.0, 0, 2.0)),
        ]
        mechanism.bodies[1].linear_velocity = None
        return mechanism

    run = begun(build(), frame)
    run.act("point", point_b=(0.2, 0.1, -5.0))
    run.act("path", times=[run.time], positions=[(3.0, 0.3, 0.3)])
    run.act("rope", distance=1.5)
    go_on(run, frame + 120)
    assert place(run, "ball") == pytest.approx([0.2, 0.1, -5.0], abs=1e-9)
    assert place(run, "led") == pytest.approx([3.0, 0.3, 0.3], abs=1e-9)
    assert place(run, "far") == pytest.approx([6.0, 0.0, 0.5], abs=1e-9)
    assert_plays_again(run, build)


def test_what_is_taken_out_stays_where_it_was():
    run = begun(chain(3), 14)
    left = place(run, "rod 1").copy()
    run.take_out("rod 1")
    go_on(run, 40)
    recording = run.recording()
    np.testing.assert_array_equal(recording.position[15:, 1], np.tile(left, (26, 1)))
    fallen = recording.position[-1, 2] - recording.position[14, 2] - recording.linear_velocity[14, 2] * 26 / 24
    assert fallen[2] == pytest.approx(-0.5 * 9.81 * (26 / 24) ** 2, abs=1e-7)
    radius = np.linalg.norm(recording.position[:, 0], axis=1)
    assert radius == pytest.approx(np.full(41, 0.5), abs=1e-9)
    with pytest.raises(MechanismError, match="was taken out"):
        run.act("hinge 1", enabled=True)
    assert_plays_again(run, lambda: chain(3))


def test_hands_and_parts_that_are_put_in_act_in_their_order():
    run = begun(chain(2), 4)
    hand = run.grab("rod 0", place(run, "rod 0"), 40.0, 3.0)
    go_on(run, 6)
    run.put_in(Addition(forces=[Damping("air", body="rod 1", linear=0.3)]))
    run.drag(hand, (0.4, 0.0, 0.4))
    go_on(run, 9)
    run.let_go(hand)
    other = run.grab("rod 1", place(run, "rod 1"), 40.0, 3.0)
    go_on(run, 12)
    run.drag(other, (1.0, 0.2, 0.4))
    go_on(run, 20)
    mechanism = run.mechanism
    assert_same_bits(simulate(mechanism, run.time, FRAME_RATE), run.recording())


def test_at_the_start_parts_stand_among_the_others():
    run = LiveRun(chain(1), FRAME_RATE)
    run.put_in(Addition(joints=[Joint("tie", type="fixed", parent="rod 0", child="ball", position=(0.0, 0.0, -2.0))]))
    run.act("hinge 0", motor=JointMotor(mode="force", value=5.0).to_dict())
    go_on(run, 20)
    assert_plays_again(run, lambda: chain(1))


@pytest.mark.parametrize(
    ("addition", "words"),
    [
        ({"joints": [Joint("tie", type="fixed", parent="rod 0", child="nobody", position=NONE)]}, "'nobody', which"),
        ({"joints": [Joint("hinge 0", type="fixed", parent="rod 0", child="ball", position=NONE)]}, "must be unique"),
        ({"joints": [Joint("a", type="fixed", parent="rod 0", child="ball", position=NONE, within=1.0)]}, "within of"),
        ({"bodies": [Body("light", mass=0.0, inertia=INERTIA)]}, "mass must be greater than 0"),
        ({"forces": [Spring("s", body_a="rod 0", point_a=NONE, point_b=NONE, stiffness=-1.0, rest_length=1.0)]},
         "stiffness must be at least 0"),
        ({}, "must not be empty"),
    ],
)  # fmt: skip
def test_what_cannot_be_put_in_is_refused_by_name_and_the_run_goes_on(addition, words):
    run = begun(chain(), 5)
    with pytest.raises(MechanismError, match=words):
        run.put_in(Addition(**addition))
    go_on(run, 12)
    assert_plays_again(run, chain)


def test_a_refusal_of_the_motion_itself_plays_again_too():
    """It is known only when the linkages have been led to that moment, and begin anew there."""
    run = begun(chain(), 5)
    rods = [Distance(f"d {k}", body_a="rod 1", point_a=place(run, "rod 1"), point_b=place(run, "rod 1"), distance=None)
            for k in range(1)]  # fmt: skip
    with pytest.raises(MechanismError):
        run.put_in(Addition(constraints=rods))
    idle = Joint("idle", type="screw", pitch=0.1, parent=None, child="anchor", position=NONE)
    with pytest.raises(MechanismError, match="nothing to move"):
        run.put_in(Addition(bodies=[Body("anchor", motion="fixed", position=NONE)], joints=[idle]))
    go_on(run, 20)
    assert_plays_again(run, chain)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (
            {"time": 1, "target": "ball", "add": {"forces": [{"type": "damping", "name": "d", "body": "ball"}]}},
            "beside",
        ),
        ({"time": 1, "set": {"gravity": [0, 0, 0]}, "remove": ["ball"]}, "no meaning beside set"),
        ({"time": 1, "remove": ["nobody"]}, "'nobody', which there is not"),
        ({"time": 1, "set": {"name": "x"}}, "cannot be set in a mechanism; what can is gravity"),
        ({"time": 1, "set": {"gravity": [0, 0, "down"]}}, "gravity"),
        ({"time": 1, "target": "ball", "set": {"mass": 0}}, "mass must be greater than 0"),
        ({"time": 1, "target": "ball", "set": {"shape": None}}, "cannot be set in a body"),
        ({"time": 1}, "set is missing"),
    ],
)
def test_wrong_actions_are_named(action, words):
    data = chain(0).to_dict() | {"actions": [action]}
    with pytest.raises(MechanismError, match=words):
        Mechanism.from_dict(data)


def wild_changes(run: LiveRun, count: int, rng: np.random.Generator) -> list[str]:
    """So many changes at random frames: knobs, moves, hands, parts put in and taken out; what was refused."""
    names, refused, hand = itertools.count(), [], ""
    for _ in range(count):
        go_on(run, run.frame + int(rng.integers(0, 3)))  # none at times: a pause
        known = run._known
        bodies = [b.name for b in known.bodies if b.motion == "dynamic" and b.name not in run._timeline.gone]
        body, other = (str(name) for name in rng.choice(bodies, 2))
        at, new = place(run, body), f"new {next(names)}"
        what = rng.integers(0, 14)
        try:
            if what == 0:
                run.act(None, gravity=tuple(rng.normal(0, 4, 3)))
            elif what == 1:
                run.act(f"hinge {rng.integers(0, 3)}", stiffness=(float(rng.uniform(-1, 8)),), rest=(rng.normal(),))
            elif what == 2:
                run.act(f"hinge {rng.integers(0, 3)}", damping=(float(rng.uniform(0, 1)),), friction=(rng.random(),))
            elif what == 3:
                run.act(f"hinge {rng.integers(0, 3)}", limits=[[*sorted(rng.normal(0, 2, 2))]])
            elif what == 4:
                motor = JointMotor(mode="position", target=rng.normal(), stiffness=4.0, damping=1.0)
                run.act(f"hinge {rng.integers(0, 3)}", motor=motor.to_dict())
            elif what == 5:
                run.act(body, mass=float(rng.uniform(-0.2, 3.0)))
            elif what == 6:
                run.put_in(Addition(bodies=[Body(new, mass=1.0, inertia=INERTIA, position=rng.normal(0, 2, 3))]))
            elif what == 7 and body != other:
                tie = Joint(new, type=str(rng.choice(["revolute", "spherical", "fixed"])), parent=body, child=other,
                            position=at)  # fmt: skip
                run.put_in(Addition(joints=[tie]))
            elif what == 8 and body != other:
                ends = {"body_a": body, "body_b": other, "point_a": at, "point_b": place(run, other)}
                stiffness = float(rng.uniform(-2, 20))
                run.put_in(Addition(forces=[Spring(new, stiffness=stiffness, rest_length=1.0, damping=0.2, **ends)]))
            elif what == 9:
                nail = Nail(new, body=body, point=at)
                run.put_in(Addition(constraints=[nail]))
                go_on(run, run.frame + 1)
                run.act(new, place=tuple(at + rng.normal(0, 0.2, 3)))
                go_on(run, run.frame + 3)
                run.act(new, enabled=False)
            elif what == 10 and known.forces:
                run.act(known.forces[-1].name, enabled=bool(rng.integers(0, 2)))
            elif what == 11:
                parts = [p.name for p in (*known.joints[3:], *known.forces, *known.bodies[4:])] or [body]
                run.take_out(str(rng.choice(parts)))
            elif hand:
                run.drag(hand, rng.normal(0, 1, 3))
                if rng.random() < 0.5:
                    run.let_go(hand)
                    hand = ""
            else:
                hand = run.grab(body, at, 30.0, 3.0)
        except MechanismError as error:
            refused.append(str(error))
    return refused


@pytest.mark.parametrize("seed", [2, 3, 9, 31, 150])
def test_two_hundred_changes_play_again_to_the_bit(seed, tmp_path):
    def build() -> Mechanism:
        mechanism = chain(3)
        floor = Support("floor", body="ball", point=(0, 0, -5.2), stiffness=900.0, damping=20.0, height=-6.0)
        mechanism.forces = [floor, *(Damping(f"air {k}", body=f"rod {k}", linear=0.4, angular=0.05) for k in range(3))]
        return mechanism

    run = LiveRun(build(), FRAME_RATE)
    refused = wild_changes(run, 200, np.random.default_rng(seed))
    go_on(run, run.frame + 5)
    assert refused, "nothing was refused: the changes are too tame"
    assert len(run.actions) > 120
    kept = run.recording()
    run.mechanism.save(tmp_path / "run.json")
    assert_same_bits(simulate(Mechanism.load(tmp_path / "run.json"), run.time, FRAME_RATE), kept)
    assert_same_bits(simulate(run.mechanism, run.time, FRAME_RATE), kept)


def test_a_nail_that_is_moved_out_of_reach_is_followed_as_closely_as_can_be():
    """Within the first frame behind the change, that ended the run with "a force or motion jumps"."""
    run = begun(chain(3), 5)
    at = place(run, "rod 2")
    run.put_in(Addition(constraints=[Nail("far", body="rod 2", point=at)]))
    go_on(run, 6)
    run.act("far", place=tuple(at + (3.0, 0.0, 0.0)))
    go_on(run, 30)
    assert 2.48 < place(run, "rod 2")[0] < 2.5, "stretched towards it, against gravity"
    (note,) = (note for note in run.recording().notes if "far" in note and "could not be met" in note)
    assert "from frame 7 on" in note


@pytest.mark.parametrize("beyond", [0.3, 1.0])
@pytest.mark.parametrize("links", [1, 3])
@pytest.mark.parametrize("integrator", ["adams", "impulse"])
def test_a_nail_that_is_led_past_a_limit_leaves_the_joint_at_it(integrator, links, beyond):
    """Limit and nail took turns: 400,000 evaluations did not lead to the next frame. Or the limit was just passed."""

    def angle() -> float:
        x, _, z = place(run, "rod 0")
        return float(np.arctan2(-z, x))

    run = begun(chain(links), 5, integrator=integrator)
    most = angle() + 0.05
    run.act("hinge 0", limits=[[-3.0, most]])
    go_on(run, 8)
    run.put_in(Addition(constraints=[Nail("led", body="rod 0", point=place(run, "rod 0"))]))
    go_on(run, 9)
    led = angle() + beyond
    run.act("led", place=(0.5 * np.cos(led), 0.0, -0.5 * np.sin(led)))
    go_on(run, 40)
    assert angle() == pytest.approx(most, abs=1e-4 if integrator == "impulse" else 1e-8)
    assert any("led" in note and "could not be met from frame 10 on" in note for note in run.recording().notes)
    assert_plays_again(run, lambda: chain(links), integrator=integrator)


def test_a_limit_that_is_moved_over_a_joint_is_told_and_not_taken_for_a_lead():
    """On the command line and in a live run nothing was said."""
    run = begun(chain(1), 5)
    run.act("hinge 0", limits=[[0.8, 2.0]])
    go_on(run, 8)
    run.act("hinge 0", damping=(0.1,))
    go_on(run, 10)
    for notes in (run.recording().notes, simulate(run.mechanism, run.time, FRAME_RATE).notes):
        (note,) = (note for note in notes if note.code in ("limit-moved", "past-limit"))
        assert (note.code, note.parts, note.values["frame"]) == ("limit-moved", (("joint", "hinge 0"),), 6)
        assert note.values["gap"].endswith(" rad")


def test_actions_of_all_kinds_come_back_from_their_files():
    actions = [
        Action(1.0, None, {"gravity": [0.0, 0.0, -1.6]}),
        Action(1.0, "ball", {"mass": 3.0}),
        Action(1.5, add=Addition(forces=[Damping("air", body="ball", linear=0.2)])),
        Action(2.0, "air", {"linear": 0.4}),
        Action(2.5, remove=["air"]),
    ]
    mechanism = chain(1)
    mechanism.actions = actions
    again = Mechanism.from_dict(mechanism.to_dict())
    assert again == mechanism
    assert [action.names for action in again.actions] == [[None], ["ball"], ["air"], ["air"], ["air"]]
