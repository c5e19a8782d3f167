# SPDX-License-Identifier: GPL-3.0-or-later
"""Bound arguments: records of one kind share a dtype, so that a library knows it at once, and all memory stays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kinematics.bound import _with_shared_dtypes
from solver.model.arrays import records

PAIR = np.dtype([("a", "f8"), ("n", "i8")], align=True)


class Room(NamedTuple):
    pairs: np.ndarray
    numbers: np.ndarray


def test_records_share_a_dtype_and_keep_their_memory() -> None:
    rooms = [Room(records(count, PAIR), np.zeros(count)) for count in (2, 3)]
    assert rooms[0].pairs.dtype is not rooms[1].pairs.dtype
    shared = [_with_shared_dtypes(room) for room in rooms]
    assert shared[0].pairs.dtype is shared[1].pairs.dtype
    for room, same in zip(rooms, shared, strict=True):
        assert type(same) is Room
        assert same.numbers is room.numbers
        assert np.shares_memory(same.pairs, room.pairs)
        room.pairs.a[1] = 7.0
        assert same.pairs.a[1] == 7.0
