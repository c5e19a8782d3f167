# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs by a table of force over length, against linear ones, quadrature and conservation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

from solver import Mechanism, evaluate, simulate
from solver.dynamics.forces.spring import table_pull
from solver.mechanism import Body, Contact, Ground, MechanismError, Sphere, Spring
from solver.mechanism.forces import Pull
from solver.model.curves import curve_of

CUBIC = Pull(lengths=np.linspace(0.5, 1.5, 21), forces=400.0 * (np.linspace(0.5, 1.5, 21) - 1.0) ** 3)
STIFFENING = Pull(lengths=(0.5, 0.9, 1.0, 1.1, 1.3, 1.6), forces=(-80.0, -5.0, 0.0, 4.0, 30.0, 300.0))
LOOSE = Pull(lengths=(0.5, 1.0, 1.2, 1.5), forces=(0.0, 0.0, 30.0, 50.0))


def on_spring(start: float, mass: float = 2.0, gravity=(0.0, 0.0, 0.0), **spring) -> Mechanism:
    """A ball on a spring that hangs from the origin, along -Z."""
    ball = Body(name="ball", mass=mass, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, -start))
    force = Spring("spring", body_a="ball", point_a=ball.position, point_b=(0, 0, 0), **spring)
    return Mechanism(gravity=gravity, bodies=[ball], forces=[force])


class _Pieces:
    """The part of a model that the kernel looks at."""

    def __init__(self, pull: Pull) -> None:
        self.curves = curve_of(pull).pieces
        self.pull_start, self.pull_end = 0, len(self.curves)


@pytest.mark.fallback
@pytest.mark.parametrize("pull", [CUBIC, STIFFENING, LOOSE])
def test_slope_and_energy_are_derivative_and_integral(pull):
    curve, pieces = PchipInterpolator(pull.lengths, pull.forces), _Pieces(pull)
    for length in np.linspace(0.3, 1.8, 61):
        force, slope, energy = table_pull(pieces, pieces, length)
        if pull.lengths[0] <= length <= pull.lengths[-1]:
            assert force == pytest.approx(float(curve(length)), abs=1e-9)
        inside = sorted(knot for knot in pull.lengths if 0.2 < knot < length)
        below, above = (table_pull(pieces, pieces, length + step)[0] for step in (-1e-6, 1e-6))
        if min(abs(length - knot) for knot in pull.lengths) > 1e-5:
            assert slope == pytest.approx((above - below) / 2e-6, abs=1e-4)
        work = quad(lambda x: table_pull(pieces, pieces, x)[0], 0.2, length, points=inside or None, epsabs=1e-12)[0]
        assert energy - table_pull(pieces, pieces, 0.2)[2] == pytest.approx(work, abs=1e-9)
    assert table_pull(pieces, pieces, curve_of(pull).rest)[::2] == pytest.approx((0.0, 0.0), abs=1e-12)


@pytest.mark.fallback
def test_between_its_points_it_makes_no_waves():
    """Each stretch of the curve lies between its ends, and a level one is level."""
    for pull in (CUBIC, STIFFENING, LOOSE):
        pieces = _Pieces(pull)
        ends = list(zip(pull.lengths, pull.forces, strict=True))
        for (a, f), (b, g) in itertools.pairwise(ends):
            inside = [table_pull(pieces, pieces, x)[0] for x in np.linspace(a, b, 20)]
            assert min(f, g) - 1e-12 <= min(inside)
            assert max(inside) <= max(f, g) + 1e-12
    assert table_pull(_Pieces(LOOSE), _Pieces(LOOSE), 0.8)[0] == 0.0


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "impulse", "variational"])
@pytest.mark.parametrize("lengths", [(0.2, 1.7), (0.2, 0.5, 1.1, 1.7), (1.2, 1.3, 1.6)])
def test_a_table_of_a_straight_line_is_a_linear_spring(integrator, lengths):
    """Energy included; the rest length may lie outside of the table."""
    table = Pull(lengths=lengths, forces=[50.0 * (length - 0.8) for length in lengths])
    common = {"damping": 0.3, "mass": 2.0, "gravity": (0.0, 0.0, -9.81)}
    options = {"duration": 1.0, "relative": 1e-9, "integrator": integrator}
    linear = simulate(on_spring(1.0, stiffness=50.0, rest_length=0.8, **common), **options)
    tabled = simulate(on_spring(1.0, pull=table, **common), **options)
    assert tabled.position == pytest.approx(linear.position, abs=1e-11)
    assert tabled.potential_energy == pytest.approx(linear.potential_energy, abs=1e-10)


def period(pull: Pull, farthest: float, mass: float) -> float:
    """s: of a swing on the curve, by quadrature; both ends of the way are turned by x = m + r sin(a)."""
    pieces = _Pieces(pull)

    def energy(x):
        return table_pull(pieces, pieces, x)[2]

    nearest = brentq(lambda x: energy(x) - energy(farthest), 0.4, 1.0 - 1e-9, xtol=1e-14)
    middle, half = 0.5 * (nearest + farthest), 0.5 * (farthest - nearest)

    def share(a):
        x = middle + half * math.sin(a)
        return half * math.cos(a) / math.sqrt(max(2.0 * (energy(farthest) - energy(x)) / mass, 1e-300))

    return 2.0 * quad(share, -0.5 * math.pi, 0.5 * math.pi, limit=400, epsabs=1e-10)[0]


