# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of `Scene.ves` that Play needs: speed, grip, the action buttons and what was recorded."""

import json
from collections.abc import Callable, Sequence

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from .action_targets import changeable_numbers
from .action_words import number_of, numbers_in, parsed, with_numbers
from .roles import POINTING_ROLES

SPEEDS = [
    ("REAL", "1x", "Real time"),
    ("HALF", "1/2", "Slow motion: half as fast as real"),
    ("QUARTER", "1/4", "Slow motion: a quarter of real time"),
    ("CUSTOM", "Custom", "A factor of your own"),
]
FACTORS = {"REAL": 1.0, "HALF": 0.5, "QUARTER": 0.25}

CHANGES = [
    ("ENABLED", "On and Off", "Switches a force, joint or constraint on or off", "QUIT", 0),
    ("VALUE", "Value", "Gives one of its numbers another value", "DRIVER_TRANSFORM", 1),
    ("STEER", "Steer", "Turns the frame of a motor or brake by an angle", "DRIVER_ROTATIONAL_DIFFERENCE", 2),
    ("RELEASE", "Release", "Cuts a nail, joint or spring, for good", "UNLINKED", 3),
]

MODES = [
    ("TOGGLE", "Toggle", "Press once, and again to go back"),
    ("HOLD", "Hold", "Only while the key is held. A click on the panel holds it until the next click"),
    ("SET", "Set", "Press, and it stays so"),
]

STEERING_AXES = [
    ("BODY_X", "Body X", "The X axis of the body"),
    ("BODY_Y", "Body Y", "The Y axis of the body"),
    ("BODY_Z", "Body Z", "The Z axis of the body: upwards for a car"),
    ("OWN_X", "Own X", "The X axis of the Empty"),
    ("OWN_Y", "Own Y", "The Y axis of the Empty"),
    ("OWN_Z", "Own Z", "The Z axis of the Empty"),
]


