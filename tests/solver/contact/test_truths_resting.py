# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that stand still: those at rest, stacks, a card house, an arch, the heavy on the light."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from solver.mechanism import Box, Capsule, Cylinder, Hull, Joint, Sphere
from solver.simulation.simulation import Simulation
from tests.solver.contact import gauges
from tests.solver.contact.scenes import (
    LYING,
    arch,
    card_house,
    meets_bodies,
    on_ground,
    row_of_links,
    run,
    stack,
    turned,
)
from tests.solver.contact.solids import fixed, solid
from tests.truths.sliding import Ladder

STILL = 1e-3  # m/s
CUBE = Box(half_size=(0.25, 0.25, 0.25))
CAPSULE = Capsule(radius=0.05, half_length=0.08)
WEDGE = Hull(points=[(x, y, z) for x, z in ((-0.3, -0.1), (0.3, -0.1), (0.0, 0.25)) for y in (-0.2, 0.2)])
PAIR = (Box(half_size=(0.4, 0.1, 0.05), position=(0, 0, -0.05)), Sphere(radius=0.1, position=(0, 0, 0.1)))
LYING_ON_ITS_SIDE = {"orientation": LYING}
# name: (shape, height of the origin at rest, how it lies)
AT_REST = {
    "sphere": (Sphere(radius=0.2), 0.2, {}),
    "box": (Box(half_size=(0.3, 0.2, 0.1)), 0.1, {}),
    "tall box": (Box(half_size=(0.05, 0.05, 0.5)), 0.5, {}),
    "standing cylinder": (Cylinder(radius=0.2, half_length=0.3), 0.3, {}),
    "lying cylinder": (Cylinder(radius=0.2, half_length=0.3), 0.2, LYING_ON_ITS_SIDE),
    "lying capsule": (Capsule(radius=0.2, half_length=0.3), 0.2, LYING_ON_ITS_SIDE),
    "hull": (WEDGE, 0.1, {}),
    "compound": (PAIR, 0.1, {}),
}


def body_at_rest(kind: str, lift: float):
    shape, height, lying = AT_REST[kind]
    if isinstance(shape, tuple):
        body = solid("body", shape[0], (0, 0, height + lift), **lying)
        body.shape = shape
        return body
    return solid("body", shape, (0, 0, height + lift), **lying)


@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("kind", AT_REST)
def test_a_body_put_down_stays_where_it_is(kind, restitution):
    mechanism = on_ground([body_at_rest(kind, 0.0)], 0.6, restitution)
    recording = run(mechanism, 3.0)
    assert gauges.strayed(recording) < 1e-4
    assert gauges.fastest(recording) < STILL
    assert np.abs(recording.angular_velocity).max() < 0.005
    assert gauges.sinking(mechanism, recording) < 1e-3


@pytest.mark.parametrize("substeps", [2, 4, 10])
def test_the_first_step_does_not_lift_a_body_off(substeps):
    """It falls through the step before its support is known: that it is deep then is no overlap to be undone."""
    recording = run(on_ground([solid("cube", CUBE, (0, 0, 0.25))], 0.6), 0.2, substeps=substeps)
    assert gauges.strayed(recording) < 1e-8


def test_the_first_step_does_not_lift_a_door_off_its_stop():
    lid = solid("lid", Box(half_size=(0.3, 0.2, 0.01)), (0.0, 0.0, 0.5))
    hinge = Joint(
        "hinge", "revolute", None, "lid", (-0.3, 0.0, 0.5), LYING, coordinates=(0.0,), limits=((-1.0, 0.0),)
    )  # fmt: skip
    recording = run(on_ground([lid], joints=[hinge]), 0.2, substeps=2)
    assert gauges.strayed(recording) < 1e-8


