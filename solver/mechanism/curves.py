# SPDX-License-Identifier: GPL-3.0-or-later
"""Nonlinear springs, dampers and stops: tables of force, whose points a curve goes through (`model.curves`).

Forces are against what they are over: above 0 a spring draws its ends together, a joint's axis is pushed back to lower
coordinates, and a damper resists a rate above 0.
"""

# ruff: noqa: RUF009 (`key` only makes a field)

from __future__ import annotations

from dataclasses import dataclass

from .record import Record, key, law
from .value_rules import Place, counted, list_of, number

Numbers = tuple[float, ...]
_forces = list_of(number(), at_least=2)


@dataclass
class Pull(Record):
    """A spring's force (N; it draws the ends together above 0) over its length (m)."""

    kind = "table of force over length"
    lengths: Numbers = key(list_of(number(at_least=0), at_least=2))
    forces: Numbers = key(_forces)

    @law("lengths", "forces")
    def check_lengths(self, place: Place) -> None:
        _check_order(self.lengths, self.forces, "length", place)


@dataclass
class AxisPull(Record):
    """Effort (N m or N; against the coordinate above 0) of a joint's spring over the coordinate (rad or m)."""

    kind = "table of force over coordinate"
    coordinates: Numbers = key(list_of(number(), at_least=2))
    forces: Numbers = key(_forces)

    @law("coordinates", "forces")
    def check_coordinates(self, place: Place) -> None:
        _check_order(self.coordinates, self.forces, "coordinate", place)


@dataclass
class Damper(Record):
    """Force (N, N m) of a damper over the rate (m/s, rad/s) that it resists; from 0 on, both ways alike."""

    kind = "table of force over rate"
    rates: Numbers = key(list_of(number(), at_least=2))
    forces: Numbers = key(_forces)

    @property
    def points(self) -> tuple[Numbers, Numbers]:
        """Rates and forces, both ways."""
        if self.rates[0] != 0.0:
            return self.rates, self.forces
        back = [tuple(-x for x in reversed(values[1:])) for values in (self.rates, self.forces)]
        return (*back[0], *self.rates), (*back[1], *self.forces)

    @law("rates", "forces")
    def check_rates(self, place: Place) -> None:
        """Say where it would give energy instead of taking it."""
        if not _check_order(self.rates, self.forces, "rate", place):
            return
        if 0.0 not in self.rates:
            (place / "rates").say("must have one of 0, where it neither pushes nor pulls")
            return
        for i, (rate, force) in enumerate(zip(self.rates, self.forces, strict=True)):
            if rate == 0.0 and force != 0.0:
                (place / "forces" / i).say(f"must be 0 at the rate 0, or it pushes what stands still, is {force:g}")
            elif rate * force < 0.0:
                side = "below" if rate > 0.0 else "above"
                given = f"a damper that pushes with the motion gives energy, is {force:g}"
                (place / "forces" / i).say(f"must not be {side} 0 at the rate {rate:g}: {given}")
        ends = [(1, 0)] if self.rates[0] < 0.0 else []
        for before, last in (*ends, (len(self.rates) - 2, len(self.rates) - 1)):
            if abs(self.forces[last]) < abs(self.forces[before]):
                on = "for it goes straight on from there, and would push with the motion"
                said = f"must not be nearer to 0 than the one beside it, {self.forces[before]:g}, {on}"
                (place / "forces" / last).say(f"{said}; is {self.forces[last]:g}")


@dataclass
class Push(Record):
    """Force (N) with which a support pushes up over how deep its point is in (m)."""

    kind = "table of force over depth"
    depths: Numbers = key(list_of(number(at_least=0), at_least=2))
    forces: Numbers = key(_forces)

    @law("depths", "forces")
    def check_depths(self, place: Place) -> None:
        _check_push(self, place)


@dataclass
class Stop(Record):
    """Effort (N m, N) of a soft limit over how far past it an axis is (rad, m): a bump stop.

    `dissipation` (s/rad, s/m): going in at a rate u it pushes 1 + dissipation u times as hard, and so many times less
    on its way out, but never pulls (Hunt and Crossley 1975).
    """

    kind = "table of force over depth"
    depths: Numbers = key(list_of(number(at_least=0), at_least=2))
    forces: Numbers = key(_forces)
    dissipation: float = key(number(at_least=0), 0.0)

    @law("depths", "forces")
    def check_depths(self, place: Place) -> None:
        _check_push(self, place)


def check_slack(pull: Pull, place: Place) -> None:
    """Say where a table is none of a rubber, which begins to pull at its first length and never pushes."""
    _check_rise(pull.forces, "length", place / "forces")


def _check_push(table: Push | Stop, place: Place) -> None:
    if not _check_order(table.depths, table.forces, "depth", place):
        return
    if table.depths[0] != 0.0:
        (place / "depths" / 0).say(f"must be 0, where it begins to push, is {table.depths[0]:g}")
    _check_rise(table.forces, "depth", place / "forces")


def _check_rise(forces: Numbers, over: str, place: Place) -> None:
    """From 0 on, never below it, and not falling at the end."""
    if forces[0] != 0.0:
        (place / 0).say(f"must be 0 at the first {over}, where it begins to act, is {forces[0]:g}")
    for i, force in enumerate(forces):
        if force < 0.0:
            (place / i).say(f"must be at least 0, for it acts one way only, is {force:g}")
    if forces[-1] < forces[-2]:
        said = f"must be at least the one before it, {forces[-2]:g}, for it goes straight on from there"
        (place / (len(forces) - 1)).say(f"{said}, is {forces[-1]:g}")


def _check_order(over: Numbers, forces: Numbers, name: str, place: Place) -> bool:
    """True if each number has a force, and is more than the one before it; says what is not so."""
    before = place.count
    if len(forces) != len(over):
        (place / "forces").say(f"must have {counted(len(over))}, one per {name}, has {len(forces)}")
    for i in range(1, len(over)):
        if not over[i] > over[i - 1]:
            (place / f"{name}s" / i).say(f"must be more than the one before it, {over[i - 1]:g}, is {over[i]:g}")
    return place.count == before
