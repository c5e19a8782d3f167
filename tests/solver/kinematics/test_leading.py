# SPDX-License-Identifier: GPL-3.0-or-later
"""Leading linkages at random: closed in every pose, never on another branch, and the same bits in any order."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, MechanismError
from solver.kinematics import Kinematics
from solver.mechanism import Body, Joint, Nail
from tests.solver.kinematics.planar import Planar, four_bar, jansen_leg

EXACT = 1e-9  # rad, or parts of the size
LINKAGES, DRAGS, PIECES = 20, 500, 12


def random_linkage(seed: int) -> tuple[Planar, list[str]]:
    """A four-bar, a five-bar with two cranks, or a six-bar of Watt or of Stephenson, of random lengths."""
    rng = np.random.default_rng(seed)
    kind = seed % 4

    def place(x: float, y: float) -> np.ndarray:
        return np.array([x, y]) + rng.uniform(-0.5, 0.5, 2)

    A, D, B, C = place(0, 0), place(4, 0), place(0, 2), place(3.5, 2.5)
    points = {"A": A, "B": B, "C": C, "D": D}
    bars = {"crank": "AB", "coupler": "BC", "rocker": "CD"}
    drives = ["A crank"]
    if kind == 1:
        points |= {"E": place(2, 4)}
        bars = {"crank": "AB", "left": "BE", "right": "EC", "rocker": "CD"}
        drives = ["A crank", "D rocker"]
    elif kind == 2:  # Watt: a second four-bar on the rocker
        points |= {"E": place(5, 1.5), "F": place(7, 3), "G": place(8, 0)}
        bars = {"crank": "AB", "coupler": "BC", "rocker": "CDE", "link": "EF", "out": "FG"}
    elif kind == 3:  # Stephenson: a dyad on a point of the coupler
        points |= {"E": place(1.5, 4), "F": place(4.5, 5), "G": place(6, 2)}
        bars = {"crank": "AB", "coupler": "BCE", "rocker": "CD", "link": "EF", "out": "FG"}
    return Planar(points, bars, "ADG" if "G" in points else "AD"), drives


@pytest.mark.parametrize("seed", range(LINKAGES))
def test_drags_at_random_never_flip_and_never_tear(seed: int) -> None:
    """The same way in many small pieces comes to the same pose: no drag, however wide, came out on another branch."""
    planar, drives = random_linkage(seed)
    wide, fine = Kinematics(planar.mechanism, drives), Kinematics(planar.mechanism, drives)
    rng, compared = np.random.default_rng(100 + seed), 0
    for _ in range(DRAGS):
        before, state = wide.values.copy(), wide.state()
        target = before + rng.normal(scale=rng.choice([0.02, 0.3, 1.5]), size=len(drives))
        led = wide.lead(target)
        assert led.error < EXACT
        if led.reached < 1.0:
            assert led.notes
            wide.restore(state)
            continue
        fine.restore(state)
        pieces = [fine.lead(before + (target - before) * k / PIECES) for k in range(1, PIECES + 1)]
        assert all(piece.reached == 1.0 for piece in pieces)
        assert np.abs(wide.poses()[0] - fine.poses()[0]).max() < 1e-6 * planar.size
        compared += 1
    assert compared > 0.2 * DRAGS
    planar.points(wide)


@pytest.mark.parametrize("seed", range(4))
def test_a_way_and_back_ends_where_it_began(seed: int) -> None:
    planar, drives = random_linkage(seed)
    kinematics = Kinematics(planar.mechanism, drives)
    start, values = kinematics.poses(), kinematics.values.copy()
    way = [values + 0.4 * np.sin(0.1 * k) for k in range(60)]
    reached = [kinematics.lead(at).reached for at in (*way, *way[::-1], values)]
    assert min(reached) == 1.0
    for there, back in zip(start, kinematics.poses(), strict=True):
        np.testing.assert_allclose(back, there, atol=EXACT * planar.size)


def test_the_same_way_gives_the_same_bits_from_wherever_it_is_taken_up() -> None:
    planar = jansen_leg()
    kinematics = Kinematics(planar.mechanism, ["O m"])
    angles = 0.2 * np.arange(40)
    states, played = [], []
    for angle in angles:
        kinematics.lead([angle])
        states.append(kinematics.state())
        played.append(kinematics.poses()[0].tobytes())
    other = Kinematics(planar.mechanism, ["O m"])
    for k in np.random.default_rng(3).permutation(np.arange(1, 40)):
        other.restore(states[k - 1])
        other.lead([angles[k]])
        assert other.poses()[0].tobytes() == played[k]


def test_a_limit_stops_the_way_and_is_named() -> None:
    planar = four_bar((1.0, 3.5, 2.5, 4.0), 0.7, 1)
    rocker = next(joint for joint in planar.mechanism.joints if joint.name == "D rocker")
    rocker.limits = ((-0.2, 0.1),)
    kinematics = Kinematics(planar.mechanism, ["A crank"])
    led = kinematics.lead([2.0])
    assert led.reached < 1.0
    assert led.error < EXACT
    assert [(note.code, note.parts) for note in led.notes] == [("led-to-limit", (("joint", "D rocker"),))]
    axis = kinematics.linkages[0].joint_of_axis.index(("D rocker", 0))
    assert min(abs(kinematics.linkages[0].state.coordinates[axis] - at) for at in (-0.2, 0.1)) < 1e-6
    assert kinematics.lead([0.0]).reached == 1.0


def test_a_drive_keeps_the_limits_of_its_own_joint() -> None:
    planar = four_bar((1.0, 3.5, 2.5, 4.0), 0.7, 1)
    planar.mechanism.joints[0].limits = ((None, 0.5),)
    kinematics = Kinematics(planar.mechanism, ["A crank"])
    led = kinematics.lead([2.0])
    assert [note.code for note in led.notes] == ["drive-beyond-limit"]
    assert led.reached == 1.0
    assert kinematics.values[0] == 0.5


def test_mobility_of_one_drive_too_few_and_too_many() -> None:
    planar, _ = random_linkage(1)  # five bars
    (few,) = Kinematics(planar.mechanism, ["A crank"]).mobility()
    assert (few.freedoms, few.undecided, few.contradicting) == (2, 1, 0)
    assert few.moving == ["left", "right", "rocker"]
    assert [note.code for note in few.notes] == ["drives-missing"]
    (right,) = Kinematics(planar.mechanism, ["A crank", "D rocker"]).mobility()
    assert (right.undecided, right.contradicting, right.notes) == (0, 0, [])
    assert right.moved_by == {"A crank": ["crank", "left", "right"], "D rocker": ["left", "right", "rocker"]}
    (many,) = Kinematics(planar.mechanism, ["A crank", "D rocker", "B left"]).mobility()
    assert (many.undecided, many.contradicting) == (0, 1)
    assert [note.code for note in many.notes] == ["drives-too-many"]


def test_drives_that_contradict_each_other_stay_where_they_were() -> None:
    planar, _ = random_linkage(0)
    kinematics = Kinematics(planar.mechanism, ["A crank", "D rocker"])
    before = kinematics.poses()[0]
    led = kinematics.lead([0.3, -0.3])
    assert led.reached < 1e-5
    assert [note.code for note in led.notes] == ["led-against"]
    np.testing.assert_allclose(kinematics.poses()[0], before, atol=1e-5)


def test_a_structure_does_not_move_and_is_named() -> None:
    points = {"A": (0, 0), "B": (1, 1), "C": (2, 0), "D": (1, -0.5)}
    planar = Planar(points, {"left": "AB", "right": "BC", "prop": "BD"}, "ACD")
    kinematics = Kinematics(planar.mechanism, ["A left"])
    (mobility,) = kinematics.mobility()
    assert mobility.freedoms == 0
    (note,) = mobility.notes
    assert note.code == "structure"
    assert ("joint", "B right") in note.parts
    before = kinematics.poses()[0]
    assert kinematics.lead([0.5]).reached < 1e-5
    np.testing.assert_allclose(kinematics.poses()[0], before, atol=1e-5)


def test_legs_on_one_crank_are_blocks_of_their_own() -> None:
    """Time grows with their number, not with its cube."""
    leg, count = jansen_leg(), 3
    bodies, joints = [], []
    for n in range(count):
        for body in leg.mechanism.bodies:
            if body.name != "m" or n == 0:
                bodies.append(_copied(body, n))
        for joint in leg.mechanism.joints:
            if joint.child != "m" or n == 0:
                joints.append(_copied_joint(joint, n))
    kinematics = Kinematics(Mechanism(bodies=bodies, joints=joints), ["O m 0"])
    (linkage,) = kinematics.linkages
    assert np.diff(linkage.plan.block_columns).tolist() == [10] * count
    one = Kinematics(leg.mechanism, ["O m"])
    kinematics.lead([1.0])
    one.lead([1.0])
    alone, (position, _) = dict(zip(leg.bars, one.poses()[0], strict=True)), kinematics.poses()
    for body, place in zip(bodies, position, strict=True):
        np.testing.assert_allclose(place, alone[body.name.split()[0]], atol=EXACT)


def _copied(body: Body, n: int) -> Body:
    return Body(
        f"{body.name} {n}",
        mass=1.0,
        inertia=body.inertia,
        center_of_mass=body.center_of_mass,
        position=body.position,
    )


def _copied_joint(joint: Joint, n: int) -> Joint:
    def name(of: str | None) -> str | None:
        return None if of is None else f"{of} {0 if of == 'm' else n}"

    return Joint(f"{joint.name} {n}", joint.type, name(joint.parent), name(joint.child), position=joint.position)


def test_what_is_no_drive_is_refused() -> None:
    bodies = [Body("a", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0))]
    ball = Joint("ball", "spherical", None, "a", position=(0.0, 0.0, 0.0))
    mechanism = Mechanism(bodies=bodies, joints=[ball], constraints=[Nail("nail", body="a", point=(2.0, 0.0, 0.0))])
    for drives, word in ((["ball"], "spherical"), (["axle"], "no joint")):
        with pytest.raises(ValueError, match=word):
            Kinematics(mechanism, drives)
    with pytest.raises(ValueError, match="finite"):
        Kinematics(four_bar((1.0, 3.5, 2.5, 4.0), 0.7, 1).mechanism, ["A crank"]).lead([np.nan])
    with pytest.raises(MechanismError):
        Kinematics(Mechanism(bodies=[Body("b", mass=-1.0, inertia=(1, 1, 1))]))
