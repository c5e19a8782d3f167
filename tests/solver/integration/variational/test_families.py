# SPDX-License-Identifier: GPL-3.0-or-later
"""Both families of integrators on Wendlandt's double spherical pendulum (`benchmarks.energy_momentum`), beside ours."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.energy_momentum import as_bodies, march
from solver import Simulation, simulate


@pytest.mark.parametrize(("is_variational", "keeps_energy"), [(True, False), (False, True)])
def test_each_keeps_what_its_family_keeps(is_variational, keeps_energy):
    found = march(is_variational, 1 / 60, 600)
    assert np.ptp(found.momentum) < 1e-12
    assert found.gap.max() < 2e-15
    error = np.abs(found.energy - 0.5 * (0.5**2 + 1.5**2)).max()
    assert error < 1e-11 if keeps_energy else 1e-2 < error < 0.5


def test_the_energy_of_the_variational_method_errs_where_rods_pull_hard():
    """Wendlandt 1997, 2.4: fluctuations of the multipliers are correlated to those of energy."""
    found = march(True, 1 / 240, 4800)
    error = np.abs(found.energy - found.energy[0])
    assert np.corrcoef(error, np.abs(found.multiplier))[0, 1] > 0.8


def test_both_come_to_the_same_motion_by_the_square_of_the_step_and_ours_is_the_variational_one():
    truth = simulate(as_bodies(), 1.0, 24.0, relative=1e-11, absolute=1e-12).position[-1]
    off = {}
    for rate in (60, 120):
        simulation = Simulation(as_bodies(), 1.0, rate, integrator="variational", substeps=1)
        for _ in simulation.run():
            pass
        places = [
            simulation.recording.position[-1],
            march(True, 1 / rate, rate).places,
            march(False, 1 / rate, rate).places,
        ]
        off[rate] = [np.abs(place - truth).max() for place in places]
        assert off[rate][0] == pytest.approx(off[rate][1], rel=0.02)
    assert np.array(off[60]) / off[120] == pytest.approx(np.full(3, 4.0), rel=0.05)
