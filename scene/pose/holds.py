# SPDX-License-Identifier: GPL-3.0-or-later
"""Pulls beside that of the hand: pins, which are kept in the bodies, and hands that were kept where they were.

A pin holds a point of a body where it is, ten times as hard as the hand pulls. One that holds the turn as well has
three more points, aside along the body's axes. A kept hand pulls as hard as the hand, towards the place where that was,
in reach or not; it is there until the session ends.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ..read.reading import BodyBinding

PIN_STRENGTH = 10.0  # of a pin, beside the hand's 1


class Hold(NamedTuple):
    """A pull at a point (3,) of a body, along its axes, towards a place (3,) in the world."""

    point: np.ndarray
    place: np.ndarray


class Holds:
    """Pins and kept hands by the numbers of their bodies. `bindings` by number: those that may have them."""

    def __init__(self, bindings: Mapping[int, BodyBinding]) -> None:
        self._bindings = bindings
        self._pins: dict[int, list[Hold]] = {}
        self.hands: dict[int, Hold] = {}

    def read_pins(self, position: np.ndarray, orientation: np.ndarray) -> None:
        """Those that bodies have; they hold where these poses (B, 3) and rotations (B, 3, 3) have them."""
        for row, binding in self._bindings.items():
            settings = binding.owner.settings
            if settings.is_pinned:
                point = np.array(settings.pin_point)
                self._pins[row] = self._held(row, point, position[row], orientation[row], settings.pin_turn)

    def toggle_pin(self, row: int, point: np.ndarray, position: np.ndarray, axes: np.ndarray, with_turn: bool) -> None:
        """Pin a body that is at a place (3,), turned so (3, 3), at a point of it; or let go of one pinned this way."""
        settings = self._bindings[row].owner.settings
        if settings.is_pinned and settings.pin_turn == with_turn:
            settings.is_pinned = settings.pin_turn = False
            self._pins.pop(row, None)
            return
        settings.is_pinned, settings.pin_turn, settings.pin_point = True, with_turn, point
        self._pins[row] = self._held(row, point, position, axes, with_turn)

    def pulls(self, rows: set[int]) -> Iterator[tuple[int, Hold, float]]:
        """(body, pull, strength) of all on these bodies."""
        for row in sorted(rows):
            yield from ((row, hold, PIN_STRENGTH) for hold in self._pins.get(row, ()))
            if row in self.hands:
                yield row, self.hands[row], 1.0

    @property
    def pinned(self) -> list[np.ndarray]:
        """The places (3,) at which bodies are pinned."""
        return [first.place for first, *_ in self._pins.values()]

    def _held(self, row: int, point: np.ndarray, position: np.ndarray, axes: np.ndarray, with_turn: bool) -> list[Hold]:
        asides = [np.zeros(3), *(self._bindings[row].owner.size * np.eye(3) if with_turn else ())]
        return [Hold(point + aside, position + axes @ (point + aside)) for aside in asides]
