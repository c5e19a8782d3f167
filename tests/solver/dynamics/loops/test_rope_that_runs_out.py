# SPDX-License-Identifier: GPL-3.0-or-later
"""A weight that a heavier one draws up to its wheel: exactly there, and not past it.

The motion is a parabola, so steps of any length are exact, until one leads beyond the wheel. There closures bring the
prediction back to the wheel's other side, where it is as smooth.
"""

import numpy as np
import pytest

from solver import Mechanism, Recording, SimulationFailed, simulate
from solver.mechanism import Body, Pulley
from tests.truths.transmissions import atwood

HEIGHT = 2.0  # m: of the wheels


def weights(heavy: float, light: float) -> Mechanism:
    bodies = [
        Body(name, mass=mass, inertia=(0.1, 0.1, 0.1), position=(x, 0.0, 0.0))
        for name, mass, x in (("heavy", heavy, 0.0), ("light", light, 1.0))
    ]
    ends = {"point_a": (0, 0, 0), "wheel_a": (0, 0, HEIGHT), "point_b": (1, 0, 0), "wheel_b": (1, 0, HEIGHT)}
    return Mechanism(bodies=bodies, constraints=[Pulley("rope", body_a="heavy", body_b="light", **ends)])


@pytest.mark.parametrize("share", [0.9, 0.98])
@pytest.mark.parametrize("frame_rate", [24, 100])
@pytest.mark.parametrize("heavy", [1.2, 2.0, 10.0])
def test_a_weight_is_not_led_past_its_wheel(heavy, frame_rate, share):
    down, arrival = _fall(heavy)
    recording = simulate(weights(heavy, 1.0), share * arrival, frame_rate, integrator="adams")
    assert recording.position[:, 1, 2] == pytest.approx(0.5 * down * recording.times**2, abs=1e-9)


@pytest.mark.parametrize("heavy", [1.2, 2.0, 10.0])
def test_at_its_wheel_it_stays_or_the_run_ends(heavy):
    down, arrival = _fall(heavy)
    recording, stuck = _recorded(heavy, 1.2 * arrival)
    assert stuck in ([], ["light"])
    assert recording.times[-1] > arrival - 0.01
    risen, before = recording.position[:, 1, 2], recording.times < arrival - 1e-3
    assert risen[before] == pytest.approx(0.5 * down * recording.times[before] ** 2, abs=1e-9)
    assert risen[~before] == pytest.approx(HEIGHT, abs=5e-3)


def _recorded(heavy: float, duration: float) -> tuple[Recording, list[str]]:
    """What there is, and the names of bodies at which it could not go on."""
    try:
        return simulate(weights(heavy, 1.0), duration, 100, integrator="adams"), []
    except SimulationFailed as failure:
        return failure.recording, failure.body_names


def _fall(heavy: float) -> tuple[float, float]:
    """(m/s2, s): how the heavy one falls, and when the light one is at its wheel."""
    down, _ = atwood(heavy, 1.0)
    return down, np.sqrt(2.0 * HEIGHT / down)
