# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops, nails and paths under the impulse integrator: redundant, singular, and out of reach."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from solver import Mechanism, Recording, simulate
from solver.mechanism import Body, Box, Capsule, Contact, Ground, Joint, Sphere
from solver.mechanism.bodies import Keys
from solver.mechanism.constraints import Nail, Path
from tests.solver.contact.scenes import FRAME_RATE, LYING, meets_bodies
from tests.solver.contact.solids import solid

FAR_BELOW = Contact(ground=Ground(-50.0))
ALONG_X = (0.5**0.5, 0.0, 0.5**0.5, 0.0)  # turns local Z into world X
LINK = 0.2  # m


def by_impulses(mechanism: Mechanism, duration: float, **options) -> Recording:
    recording = simulate(mechanism, duration, FRAME_RATE, integrator="impulse", **options)
    assert np.isfinite(recording.position).all()
    return recording


def total_energy(recording: Recording) -> np.ndarray:
    return recording.kinetic_energy + recording.potential_energy


def stretched_chain(kind: str, slack: float = 0.0, count: int = 6, **given) -> Mechanism:
    """Links of 0.2 kg in two straight halves between two nails, `slack` (m) nearer to each other than it is long."""
    half = 0.5 * count * LINK
    sag = np.arccos(1.0 - 0.5 * slack / half)
    down, up = (np.array((np.cos(sag), 0.0, side * np.sin(sag))) for side in (-1.0, 1.0))
    places = [k * LINK * down for k in range(count // 2 + 1)]
    places += [places[-1] + k * LINK * up for k in range(1, count // 2 + 1)]
    bodies = []
    for k in range(count):
        turn = 0.25 * np.pi + (0.5 if k < count // 2 else -0.5) * sag
        bodies.append(
            solid(f"link {k}", Capsule(radius=0.02, half_length=0.5 * LINK - 0.02), 0.5 * (places[k] + places[k + 1]),
                  0.2, orientation=(np.cos(turn), 0.0, np.sin(turn), 0.0))
        )  # fmt: skip
    joints = [Joint(f"joint {k}", kind, f"link {k - 1}", f"link {k}", places[k], LYING) for k in range(1, count)]
    nails = [Nail("left", body="link 0", point=(0, 0, 0)), Nail("right", body=f"link {count - 1}", point=places[-1])]
    return Mechanism(bodies=bodies, joints=joints, constraints=nails, contact=FAR_BELOW, **given)


@pytest.mark.parametrize("kind", ["spherical", "revolute"])
@pytest.mark.parametrize("slack", [0.0, 1e-10, 1e-7, 1e-5])
def test_a_chain_that_is_nailed_straight_stays_so(kind, slack):
    """It weighs on its nails with many times its weight, or infinitely: neither does it tear nor gather speed."""
    mechanism = stretched_chain(kind, slack)
    recording = by_impulses(mechanism, 1.0)
    assert recording.constraint_error.max() < 1e-8
    sag = np.sqrt(2.0 * 0.5 * LINK * 6 * (slack + 1e-8))  # of two straight halves; no shape sags deeper
    assert np.abs(recording.position[:, :, 2]).max() < sag
    energy = total_energy(recording)
    assert (energy - energy[0]).max() < 2e-4  # J, of 14 that gravity would give it in free fall


@meets_bodies
@pytest.mark.parametrize("slack", [0.0, 1e-5, 1e-2])
def test_a_ball_that_falls_on_a_straight_chain_is_held(slack):
    mechanism = stretched_chain("revolute", slack)
    mechanism.bodies.append(solid("ball", Sphere(radius=0.1), (0.63, 0.0, 0.3), 1.0))
    recording = by_impulses(mechanism, 1.0)
    assert not [note for note in recording.notes if "could not be met" in note]
    assert recording.constraint_error.max() < 2e-6
    assert recording.position[-1, 6, 2] == pytest.approx(0.12, abs=0.08)
    energy = total_energy(recording)
    assert np.max(energy - np.minimum.accumulate(energy)) < 0.1 * (
        energy[0] - energy.min()
    )  # what the chain's ringing gains: 0.067


def four_bar(crank: float, coupler: float, rocker: float, ground: float, **given) -> Mechanism:
    """Over-constrained: four hinges about Y. The crank stands upright at first."""
    a, d = np.zeros(3), np.array((ground, 0.0, 0.0))
    b = np.array((0.0, 0.0, crank))
    to_d = d - b
    far = np.linalg.norm(to_d)
    along = (coupler**2 - rocker**2 + far**2) / (2.0 * far)
    e = to_d / far
    c = b + along * e + np.sqrt(coupler**2 - along**2) * np.array((-e[2], 0.0, e[0]))

    def bar(name: str, start: np.ndarray, end: np.ndarray) -> Body:
        way = end - start
        turn = 0.5 * np.arctan2(-way[2], way[0])
        shape = Box(half_size=(0.5 * np.linalg.norm(way), 0.02, 0.02))
        return solid(name, shape, 0.5 * (start + end), 0.5, orientation=(np.cos(turn), 0.0, np.sin(turn), 0.0))

    joints = [
        Joint("A", "revolute", None, "crank", a, LYING, speeds=(6.0,)),
        Joint("B", "revolute", "crank", "coupler", b, LYING),
        Joint("C", "revolute", "coupler", "rocker", c, LYING),
        Joint("D", "revolute", None, "rocker", d, LYING),
    ]
    bars = [bar("crank", a, b), bar("coupler", b, c), bar("rocker", c, d)]
    contact = Contact(ground=Ground(-50.0), ignore=(("crank", "rocker"),))
    return Mechanism(bodies=bars, joints=joints, contact=contact, **given)


# lengths whose sums are equal: all bars come in line, once in each turn
SINGULAR = {"uneven": (0.4, 1.1, 0.5, 1.0), "long": (0.4, 1.0, 0.6, 1.2), "parallel": (0.4, 1.0, 0.4, 1.0)}


@pytest.mark.parametrize("name", SINGULAR)
def test_a_four_bar_passes_its_singular_pose_as_by_adams(name):
    mechanism = four_bar(*SINGULAR[name])
    fixed_steps = by_impulses(mechanism, 2.0)
    adams = simulate(dataclasses.replace(mechanism, contact=None), 2.0, FRAME_RATE, relative=1e-9)  # not the other way
    assert np.abs(adams.joint_coordinates[:, 0]).max() > 2.0 * np.pi
    assert fixed_steps.constraint_error.max() < 1e-8
    assert np.abs(fixed_steps.position - adams.position).max() < 1e-4
    assert total_energy(fixed_steps) == pytest.approx(total_energy(adams), abs=1e-3)


@meets_bodies
@pytest.mark.parametrize("name", SINGULAR)
def test_balls_fall_on_a_four_bar_that_passes_its_singular_pose(name):
    mechanism = four_bar(*SINGULAR[name])
    mechanism.bodies.append(solid("ball", Sphere(radius=0.1), (0.3, 0.0, 0.8), 1.0))
    mechanism.bodies.append(solid("late ball", Sphere(radius=0.1), (0.5, 0.05, 1.8), 1.0))
    recording = by_impulses(mechanism, 1.5)
    assert recording.constraint_error.max() < 1e-8
    energy = total_energy(recording)
    assert np.max(energy - np.minimum.accumulate(energy)) < 1e-2 * (energy[0] - energy.min())


def test_redundant_joints_bear_what_they_do_by_adams():
    """Least norm: sideways gravity presses on four hinges, which one would be enough for."""
    mechanism = four_bar(0.3, 1.0, 0.4, 0.9, gravity=(0.0, 3.0, -9.81))
    fixed_steps = by_impulses(mechanism, 0.25)
    adams = simulate(dataclasses.replace(mechanism, contact=None), 0.25, FRAME_RATE)
    assert np.abs(fixed_steps.joint_force - adams.joint_force).max() < 1e-6
    assert [note for note in fixed_steps.notes if "redundant" in note]


@meets_bodies
def test_redundant_joints_bear_what_lies_on_them():
    """The forces of a frame on its hinges are its weight and that of the ball which lies on it."""
    mechanism = four_bar(0.4, 1.0, 0.4, 1.0)
    mechanism.joints[0].speeds = None
    mechanism.joints[0].damping = mechanism.joints[3].damping = (1e4,)
    mechanism.bodies.append(solid("ball", Sphere(radius=0.1), (0.5, 0.0, 0.52), 1.0))
    recording = by_impulses(mechanism, 1.0)
    held = recording.joint_force[-1, [0, 3], :3].sum(axis=0)
    assert held == pytest.approx([0.0, 0.0, 9.81 * 2.5], abs=0.05)


def test_a_path_that_leads_out_of_reach_is_followed_as_closely_as_it_can_be():
    arm = [solid(f"arm {k}", Capsule(radius=0.03, half_length=0.2), (0.25 + 0.5 * k, 0, 0), orientation=ALONG_X)
           for k in range(2)]  # fmt: skip
    joints = [
        Joint("shoulder", "revolute", None, "arm 0", (0, 0, 0), LYING),
        Joint("elbow", "revolute", "arm 0", "arm 1", (0.5, 0, 0), LYING, coordinates=(1.0,)),
    ]
    tip = np.array((0.5 + 0.5 * np.cos(1.0), 0.0, -0.5 * np.sin(1.0)))
    path = Path("path", body="arm 1", point=(1, 0, 0), times=(0.0, 1.0, 2.0), positions=(tip, 1.3 * tip, tip))
    mechanism = Mechanism(bodies=arm, joints=joints, constraints=[path], contact=FAR_BELOW)
    recording = by_impulses(mechanism, 2.0)
    assert [note for note in recording.notes if "constraint 'path': could not be met" in note]
    out_of_reach = 1.3 * np.linalg.norm(tip) - 1.0
    assert 0.5 * out_of_reach < recording.constraint_error.max() < out_of_reach + 0.05  # of one of three directions
    assert recording.constraint_error[-1] < 0.01


@meets_bodies
def test_a_damped_thin_wire_between_cans_does_not_whirl():
    """Axes of a joint that turn towards the wire's own feel how little it resists."""
    wire = Body("wire", mass=0.025, inertia=(9.2e-5, 9.2e-5, 4.5e-7), position=(0, 0, -0.105))
    can = solid("can", Capsule(radius=0.05, half_length=0.08), (0, 0, -0.34), 0.35)
    joints = [
        Joint("top", "spherical", None, "wire", (0, 0, 0), damping=(0.01,) * 3, speeds=(3.0, 0.5, 1.0)),
        Joint("bottom", "spherical", "wire", "can", (0, 0, -0.21), damping=(0.01,) * 3, speeds=(8.0, 0.0, 2.0)),
    ]
    mechanism = Mechanism(bodies=[wire, can], joints=joints, contact=FAR_BELOW)
    recording = by_impulses(mechanism, 3.0)
    energy = total_energy(recording)
    assert np.max(energy - np.minimum.accumulate(energy)) < 1e-4
    adams = simulate(dataclasses.replace(mechanism, contact=None), 1.0, FRAME_RATE)
    assert np.abs(recording.position[: len(adams.times)] - adams.position).max() < 0.03  # of first order: 0.021


def test_what_is_held_by_keyed_bodies_is_dragged_along():
    """A straight chain between two carriages that drive off together: no speed is lost to its singular pose."""
    chain = stretched_chain("revolute", 0.0, gravity=(0.0, 0.0, 0.0))
    chain.constraints = []
    for side, place, link in (("left", 0.0, "link 0"), ("right", 1.2, "link 5")):
        keys = Keys(times=(0.0, 1.0), positions=((place, 0, 0), (place, 1, 0)), orientations=((1, 0, 0, 0),) * 2)
        chain.bodies.append(Body(f"{side} carriage", motion="keyed", keys=keys, position=(place, 0, 0)))
        chain.joints.append(Joint(side, "spherical", f"{side} carriage", link, (place, 0, 0)))
    recording = by_impulses(chain, 1.0)
    assert recording.constraint_error.max() < 1e-6
    assert recording.position[-1, :6, 1] == pytest.approx(np.ones(6), abs=1e-3)
