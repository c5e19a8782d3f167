# SPDX-License-Identifier: GPL-3.0-or-later
"""Going on from Play in the window: plots live in the view, S makes the moment the start, undo takes it back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import Blender
from tests.gui.window import TO_COMPILE, TO_REACT, WIDTH, Window, opened_window

SCENE = Path(__file__).with_name("dragged_arm.py").read_text(encoding="utf-8")
IN_THE_VIEW = (WIDTH // 3, 300)
PLOTTED = """
elbow, scene = bpy.data.objects["elbow"], bpy.context.scene
select(elbow)
bpy.ops.ves.plot_in_view(quantity="Reaction Force")
bpy.ops.ves.plot_in_view(quantity="Angle Speed")
scene.ves.view_plots[1].against = "Angle"
bpy.ops.ves.plot_in_view(quantity="Total Energy", of_scene=True)
scene.ves.show_partners = True
bpy.ops.ed.undo_push(message="Plots")
"""
STATE = """
ves = bpy.context.scene.ves
answer = {
    "frame": bpy.context.scene.frame_current,
    "status": ves.play_status,
    "bake": ves.status,
    "range": [ves.frame_source, ves.frame_start],
    "elbow": bpy.data.objects["elbow"].ves.placed[0],
    "speed": list(bpy.data.objects["hand"].ves.linear_velocity),
    "hand": list(bpy.data.objects["hand"].matrix_world.translation),
}
"""


@pytest.fixture(scope="module")
def window(installed: Blender) -> Iterator[Window]:
    """With the arm, two plots of its elbow and one of all energy."""
    with opened_window(installed, IN_THE_VIEW, "start_at_the_end") as opened:
        opened.ask(f"{SCENE}\nbuild()\nshow()\n{PLOTTED}")
        opened.open_tab("Erector Set")
        opened.find_button("ves.play")
        yield opened


def state(window: Window) -> dict:
    return window.ask(STATE)


def test_s_makes_the_moment_the_start_and_undo_takes_it_back(window: Window) -> None:
    before = state(window)
    window.press_button("ves.play")
    window.wait_until(lambda: window.under_way() == "Play", TO_REACT, "Play did not begin after it was pressed")
    window.wait_until(lambda: state(window)["frame"] >= 20, TO_COMPILE, "the arm does not move")
    window.photograph("start_plots_live")
    window.press("space", *IN_THE_VIEW)
    window.wait_until(lambda: "Paused" in state(window)["status"], TO_REACT, "Space did not pause the run")
    paused = state(window)
    window.press("s", *IN_THE_VIEW)
    window.wait_until(lambda: "start as at frame" in state(window)["status"], TO_REACT, "S did not end the run")
    after = state(window)
    assert after["range"] == ["CUSTOM", after["frame"]]
    assert abs(after["frame"] - paused["frame"]) <= 1
    assert abs(after["elbow"]) > 1e-3
    assert any(after["speed"])
    window.photograph("start_kept")
    window.press("ctrl+z", *IN_THE_VIEW)
    window.wait_until(lambda: state(window)["hand"] == before["hand"], TO_REACT, "undo did not bring the start back")
    assert state(window)["range"] == before["range"]


def test_settle_ends_at_rest_and_escape_leaves_everything(window: Window) -> None:
    before = state(window)
    window.ask("bpy.ops.ves.settle('INVOKE_DEFAULT')")
    window.wait_until(lambda: state(window)["bake"].startswith("Settling"), TO_COMPILE, "it does not settle")
    window.press("Escape", *IN_THE_VIEW)
    window.wait_until(lambda: window.under_way() == "", TO_REACT, "Esc did not end it")
    assert state(window)["hand"] == before["hand"]
    window.ask("bpy.ops.ves.settle('INVOKE_DEFAULT')")
    window.wait_until(lambda: "of settling, at rest" in state(window)["bake"], TO_COMPILE, "it does not end")
    assert state(window)["hand"][2] < -0.3, "the arm hangs"
    window.photograph("start_settled")