@meets_bodies
@pytest.mark.parametrize("gap", [0.001, 0.003, 0.008])
def test_a_blow_from_above_drives_nothing_into_the_ground(gap):
    """Lower cubes are in the air, nearly at rest, until heavy ones land on them: so many that no step is cut short."""
    bodies = []
    for k in range(32):
        x, y = 1.0 * (k % 8), 1.0 * (k // 8)
        bodies.append(solid(f"low {k}", CUBE, (x, y, 0.25 + gap), 1.0))
        high = (x, y, 0.77 + gap + 0.002 * k)
        bodies.append(solid(f"high {k}", CUBE, high, 10.0, linear_velocity=(0, 0, -5.0)))
    mechanism = on_ground(bodies, 0.6)
    recording = run(mechanism, 0.1, frame_rate=240.0, substeps=1)
    assert gauges.sinking(mechanism, recording) < 1e-3


@pytest.mark.parametrize("kind", AT_REST)
def test_a_body_that_is_dropped_askew_comes_to_rest(kind):
    body = body_at_rest(kind, 0.5)
    body.orientation = turned(np.array([0.6, 0.64, 0.48]), 0.7)
    body.angular_velocity = (1.0, -0.5, 0.3)
    mechanism = on_ground([body], 0.6, 0.2)
    recording = run(mechanism, 8.0)
    late = recording.times >= 7.0
    if kind not in ("sphere", "lying cylinder", "lying capsule", "standing cylinder"):  # these may roll on for ever
        assert gauges.fastest(recording, since=7.0) < STILL
    assert np.ptp(recording.position[late, 0, 2]) < 1e-3
    assert gauges.sinking(mechanism, recording) < 1e-3


@meets_bodies
@pytest.mark.slow
def test_ten_boxes_stand_for_thirty_seconds():
    mechanism = on_ground(stack([CUBE] * 10, [1.0] * 10), 0.5)
    recording = run(mechanism, 30.0)
    assert gauges.strayed(recording) < 1e-3
    assert gauges.fastest(recording, since=1.0) < STILL
    assert max(gauges.overlap(mechanism, recording, frame) for frame in range(0, len(recording.times), 72)) < 1e-3


@meets_bodies
def test_ten_boxes_stand():
    mechanism = on_ground(stack([CUBE] * 10, [1.0] * 10), 0.5)
    recording = run(mechanism, 2.0)
    assert gauges.strayed(recording) < 1e-3
    assert gauges.fastest(recording, since=1.0) < STILL


@meets_bodies
@pytest.mark.parametrize("substeps", [2, 8, 20])
def test_ten_boxes_under_a_thousandfold_one_stand(substeps):
    masses = np.geomspace(1.0, 1000.0, 10)
    recording = run(on_ground(stack([CUBE] * 10, list(masses))), 10.0, substeps=substeps)
    assert np.linalg.norm(recording.position - recording.position[0], axis=-1).max() < 5e-6


@pytest.mark.parametrize("substeps", [2, 8, 20])
def test_nine_light_boxes_under_a_hundredfold_one_stand(substeps):
    recording = run(on_ground(stack([CUBE] * 10, [1.0] * 9 + [100.0])), 10.0, substeps=substeps)
    assert np.linalg.norm(recording.position - recording.position[0], axis=-1).max() < 1e-4


@pytest.mark.parametrize("substeps", [2, 20])
def test_a_pyramid_comes_to_rest_and_stays(substeps):
    bodies = [
        solid(f"box {row} {k}", CUBE, ((k + 0.5 * row) * 0.55, 0.0, 0.25 + 0.5 * row))
        for row in range(6)
        for k in range(6 - row)
    ]
    recording = run(on_ground(bodies), 10.0, substeps=substeps)
    late = recording.position[5 * 24 :]
    assert np.linalg.norm(late - late[0], axis=-1).max() < 2e-7


def test_what_rests_with_a_little_gap_needs_few_sweeps():
    """Forces of the step before are right from the start, and not as if the gap might close at once."""
    bodies = stack([CUBE] * 6, [1.0] * 5 + [100.0])
    for k, body in enumerate(bodies):
        body.position = (0.0, 0.0, body.position[2] + (k + 1) * 4e-5)
    simulation = Simulation(on_ground(bodies), 1.1, 24.0, integrator="impulse", substeps=20)
    deque(simulation.warm_up())
    course = simulation.start()
    sweeps, steps = [], []
    for time in (0.5, 1.0):
        deque(course.advance(time))
        (linkage,) = course.runs
        sweeps.append(int(linkage.memory.arrays.contact.counts[0].sweeps))
        steps.append(linkage.steps)
    assert sweeps[1] - sweeps[0] < 10 * (steps[1] - steps[0])


def test_a_linkage_at_rest_is_moved_on_in_whole_steps():
    """Accelerations that are rounding say nothing about how smooth the motion is."""
    links, joints = row_of_links(
        "link", 8, (0.0, 0.0, 0.05), (0.3, 0.0, 0.0), CAPSULE, orientation=turned((0, 1, 0), np.pi / 2)
    )
    recording = run(on_ground(links, joints=joints), 4.0, substeps=2)
    assert recording.evaluations < 7 * recording.steps


def test_a_stack_that_is_let_fall_stands_in_the_end():
    bodies = stack([CUBE] * 5, [1.0] * 5)
    for k, body in enumerate(bodies):
        body.position = (0.0, 0.0, body.position[2] + 0.05 * (k + 1))
    mechanism = on_ground(bodies, 0.5)
    recording = run(mechanism, 4.0)
    assert recording.position[-1, :, 2] == pytest.approx(0.25 + 0.5 * np.arange(5), abs=1e-3)
    assert np.abs(recording.position[-1, :, :2]).max() < 5e-3
    assert gauges.fastest(recording, since=3.0) < STILL


@meets_bodies
@pytest.mark.parametrize("ratio", [10.0, 100.0])
def test_the_heavy_stands_on_the_light(ratio):
    mechanism = on_ground(stack([CUBE] * 2, [1.0, ratio]), 0.5)
    recording = run(mechanism, 5.0)
    assert gauges.strayed(recording) < 1e-3
    assert gauges.fastest(recording, since=1.0) < STILL
    assert max(gauges.overlap(mechanism, recording, frame) for frame in (24, 120)) < 1e-3
    assert gauges.sinking(mechanism, recording) < 1e-3


@meets_bodies
def test_a_hundredfold_weight_falls_on_a_stack():
    bodies = stack([CUBE] * 4, [1.0, 1.0, 1.0, 100.0])
    bodies[-1].position = (0.0, 0.0, bodies[-1].position[2] + 0.2)
    mechanism = on_ground(bodies, 0.5)
    recording = run(mechanism, 3.0)
    assert recording.position[-1, :, 2] == pytest.approx(0.25 + 0.5 * np.arange(4), abs=2e-3)
    assert max(gauges.overlap(mechanism, recording, frame) for frame in range(72)) < 2.5e-3  # 0.5 % of the size


@meets_bodies
@pytest.mark.parametrize("substeps", [5, 20, 60])
@pytest.mark.parametrize("light", [1, 2, 3])
def test_a_hundredfold_weight_that_falls_gains_no_energy(light, substeps):
    """Impulses that have not found each other yet may be off, but they may not give energy."""
    bodies = stack([CUBE] * (light + 1), [1.0] * light + [100.0])
    bodies[-1].position = (0.0, 0.0, bodies[-1].position[2] + 0.2)
    mechanism = on_ground(bodies, 0.5)
    energy = gauges.energy(mechanism, run(mechanism, 1.0, substeps=substeps))
    assert np.diff(energy).max() < 1e-3 * energy[0]


@meets_bodies
def test_a_card_house_stands():
    mechanism = on_ground(card_house(), 0.6)
    recording = run(mechanism, 5.0)
    assert gauges.strayed(recording) < 2e-3
    assert gauges.fastest(recording, since=4.0) < STILL


@meets_bodies
@pytest.mark.parametrize("substeps", [6, 10, 20])
def test_a_card_house_stands_at_any_length_of_the_steps(substeps):
    """Lifted off by what no overlap was, it crept apart at half a millimetre a second, or fell."""
    recording = run(on_ground(card_house(), 0.6), 1.0, substeps=substeps)
    assert gauges.strayed(recording) < 3e-4
    assert gauges.fastest(recording, since=0.5) < STILL


@meets_bodies
def test_a_card_house_without_friction_does_not_stand():
    recording = run(on_ground(card_house(), 0.05), 2.0)
    assert recording.position[-1, :, 2].max() < 0.6


@meets_bodies
def test_an_arch_of_seven_stones_stands():
    mechanism = on_ground(arch(), 0.7)
    recording = run(mechanism, 5.0)
    assert gauges.strayed(recording) < 2e-3
    assert gauges.fastest(recording, since=4.0) < STILL
    assert max(gauges.overlap(mechanism, recording, frame) for frame in (0, 60, 120)) < 1e-3


@meets_bodies
def test_an_arch_that_is_too_thin_falls():
    """A half circle needs a thickness of 0.1075 of its mean radius (Milankovitch 1907)."""
    recording = run(on_ground(arch(inner=1.0, outer=1.04), 0.7), 4.0)
    assert recording.position[-1, 3, 2] < 0.5


@meets_bodies
@pytest.mark.parametrize("part", [0.97, 1.03])
def test_a_ladder_holds_or_slips(part):
    """It leans against a wall without friction, on a floor of 0.5."""
    ladder = Ladder(1.0, 0.02)
    lean = ladder.least_lean(0.5 / part)
    assert (ladder.needed_friction(lean) < 0.5) == (part > 1.0)
    c, s = np.cos(lean), np.sin(lean)
    shape = Capsule(radius=0.02, half_length=1.0)
    rod = solid("ladder", shape, (-c - 0.02, 0, s + 0.02), orientation=turned((0, 1, 0), 0.5 * np.pi - lean))
    wall = fixed("wall", Box(half_size=(0.2, 2.0, 3.0)), (0.2, 0, 2.0))
    mechanism = on_ground([rod, wall], 0.5)
    wall.material.friction = 0.0
    recording = run(mechanism, 2.0)
    if part > 1.0:
        assert gauges.strayed(recording) < 1e-3
    else:
        assert gauges.strayed(recording) > 0.1