def _can_act_on(_self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate.ves.role in POINTING_ROLES


def _known_keys(self: bpy.types.PropertyGroup, _context: bpy.types.Context, _typed: str) -> list[str]:
    return list(changeable_numbers(self.target))


_items: list[tuple[str, str, str]] = []
"""The texts of the list that is shown: Blender does not keep them."""


def _numbers(self: bpy.types.PropertyGroup, _context: bpy.types.Context | None) -> list[tuple[str, str, str]]:
    found = [(key, number_of(self.target, key)) for key in changeable_numbers(self.target)]
    _items[:] = [("NONE", "Choose", "Nothing is set yet"), *((key, each.label, each.text) for key, each in found)]
    return _items


def _number(self: bpy.types.PropertyGroup) -> int:
    keys = list(changeable_numbers(self.target))
    return 1 + keys.index(self.key) if self.key in keys else 0


def _set_number(self: bpy.types.PropertyGroup, place: int) -> None:
    """It begins with what the target has."""
    keys = list(changeable_numbers(self.target))
    if 0 < place <= len(keys):
        self.key = keys[place - 1]
        begin_with_present(self)


def begin_with_present(button: bpy.types.PropertyGroup) -> None:
    """Give an action button the present value of its number."""
    present = number_of(button.target, button.key).present
    button.value = (*present, 0.0, 0.0, 0.0)[:3]


def _switch(self: bpy.types.PropertyGroup) -> bool:
    return bool((parsed(self.settings) or {}).get("enabled"))


def _set_switch(self: bpy.types.PropertyGroup, is_on: bool) -> None:
    self.settings = json.dumps((parsed(self.settings) or {}) | {"enabled": is_on})


def _recorded(self: bpy.types.PropertyGroup) -> tuple[float, float, float]:
    found = numbers_in(self.settings, self.target)
    return (*(found[1] if found is not None else ()), 0.0, 0.0, 0.0)[:3]


def _set_recorded(self: bpy.types.PropertyGroup, values: Sequence[float]) -> None:
    self.settings = with_numbers(self.settings, self.target, values)


def _three_numbers(description: str, **access: Callable) -> object:
    """A property for up to three numbers; `access`: its `get` and `set`."""
    return FloatVectorProperty(name="Value", description=description, size=3, precision=3, options=set(), **access)


def _three_angles(**access: Callable) -> object:
    """The same for angles, which Blender shows in the scene's units."""
    text = "The new value of what is an angle"
    return FloatVectorProperty(name="Angle", description=text, size=3, unit="ROTATION", options=set(), **access)


class VES_PG_action_button(bpy.types.PropertyGroup):
    """Something that can be done during Play. Entries with the same label are one button, and act together."""

    id: IntProperty(name="Id", description="Tells this entry from all others, wherever it stands", options=set())
    label: StringProperty(
        name="Label",
        description="What the button says. Entries with the same label are one button, and act together",
        options=set(),
    )
    target: PointerProperty(
        name="Target",
        description="The force, joint or constraint that the button acts on",
        type=bpy.types.Object,
        poll=_can_act_on,
        options=set(),
    )
    change: EnumProperty(name="Does", description="What the button changes", items=CHANGES, options=set())
    mode: EnumProperty(name="When", description="How long the change lasts", items=MODES, options=set())
    turn_on: BoolProperty(
        name="Turns On",
        description="Hold and Set turn the target on; otherwise they turn it off",
        default=True,
        options=set(),
    )
    key: StringProperty(
        name="Number",
        description="Which number gets another value, as the mechanism file calls it",
        search=_known_keys,
        options=set(),
    )
    value: _three_numbers("The new value, in N, m, kg, s and radians")
    number: EnumProperty(
        name="Number",
        description="Which number gets another value, as the panels call it",
        items=_numbers,
        get=_number,
        set=_set_number,
        options=set(),
    )
    value_angle: _three_angles(
        get=lambda self: tuple(self.value), set=lambda self, values: setattr(self, "value", values)
    )
    angle: FloatProperty(
        name="Angle",
        description="How far the frame is turned, seen against the axis; the other way round if negative",
        subtype="ANGLE",
        default=0.5235988,
        soft_min=-1.5707963,
        soft_max=1.5707963,
        options=set(),
    )
    axis: EnumProperty(
        name="Axis",
        description="What the frame is turned about",
        items=STEERING_AXES,
        default="BODY_Z",
        options=set(),
    )


class VES_PG_recorded_action(bpy.types.PropertyGroup):
    """Something that was done during Play, with its time."""

    enabled: BoolProperty(name="Use", description="Whether Bake does this", default=True, options=set())
    frame: FloatProperty(
        name="Frame",
        description="When it is done; it may have a fraction. For a drag, when the hand takes hold",
        precision=3,
        step=100,
        options=set(),
    )
    target: PointerProperty(
        name="Target",
        description="The force, joint or constraint that is changed, or the body that is dragged",
        type=bpy.types.Object,
        options=set(),
    )
    settings: StringProperty(
        name="Settings",
        description='The new values, as in a mechanism file: {"enabled": true}',
        options=set(),
    )
    turn_on: BoolProperty(
        name="On",
        description="Whether the target is switched on, or off",
        get=_switch,
        set=_set_switch,
        options=set(),
    )
    value: _three_numbers("The new value, in N, m, kg and s", get=_recorded, set=_set_recorded)
    value_angle: _three_angles(get=_recorded, set=_set_recorded)
    build: StringProperty(
        name="Built",
        description="Of what was built during Play: the parts that were put in, where they were then, or the names of "
        "those that were taken out, as in a mechanism file",
        options=set(),
    )
    drag: StringProperty(
        name="Drag",
        description="Of a drag: the spring to the hand, and the way of the hand, as in a mechanism file",
        options=set(),
    )


class PlayProperties:
    """Mixed into the property group of `Scene.ves`."""

    play_speed: EnumProperty(
        name="Speed", description="How fast time goes by during Play", items=SPEEDS, default="REAL", options=set()
    )
    play_factor: FloatProperty(
        name="Factor",
        description="Seconds of the scene that go by in one of yours",
        default=0.1,
        min=0.001,
        soft_min=0.01,
        soft_max=2.0,
        max=10.0,
        options=set(),
    )
    play_grip: FloatProperty(
        name="Grip",
        description="How hard the hand pulls that drags a body; 1 holds a body alone up with little sag",
        default=1.0,
        min=0.001,
        soft_min=0.1,
        soft_max=10.0,
        max=1000.0,
        options=set(),
    )
    control_program: PointerProperty(
        name="Program",
        description="Text with a Python function control(time, state) that gives the values of motors by the names of "
        "their joints, at each frame. It runs only once you have allowed it; what it did in Play is recorded, so that "
        "Bake needs no program",
        type=bpy.types.Text,
        options=set(),
    )
    use_program_in_bake: BoolProperty(
        name="In Bakes",
        description="Bake runs the program too, at each frame, besides doing what is recorded",
        default=False,
        options=set(),
    )
    play_status: StringProperty(
        name="Play Status", description="What Play is doing or has done, in words", options={"SKIP_SAVE"}
    )
    before_play: StringProperty(
        name="Before Play",
        description="The frame that comes back when Play ends; empty while nothing is played",
        options={"HIDDEN"},
    )
    action_buttons: CollectionProperty(
        name="Action Buttons", description="What can be done during Play", type=VES_PG_action_button, options=set()
    )
    active_action_button: IntProperty(
        name="Active Action Button", description="The entry that is selected in the list", options=set()
    )
    use_recorded_actions: BoolProperty(
        name="Use Recorded Actions",
        description="Bake and Export do what is in the list below, each at its time",
        default=True,
        options=set(),
    )
    recorded_actions: CollectionProperty(
        name="Recorded Actions",
        description="What was done during Play, each with its time",
        type=VES_PG_recorded_action,
        options=set(),
    )
    active_recorded_action: IntProperty(
        name="Active Recorded Action", description="The entry that is selected in the list", options=set()
    )


def play_factor(scene: bpy.types.Scene) -> float:
    """Seconds of the scene that go by in one of the person's."""
    return FACTORS.get(scene.ves.play_speed, scene.ves.play_factor)
