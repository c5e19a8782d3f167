# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual's steps for trailing cans, a door and a bridge, done with the mouse; what is typed is set as if typed.

Each walk says how many clicks it took, and leaves a photograph.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.gui.conftest import Blender
from tests.gui.walking import IN_THE_VIEW, SCENE, SIZE, Walk
from tests.gui.window import Window, opened_window


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    with opened_window(installed, IN_THE_VIEW, "walks_at_the_end", SIZE) as opened:
        opened.ask(f"{SCENE}\nbuild_door()")
        opened.open_tab("Erector Set")
        opened.find_button("ves.bake")
        yield opened


def test_a_door(window: Window) -> None:
    walk = Walk(window, "door")
    walk.pick("Door", "Post")
    walk.press("ves.add_joint(type='REVOLUTE'", "seen()['joints']")
    walk.type_in("joint = bpy.context.object.ves; joint.use_speeds = True; joint.speeds[0] = 1.0")
    walk.press("ves.check", "seen()['findings']")
    walk.press("ves.hold", "seen()['motions']['Post'] == 'FIXED'")
    found = walk.bake()
    assert found["baked"] == ["Door"]
    assert abs(found["turns"]["Door"][2]) > 0.5
    assert found["findings"] == []
    assert walk.clicks <= 8


def test_trailing_cans(window: Window) -> None:
    walk = Walk(window, "cans")
    walk.chain_to("Car", joints=4)
    walk.pick("Can 0", "Can 1")
    walk.press("ves.add_force(type='DAMPING'", "len(seen()['forces']) == 2")
    walk.type_in("bpy.context.scene.ves.use_contact = True")
    found = walk.bake()
    assert found["motions"]["Car"] == "KEYED"
    assert found["baked"] == ["Can 0", "Can 1", "Wire 0", "Wire 1"]
    assert found["places"]["Can 1"][0] > -2.0, "it was not drawn along"
    assert found["places"]["Can 1"][2] < 0.2, "it does not lie on the road"
    assert walk.clicks <= 9


def test_a_bridge(window: Window) -> None:
    walk = Walk(window, "bridge")
    walk.chain_to("Left Post", joints=6)
    walk.pick("Left Post", "Right Post")
    walk.set_fixed()
    walk.press("ves.copy_settings", "all(seen()['motions'][f'{side} Post'] == 'FIXED' for side in ('Left', 'Right'))")
    found = walk.bake()
    assert found["baked"] == [f"Plank {i}" for i in range(5)]
    assert all(-1.0 < found["places"][f"Plank {i}"][2] < 1.0 for i in range(5))
    assert walk.clicks <= 9
