# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that earlier versions of the extension have saved (`saved.make`) open as they were."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

SAVED = sorted((Path(__file__).resolve().parent / "saved").glob("*.blend"))


@pytest.fixture(params=SAVED, ids=lambda path: path.stem)
def saved(request) -> Path:
    bpy.ops.wm.open_mainfile(filepath=str(request.param))
    return request.param


def keys(name: str) -> np.ndarray:
    """(C, F) of location and rotation in the object's action, of its keys at whole frames."""
    animation = bpy.data.objects[name].animation_data
    bag = animation.action.layers[0].strips[0].channelbag(animation.action_slot)
    curves = sorted(bag.fcurves, key=lambda curve: (curve.data_path, curve.array_index))
    return np.array(
        [[point.co.y for point in curve.keyframe_points if point.co.x == round(point.co.x)] for curve in curves]
    )


def differences(a, b, where: str = "") -> list[str]:
    """Places at which two JSON values differ by more than rounding."""
    if isinstance(a, dict) and isinstance(b, dict):
        return [found for key in a.keys() | b.keys() for found in differences(a.get(key), b.get(key), f"{where}.{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [f for i, (x, y) in enumerate(zip(a, b, strict=True)) for f in differences(x, y, f"{where}[{i}]")]
    if isinstance(a, float | int) and isinstance(b, float | int):
        return [] if abs(a - b) <= 1e-6 * max(1.0, abs(a)) else [f"{where}: {a} and {b}"]
    return [] if a == b else [f"{where}: {a} and {b}"]


def test_the_mechanism_is_the_same(saved, tmp_path):
    bpy.ops.ves.export_mechanism(filepath=str(tmp_path / "now.json"))
    now, then = (json.loads(path.read_text("utf-8")) for path in (tmp_path / "now.json", saved.with_suffix(".json")))
    assert differences(now, then) == []


def test_its_bake_is_there_and_can_be_cleared_and_made_again(saved):
    baked = {name: keys(name) for name in ("rod", "rocker", "bob", "lamp", "ball")}
    assert {values.shape[1] for values in baked.values()} == {13}
    bpy.ops.ves.clear_bake()
    assert [name for name in baked if bpy.data.objects[name].animation_data is not None] == []
    assert tuple(bpy.data.objects["rod"].location) == pytest.approx((0.9, 0.1, 2.0))
    assert bpy.data.objects["crank"].animation_data.action is not None
    bpy.ops.ves.bake()
    for name, before in baked.items():
        assert np.abs(keys(name) - before).max() < 1e-3
