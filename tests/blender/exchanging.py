# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanism files out of a scene, into an empty one and out again, and what counts as the same."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import bpy
import numpy as np
from virtual_erector_set import solver


def there_and_back(folder: Path, frame_end: int) -> tuple[dict, dict]:
    """The mechanism of the scene, and that of an empty file into which it was imported."""
    first = export(folder / "first.json")
    import_file(folder / "first.json", frame_end)
    second = export(folder / "second.json")
    second["name"] = first["name"]
    return first, second


def import_file(path: Path, frame_end: int = 250) -> None:
    """Import a mechanism into an empty file."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.scene.frame_end = frame_end
    assert bpy.ops.ves.import_mechanism(filepath=str(path)) == {"FINISHED"}


def export(path: Path) -> dict:
    """The exported mechanism with everything that the file leaves out filled in."""
    assert bpy.ops.ves.export_mechanism(filepath=str(path)) == {"FINISHED"}
    return dataclasses.asdict(solver.Mechanism.load(path))


def assert_same(one, other, where: str = "") -> None:
    """Equal to what Blender's single precision can hold."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for key, value in one.items():
            if key in ("orientation", "orientations") and value is not None:
                assert_same_turns(np.atleast_2d(value), np.atleast_2d(other[key]))
            else:
                assert_same(value, other[key], f"{where}.{key}")
    elif isinstance(one, (list, tuple)) and not all(isinstance(entry, (int, float)) for entry in one):
        assert len(one) == len(other), where
        for i, pair in enumerate(zip(one, other, strict=True)):
            assert_same(*pair, f"{where}[{i}]")
    elif isinstance(one, (list, tuple, float)):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5, err_msg=where)
    else:
        assert one == other, where


def assert_same_turns(one: np.ndarray, other: np.ndarray) -> None:
    agreement = np.abs(np.einsum("ti,ti->t", one, other))
    np.testing.assert_allclose(agreement, 1.0, atol=1e-6)
