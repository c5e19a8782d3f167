# SPDX-License-Identifier: GPL-3.0-or-later
"""The first steps of the manual and the panels say the same words."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from virtual_erector_set.panels.add import DAMPING, LIKELY, kind_of_selection
from virtual_erector_set.panels.joint import VES_PT_joint_motor, VES_PT_joint_start

from tests.blender.linkages import body, joint
from tests.blender.making import select
from tests.blender.test_panels import Drawn

ROOT = Path(__file__).resolve().parents[2]
MANUAL = (ROOT / "docs" / "manual.md").read_text(encoding="utf-8")


class Worded(Drawn):
    """A layout that remembers the words beside each field."""

    def _part(self, **_options: object) -> Worded:
        return Worded(self.seen)

    row = column = box = split = grid_flow = _part

    def prop(self, owner: bpy.types.bpy_struct, name: str, text: str | None = None, **_options: object) -> None:
        self.seen.append((name, owner.bl_rna.properties[name].name if text is None else text))


def words_of(panel: type, name: str) -> list[str]:
    """The words beside the fields of a setting of the active joint."""
    drawing = object.__new__(type("Drawing", (), {"draw": panel.draw}))
    drawing.layout = Worded([])
    drawing.draw(bpy.context)
    return [text for drawn, text in drawing.layout.seen if drawn.startswith(name)]


@pytest.mark.parametrize(
    ("kind", "start", "motor"),
    [
        ("REVOLUTE", ["Start Spin"], ["Motor Spin"]),
        ("PRISMATIC", ["Start Speed"], ["Motor Speed"]),
        ("CYLINDRICAL", ["Start Spin", "Speed"], ["Motor Spin", "Speed"]),
        ("SPHERICAL", ["Start Spin X", "Spin Y", "Spin Z"], ["Motor Spin X", "Spin Y", "Spin Z"]),
    ],
)
def test_a_spin_and_a_speed_are_called_that(kind: str, start: list[str], motor: list[str]) -> None:
    made = joint("joint", (0, 0, 0), None, body("door"), kind)
    made.ves.use_speeds, made.ves.motor_mode = True, "SPEED"
    select(made)
    assert words_of(VES_PT_joint_start, "speeds") == start
    assert words_of(VES_PT_joint_motor, "motor_speed") == motor
    assert "*Start Spin*" in MANUAL
    assert "*Motor Spin*" in MANUAL


def test_settings_are_copied_by_the_button_of_that_name() -> None:
    assert bpy.ops.ves.copy_settings.get_rna_type().name == "Copy Settings"
    assert "**Copy Settings**" in MANUAL


def test_two_cans_get_damping_by_a_button_in_sight() -> None:
    select(body("can"), body("other"))
    assert DAMPING in LIKELY[kind_of_selection(bpy.context)]
    assert "Select the cans and press **Damping**" in (ROOT / "README.md").read_text(encoding="utf-8")
