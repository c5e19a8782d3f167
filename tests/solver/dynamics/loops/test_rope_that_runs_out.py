# SPDX-License-Identifier: GPL-3.0-or-later
"""A weight that a heavier one draws up to its wheel: exactly there, and not past it, where the run ends by name.

The motion is a parabola, so steps of any length are exact, until one leads beyond the wheel. There closures bring the
prediction back to the wheel's other side, where it is as smooth. One that swings past its wheel goes on.
"""

import numpy as np
import pytest

from solver import Mechanism, Recording, SimulationFailed, simulate
from solver.mechanism import Body, Contact, Ground, Pulley, Sphere
from tests.truths.transmissions import atwood, swinging_atwood

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
    """The recording as far as it goes, and the names of bodies at which it could not go on."""
    try:
        return simulate(weights(heavy, 1.0), duration, 100, integrator="adams"), []
    except SimulationFailed as failure:
        return failure.recording, failure.body_names


def _fall(heavy: float) -> tuple[float, float]:
    """(m/s2, s): how the heavy one falls, and when the light one is at its wheel."""
    down, _ = atwood(heavy, 1.0)
    return down, np.sqrt(2.0 * HEIGHT / down)


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "impulse", "variational"])
@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_where_a_rope_runs_out_the_run_ends_by_name(integrator, ratio):
    mechanism = weights(1.0, 3.0)
    mechanism.constraints[0].ratio = ratio
    down, _ = atwood(1.0, 3.0, ratio)
    arrival = np.sqrt(2.0 * HEIGHT / -down)
    with pytest.raises(SimulationFailed) as caught:
        simulate(mechanism, 2.0 * arrival, integrator=integrator)
    failure = caught.value
    assert (failure.reason.code, failure.reason.parts) == ("rope-out", (("constraint", "rope"),))
    assert failure.body_names == ["heavy"]  # here the lighter one
    assert failure.time == pytest.approx(arrival, abs=0.002)
    recording = failure.recording
    assert recording.times[-1] > arrival - 1.0 / 24.0
    assert recording.position[:, 0, 2] == pytest.approx(-0.5 * down * recording.times**2, abs=1e-6)
    energy = recording.kinetic_energy + recording.potential_energy
    assert energy == pytest.approx(energy[0], abs=1e-6)
    assert recording.evaluations < 10_000


@pytest.mark.parametrize(
    ("integrator", "substeps", "error"),
    [("adams", None, 1e-6), ("runge-kutta", None, 1e-6), ("impulse", None, 1e-5), ("impulse", 2, 1e-4)],
)
def test_past_its_wheel_a_weight_swings_on(integrator, substeps, error):
    recording = simulate(_swinging(integrator == "impulse"), 2.0, integrator=integrator, substeps=substeps)
    x, z = swinging_atwood(1.0, 3.0, (0.6, -1.0), recording.times)
    assert np.hypot(x, z).min() < 0.25
    assert recording.position[:, 0, 0] == pytest.approx(x, abs=error)
    assert recording.position[:, 0, 2] == pytest.approx(z, abs=error)
    energy = recording.kinetic_energy + recording.potential_energy
    assert energy == pytest.approx(energy[0], rel=error)


def _swinging(touches: bool) -> Mechanism:
    starts = {"swinging": (1.0, (0.6, 0.0, -1.0)), "weight": (3.0, (2.0, 0.0, -1.0))}
    bodies = [
        Body(name, mass=mass, inertia=(0.01, 0.01, 0.01), position=position, shape=Sphere(radius=0.05))
        for name, (mass, position) in starts.items()
    ]
    ends = {"point_a": starts["swinging"][1], "wheel_a": (0, 0, 0), "point_b": starts["weight"][1]}
    rope = Pulley("rope", body_a="swinging", body_b="weight", wheel_b=(2, 0, 0), **ends)
    contact = Contact(ground=Ground(height=-50.0)) if touches else None
    return Mechanism(bodies=bodies, constraints=[rope], contact=contact)
