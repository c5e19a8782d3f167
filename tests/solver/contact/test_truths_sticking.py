# SPDX-License-Identifier: GPL-3.0-or-later
"""Static friction of surfaces that touch, and of supports: what stands holds to its angle, and stays where it is."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, MechanismError, simulate
from tests.solver.contact.scenes import meets_bodies
from tests.truths.sliding import stopping_distance

GRAVITY = 9.81
ROUGH = {"friction": 0.4, "static_friction": 0.6, "restitution": 0.0}
BOX = {"type": "box", "half_size": [0.1, 0.1, 0.05]}


def book(slope: float, ground: dict = ROUGH, speed: float = 0.0, **more: object) -> Mechanism:
    """A box on ground that falls along X by `slope` rad, drawn level."""
    body = {"name": "book", "mass": 1.0, "inertia": [0.004, 0.004, 0.007], "position": [0.0, 0.0, 0.05], "shape": BOX}
    body |= {"material": ROUGH, "linear_velocity": [speed, 0.0, 0.0]}
    made = {"gravity": [GRAVITY * np.sin(slope), 0.0, -GRAVITY * np.cos(slope)], "contact": {"ground": ground}, **more}
    return Mechanism.from_dict({"format": "ves-mechanism", "version": 1, "bodies": [body], **made})


def on_legs(falls: float, **more: object) -> Mechanism:
    """The same on four supports, at the height of its middle, so that all press alike and it stands at rest."""
    legs = [
        {"name": f"{x}{y}", "type": "support", "body": "book", "point": [0.1 * x, 0.1 * y, 0.05], "stiffness": 5000.0}
        | {
            "damping": 50.0,
            "height": 0.05 + GRAVITY * np.cos(falls) / 20000.0,
            "friction": 0.4,
            "static_friction": 0.6,
            **more,
        }
        for x in (-1, 1)
        for y in (-1, 1)
    ]
    made = book(falls).to_dict() | {"forces": legs}
    del made["contact"], made["bodies"][0]["shape"]
    return Mechanism.from_dict(made)


@pytest.mark.parametrize("stand", [book, on_legs])
def test_a_slope_holds_up_to_its_threshold(stand) -> None:
    held, slides = (simulate(stand(np.arctan(0.6) + way), 4.0, integrator="impulse") for way in (-1e-6, 1e-6))
    along = held.position[:, 0, 0] - held.position[0, 0, 0]
    assert abs(along[-1]) < 1e-5  # while its weight finds its way to four corners
    assert abs(along[-1] - along[36]) < 1e-12
    assert slides.position[-1, 0, 0] > 1e-2


def test_what_slides_stops_where_kinetic_friction_stops_it() -> None:
    """Steps of one length err by a part of the last one: at 480 a second by less than a millimetre of half a metre."""
    steep = {**ROUGH, "stribeck_speed": 1e-6}
    made = book(0.0, steep, 2.0)
    made.bodies[0].material.stribeck_speed = 1e-6
    found = simulate(made, 1.0, integrator="impulse")
    assert found.position[-1, 0, 0] == pytest.approx(stopping_distance(2.0, 0.4), abs=1e-3)
    assert np.abs(found.linear_velocity[-1]).max() < 1e-9


def test_two_surfaces_share_their_static_friction() -> None:
    """The geometric mean of 0.6 and 0.9, as of the kinetic ones."""
    other = {**ROUGH, "static_friction": 0.9}
    threshold = np.arctan(np.sqrt(0.6 * 0.9))
    held, slides = (simulate(book(threshold + way, other), 1.0).position[-1, 0, 0] for way in (-1e-5, 1e-5))
    assert abs(held) < 1e-6 < 1e-5 < slides


def test_a_book_stays_where_it_is() -> None:
    """30 s in 7 steps a frame, near its threshold; an hour is as still (`docs/how/contact-impulses.md`)."""
    found = simulate(book(np.arctan(0.59)), 30.0, integrator="impulse", relative=1e-4)
    assert np.abs(found.position[:, 0] - found.position[0, 0]).max() < 1e-9


@meets_bodies
def test_a_box_sticks_to_another_one_that_is_keyed() -> None:
    """It goes along with a plate up to 0.6 g, and is left behind beyond."""
    for acceleration, goes_along in ((0.58, True), (0.62, False)):
        times = np.linspace(0.0, 1.0, 25)
        way = [[0.5 * acceleration * GRAVITY * t * t, 0.0, 0.0] for t in times]
        keys = {"times": times.tolist(), "positions": way, "orientations": [[1, 0, 0, 0]] * 25}
        plate = {"name": "plate", "motion": "keyed", "keys": keys, "material": ROUGH}
        plate["shape"] = {"type": "box", "half_size": [5.0, 1.0, 0.05], "position": [0.0, 0.0, -0.05]}
        made = book(0.0).to_dict() | {"contact": {}}
        made["bodies"].append(plate)
        found = simulate(Mechanism.from_dict(made), 0.8)
        behind = found.position[-1, 1, 0] - found.position[-1, 0, 0]
        assert (abs(behind) < 1e-4) == goes_along


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "variational"])
def test_what_would_let_it_creep_is_refused_by_name(integrator: str) -> None:
    by_name = "integrator variational cannot" if integrator == "variational" else f"static_friction .*{integrator}"
    with pytest.raises(MechanismError, match=f"force '-1-1': {by_name}"):
        simulate(on_legs(0.1), 0.1, integrator=integrator)
    if integrator != "variational":  # which lets nothing touch
        with pytest.raises(MechanismError, match=f"body 'book': material.static_friction .*{integrator}"):
            simulate(book(0.1), 0.1, integrator=integrator)


def test_auto_takes_steps_with_impulses_for_what_sticks_to_supports() -> None:
    assert "integrator: impulse" in simulate(on_legs(0.1), 0.1).notes


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (
            lambda: book(0.0, {"friction": 0.5, "static_friction": 0.3}),
            "static_friction must be at least friction, 0.5",
        ),
        (lambda: on_legs(0.0, static_friction=0.2), "static_friction must be at least friction, 0.4"),
        (lambda: on_legs(0.0, slope=100.0), "static_friction must be left out with a slope"),
    ],
)
def test_what_cannot_be_is_refused_by_name(wrong, told: str) -> None:
    with pytest.raises(MechanismError, match=told):
        simulate(wrong(), 0.1)