@pytest.mark.parametrize("pull", [CUBIC, STIFFENING])
@pytest.mark.parametrize(
    ("integrator", "within"), [("adams", 2e-5), ("runge-kutta", 2e-5), ("implicit", 2e-5), ("variational", 2e-3)]
)
def test_the_period_is_that_of_quadrature(pull, integrator, within):
    T = period(pull, 1.4, 2.0)
    options = {"integrator": integrator, "relative": 1e-9} | ({"substeps": 300} if integrator == "variational" else {})
    found = simulate(on_spring(1.4, pull=pull), duration=2.0 * T, frame_rate=1.0 / T, **options)
    assert found.position[1:, 0, 2] == pytest.approx([-1.4, -1.4], abs=within)
    half = simulate(on_spring(1.4, pull=pull), duration=T, frame_rate=2.0 / T, **options)
    assert abs(half.linear_velocity[1]).max() < 30.0 * within


@pytest.mark.parametrize(("integrator", "within"), [("adams", 1e-6), ("runge-kutta", 1e-6), ("variational", 2e-3)])
def test_energy_is_kept_on_a_table_that_is_far_from_straight(integrator, within):
    """In space, with a spin, so that the spring swings across its line too."""
    mechanism = on_spring(1.4, pull=STIFFENING, gravity=(0.0, 0.0, -9.81))
    mechanism.bodies[0].linear_velocity = (1.5, 0.5, 0.0)
    options = {"relative": 1e-9} | ({"substeps": 200} if integrator == "variational" else {})
    found = simulate(mechanism, 3.0, integrator=integrator, **options)
    total = found.kinetic_energy + found.potential_energy
    assert np.ptp(total) < within * found.kinetic_energy.max()


@pytest.mark.parametrize("stiffness", [1.0, 1e4, 1e8])
def test_impulse_holds_a_weight_on_a_stiff_table_where_it_balances(stiffness):
    """Stiff rows take the slope where the spring is: it hangs where its pull is the weight, and does not gain."""
    table = Pull(lengths=(0.5, 0.9, 1.0, 1.1, 1.3), forces=stiffness * np.array([-80.0, -9.0, 0.0, 15.0, 90.0]))
    mechanism = on_spring(1.0, pull=table, damping=20.0 * math.sqrt(stiffness), gravity=(0.0, 0.0, -9.81))
    mechanism.bodies[0].shape = Sphere(radius=0.05)
    mechanism.contact = Contact(ground=Ground(height=-9.0))
    found = simulate(mechanism, 4.0)
    assert found.notes[0].values["taken"] == "impulse"
    hangs = brentq(lambda x: table_pull(_Pieces(table), _Pieces(table), x)[0] - 2.0 * 9.81, 0.9, 1.9)
    assert -found.position[-1, 0, 2] == pytest.approx(hangs, abs=1e-6)
    total = found.kinetic_energy + found.potential_energy
    assert total.max() < total[0] + 1e-6


def test_it_pulls_at_once_as_the_table_says():
    found = evaluate(on_spring(1.3, pull=STIFFENING))
    assert found.linear_acceleration[0] == pytest.approx((0.0, 0.0, 15.0))


@pytest.mark.fallback
def test_it_is_written_and_read(tmp_path):
    mechanism = on_spring(1.0, pull=STIFFENING)
    mechanism.save(tmp_path / "spring.json")
    (read,) = Mechanism.load(tmp_path / "spring.json").forces
    assert read == mechanism.forces[0]
    assert "stiffness" not in mechanism.to_dict()["forces"][0]


@pytest.mark.fallback
@pytest.mark.parametrize(
    ("spring", "said"),
    [
        ({}, "stiffness is missing; a spring force needs it"),
        ({"pull": STIFFENING, "stiffness": 1.0}, "stiffness must be left out, since pull tells the force"),
        ({"pull": {"lengths": [1.0], "forces": [0.0]}}, "pull.lengths must have at least 2 entries, has 1"),
        ({"pull": {"lengths": [1.0, 1.0], "forces": [0, 1]}}, "pull.lengths[1] must be more than the one before it, 1"),
        (
            {"pull": {"lengths": [0.0, 1.0], "forces": [0, 1, 2]}},
            "pull.forces must have 2 entries, one per length, has 3",
        ),
        ({"pull": {"lengths": [-1.0, 1.0], "forces": [0, 1]}}, "pull.lengths[0] must be at least 0, is -1"),
        ({"pull": 7}, "pull must be a table of force over length, is 7"),
    ],
)
def test_wrong_tables_are_named(spring, said):
    with pytest.raises(MechanismError, match="force 'spring'") as error:
        on_spring(1.0, **spring).refuse_wrong()
    assert said in str(error.value)
