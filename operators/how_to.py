# SPDX-License-Identifier: GPL-3.0-or-later
"""Short pages for what people search for and no single button makes: a ragdoll, a rope, contact, graphs."""

import textwrap
from typing import NamedTuple

import bpy
from bpy.props import EnumProperty

WIDTH = 64  # letters in a line of a page


class Page(NamedTuple):
    """A page on making something here; `buttons` are the operators and the settings of each that its page offers."""

    label: str
    text: str
    buttons: tuple[tuple[str, str, dict[str, str]], ...] = ()


PAGES = {
    "RAGDOLL": Page(
        "Ragdoll",
        "Select the armature of a skinned character and press Ragdoll, then Bake. Without a rig: make each limb a mesh "
        "of its own and a body. Join them: Ball at hips and shoulders, Hinge at knees and elbows, with Limits. Under "
        "Collide give each limb the shape Capsule, turn Contact on, and bake. Neighbours that overlap: select them and "
        "press Don't Collide.",
        (
            ("ves.ragdoll", "Ragdoll", {}),
            ("ves.add_joint", "Ball", {"type": "SPHERICAL"}),
            ("ves.add_joint", "Hinge", {"type": "REVOLUTE"}),
            ("ves.dont_collide", "Don't Collide", {}),
            ("ves.turn_contact_on", "Turn Contact On", {}),
        ),
    ),
    "ROPE": Page(
        "Rope",
        "Place short links in a row and select them, the one that holds the others last. Ball Chain joins them all; a "
        "Nail holds an end. A rope without weight that only pulls is a Distance with Slack, one over two wheels a "
        "Pulley with Slack, one over many or on a drum a Rope, one that stretches a Rubber.",
        (
            ("ves.chain", "Ball Chain", {"type": "SPHERICAL"}),
            ("ves.add_nail", "Nail", {}),
            ("ves.add_distance", "Distance", {}),
            ("ves.add_pulley", "Pulley", {}),
            ("ves.add_rope", "Rope", {}),
            ("ves.add_force", "Rubber", {"type": "RUBBER"}),
        ),
    ),
    "CONTACT": Page(
        "Contact",
        "Contact lets bodies touch each other and the ground: they collide, bounce, slide and rest. It is one switch "
        "for the scene; what of a body is touched stands under Body, Collide.",
        (("ves.turn_contact_on", "Turn Contact On", {}), ("ves.dont_collide", "Don't Collide", {})),
    ),
    "PLOT": Page(
        "Plot in the Graph Editor",
        "Bake, select what took part, and open Inspect: the button at the end of a line draws its curve in the Graph "
        "Editor. Export CSV writes all numbers to a table for a spreadsheet.",
        (("ves.export_table", "Export CSV", {}),),
    ),
}


class VES_OT_how_to(bpy.types.Operator):
    """Say how this is made with the Erector Set, and offer its buttons"""

    bl_idname = "ves.how_to"
    bl_label = "How To"

    topic: EnumProperty(
        name="Topic",
        description="What the page is about",
        items=[(key, page.label, page.text) for key, page in PAGES.items()],
        default="RAGDOLL",
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """The page opens under the mouse."""
        context.window_manager.popup_menu(lambda menu, _context: draw_page(menu.layout, self.topic),
                                          title=PAGES[self.topic].label, icon="INFO")  # fmt: skip
        return {"FINISHED"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """A script gets the text."""
        self.report({"INFO"}, PAGES[self.topic].text)
        return {"FINISHED"}


def draw_page(layout: bpy.types.UILayout, topic: str) -> None:
    """The text in lines, then the buttons."""
    page = PAGES[topic]
    for line in textwrap.wrap(page.text, WIDTH):
        layout.label(text=line)
    layout.separator()
    for operator, text, settings in page.buttons:
        button = layout.operator(operator, text=text)
        for name, value in settings.items():
            setattr(button, name, value)


CLASSES = (VES_OT_how_to,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
