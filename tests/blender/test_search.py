# SPDX-License-Identifier: GPL-3.0-or-later
"""A search in the 3D View (F3) finds what an animator types: it looks at the words of all menus and their entries."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import pytest
from virtual_erector_set.operators.how_to import PAGES, draw_page

from tests.blender.inspecting import swinging_bar
from tests.blender.making import box, reports, select
from tests.blender.test_panels import Drawn, OperatorProperties


class Searched(Drawn):
    """Follows menus into each other, and remembers (words on the way, operator) of each entry."""

    def __init__(self, entries: list[tuple[str, str]], path: str = "") -> None:
        super().__init__([])
        self.__dict__.update(entries=entries, path=path)

    def _part(self, **_options: object) -> Searched:
        return Searched(self.entries, self.path)

    row = column = box = split = grid_flow = _part

    def operator(self, name: str, text: str = "", icon: str = "NONE", **options: object) -> OperatorProperties:
        properties = super().operator(name, icon, **options)
        module, function = name.split(".")
        label = text or getattr(getattr(bpy.ops, module), function).get_rna_type().name
        self.entries.append((f"{self.path} ▸ {label}", name))
        return properties

    def operator_menu_enum(self, name: str, prop: str, icon: str = "NONE", **options: object) -> OperatorProperties:
        return self.operator(name, icon=icon)

    def menu(self, name: str, icon: str = "NONE", **options: object) -> None:
        super().menu(name, icon)
        cls = getattr(bpy.types, name)
        inside = Searched(self.entries, f"{self.path} ▸ {cls.bl_label}")
        cls.draw(SimpleNamespace(layout=inside), bpy.context)


def search(words: str) -> set[str]:
    """The operators whose entries, with the menus that lead to them, have all of these words."""
    entries: list[tuple[str, str]] = []
    Searched(entries, "Object").menu("VES_MT_object")
    return {name for text, name in entries if all(word in text.lower() for word in words.split())}


@pytest.mark.parametrize(
    ("words", "operator"),
    [
        ("ragdoll", "ves.how_to"), ("rope", "ves.how_to"), ("glue", "ves.add_joint"), ("pin", "ves.add_nail"),
        ("bake physics", "ves.bake"), ("simulate", "ves.play"), ("impact", "ves.mark_impacts"),
        ("contact", "ves.turn_contact_on"), ("plot", "ves.how_to"), ("csv", "ves.export_table"),
        ("graph", "ves.how_to"), ("csv impact", "ves.export_impacts"), ("hinge", "ves.add_joint"),
    ],
)  # fmt: skip
def test_what_an_animator_types_leads_to_ours(words: str, operator: str) -> None:
    select(box("A"))
    assert operator in search(words)


def test_after_a_bake_each_quantity_is_plotted_from_the_menu() -> None:
    _, hinge = swinging_bar()
    bpy.ops.ves.bake()
    select(hinge)
    assert search("plot graph angle") == {"ves.plot"}
    assert "ves.how_to" not in search("plot")
    assert bpy.ops.ves.plot(quantity="Angle") == {"FINISHED"}


@pytest.mark.parametrize("topic", PAGES)
def test_a_page_draws_and_a_script_gets_its_text(topic: str, capfd: pytest.CaptureFixture) -> None:
    entries: list[tuple[str, str]] = []
    draw_page(Searched(entries), topic)
    assert [name for _, name in entries] == [button[0] for button in PAGES[topic].buttons]
    assert bpy.ops.ves.how_to(topic=topic) == {"FINISHED"}
    assert PAGES[topic].text in reports(capfd)
