# SPDX-License-Identifier: GPL-3.0-or-later
"""`Scene.ves`: what holds for the whole mechanism: accuracy, frame range and the findings of Check."""

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ..geometry.places import AXES, LOCATIONS
from .contact import SceneContactProperties
from .impacts import ImpactProperties
from .live import LiveProperties
from .play import PlayProperties
from .pose import PoseProperties
from .setting import GivenActions
from .torques import TorqueProperties
from .view_plots import ViewPlotProperties

SAMPLES = 3
"""Poses that the solver tells on the way to each frame, for the curves between: one each quarter of a frame."""

ACCURACIES = [
    ("DRAFT", "Draft", "Quick, for trying things out (1e-4)", 0),
    ("NORMAL", "Normal", "Right for every shot (1e-6)", 1),
    ("PRECISE", "Precise", "For measurements and very long shots (1e-8)", 2),
]

RELATIVE_TOLERANCE = {"DRAFT": 1e-4, "NORMAL": 1e-6, "PRECISE": 1e-8}

INTEGRATORS = [
    (
        "STANDARD",
        "Standard",
        "As accurate at every moment as Accuracy says; what may touch something moves by impulses",
        0,
    ),
    (
        "PERPETUAL",
        "Perpetual",
        "For loops, clocks and shots that run for very long: nothing is gained or lost on the way. Energy stays where "
        "it was, but for a small swing, and momentum to the last digit; friction and limits only take from it. Steps "
        "of fixed length; not for contact, Rides On, tyres, or supports with friction and no Slope",
        1,
    ),
    (
        "QUASI_STATIC",
        "Quasi-Static",
        "Motion without inertia: everything goes the shortest way to rest, as in honey, and keyed bodies lead. For "
        "thick chains of thousands of links that settle, and for poses in balance. Nothing swings; dampers and drag do "
        "nothing. Not for contact, Rides On, dry friction, motors that keep a speed, Follow, or ropes that go slack",
        2,
    ),
    (
        "ADAPTIVE",
        "Adaptive",
        "For trees of thousands of links of which few move at a time: only these are simulated, all other joints are "
        "held for the while. Error Bound says what may be left out. Not for contact, loops, constraints, limits, dry "
        "friction, Damping, Drag, Tyres, Follow, or motors that keep a speed or are keyed",
        3,
    ),
]

FRAME_SOURCES = [
    ("SCENE", "Scene", "The frame range of the scene"),
    ("PREVIEW", "Preview", "The preview range if it is on, otherwise the frame range of the scene"),
    ("CUSTOM", "Custom", "The frame range given here"),
]

SNAP_MODES = [
    ("INSTANT", "Instant", "Move the bodies to their places at once"),
    ("ANIMATED", "Animated", "Key a flight in which the parts come together smoothly; Clear Bake takes it away again"),
]

SEVERITIES = [
    ("ERROR", "Error", "The mechanism can't run like this", "CANCEL", 0),
    ("WARNING", "Warning", "It runs, but perhaps not as meant", "ERROR", 1),
    ("INFO", "Note", "Good to know", "INFO", 2),
]


class VES_PG_finding(bpy.types.PropertyGroup):
    """One thing that Check found."""

    severity: EnumProperty(name="Severity", description="How bad it is", items=SEVERITIES, options=set())
    text: StringProperty(name="Finding", description="What is wrong, and what can be done about it", options=set())
    culprit: PointerProperty(
        name="Culprit", description="The object that the finding is about", type=bpy.types.Object, options=set()
    )
    cure: StringProperty(
        name="Cure", description="The operator that puts it right; empty if it takes a person", options=set()
    )


class VES_PG_scene(
    SceneContactProperties,
    PlayProperties,
    PoseProperties,
    LiveProperties,
    ImpactProperties,
    TorqueProperties,
    ViewPlotProperties,
    GivenActions,
    bpy.types.PropertyGroup,
):
    """Registered as `Scene.ves`."""

    accuracy: EnumProperty(
        name="Accuracy",
        description="How closely the motion is computed",
        items=ACCURACIES,
        default="NORMAL",
        options=set(),
    )
    integrator: EnumProperty(
        name="Integrator",
        description="What the motion is true to",
        items=INTEGRATORS,
        default="STANDARD",
        options=set(),
    )
    settling: FloatProperty(
        name="Settling Time",
        description="How quickly things settle where the Integrator is Quasi-Static: what falls freely sinks at this "
        "time times gravity (at 0.1 s by 1 m a second), and a pendulum of a metre comes to rest in about a tenth of a "
        "second over this time. 0: every frame is in balance",
        default=0.1,
        min=0.0,
        soft_max=2.0,
        precision=3,
        subtype="TIME_ABSOLUTE",
        options=set(),
    )
    error_bound: FloatProperty(
        name="Error Bound",
        description="The joint accelerations that may be left out at any time where the Integrator is Adaptive: the "
        "root of the sum of all their squares, of turns in radians, of travels in sizes of the linkage, per second "
        "squared. Less is more accurate, and slower; 0: all joints are simulated",
        default=0.1,
        min=0.0,
        soft_max=10.0,
        precision=4,
        options=set(),
    )
    frame_source: EnumProperty(
        name="Frames", description="Which frames are baked", items=FRAME_SOURCES, default="SCENE", options=set()
    )
    frame_start: IntProperty(name="Start", description="First frame of the custom range", default=1, options=set())
    frame_end: IntProperty(name="End", description="Last frame of the custom range", default=250, options=set())
    use_cycle: BoolProperty(
        name="Loop",
        description="The last frame flows into the first: the frames are computed again and again, each time from "
        "where the time before has ended, until they repeat themselves. For walk cycles, tails and hair",
        default=False,
        options=set(),
    )
    part_blend_in: FloatProperty(
        name="Blend In",
        description="Frames in which the selected bodies are let go, at the beginning of what Bake Part bakes",
        default=4.0,
        min=0.0,
        soft_max=100.0,
        step=100,
        precision=1,
        options=set(),
    )
    part_blend_out: FloatProperty(
        name="Blend Out",
        description="Frames in which they come back to their animation, smoothly and from wherever they are, at the "
        "end of what Bake Part bakes",
        default=12.0,
        min=0.0,
        soft_max=100.0,
        step=100,
        precision=1,
        options=set(),
    )
    show_ghost: BoolProperty(
        name="Ghost",
        description="Draw in the 3D View the one that is not shown of the animation and the result of Bake Part",
        default=True,
        options=set(),
    )
    samples_per_frame: IntProperty(
        name="Samples per Frame",
        description="How often keyed bodies and animated numbers are looked at between two frames",
        default=2,
        min=1,
        max=64,
        soft_max=8,
        options=set(),
    )
    keys_between: BoolProperty(
        name="Keys Between Frames",
        description="Where a body spins fast or is hit, its curves get keys between frames as well, so that motion "
        "blur shows the true motion and bounces keep their corners; off, there is one key a frame",
        default=True,
        options=set(),
    )
    progress: FloatProperty(
        name="Progress",
        description="How much of what is under way is done",
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        options={"SKIP_SAVE"},
    )
    status: StringProperty(
        name="Status", description="What the bake is doing or has done, in words", options={"SKIP_SAVE"}
    )
    snap_mode: EnumProperty(
        name="Mode", description="How Snap Together gets the bodies to their places", items=SNAP_MODES, options=set()
    )
    snap_frames: IntProperty(
        name="Frames",
        description="How many frames the flight takes, from the present one on",
        default=24,
        min=2,
        soft_max=250,
        options=set(),
    )
    snap_status: StringProperty(
        name="Snap Status",
        description="What Snap Together is doing or has done, in words",
        options={"SKIP_SAVE"},
    )
    connect_at: EnumProperty(
        name="Place",
        description="Where a new joint goes",
        items=LOCATIONS,
        default="NEAREST",
        options=set(),
    )
    connect_axis: EnumProperty(
        name="Axis", description="Where the Z axis of a new joint points", items=AXES, default="Z", options=set()
    )
    findings: CollectionProperty(
        name="Findings", description="What Check found wrong with the set-up", type=VES_PG_finding, options=set()
    )
    active_finding: IntProperty(
        name="Active Finding", description="The finding that is selected in the list", options=set()
    )
    show_partners: BoolProperty(
        name="Lines to Partners",
        description="Draw lines in the 3D View from joints, constraints and forces to the bodies that they are "
        "fastened to: of what is selected",
        options=set(),
    )
    show_limits: BoolProperty(
        name="Show Limits",
        description="Draw the limits of the selected joints in the 3D View, and of those by which selected bodies and "
        "bones hang on others",
        default=True,
        options=set(),
    )
    was_checked: BoolProperty(
        name="Checked", description="Check has been run, so an empty list means that nothing is wrong", options=set()
    )


def frame_range(scene: bpy.types.Scene) -> tuple[int, int]:
    """First and last frame of the simulation, after `Scene.ves.frame_source`."""
    settings = scene.ves
    if settings.frame_source == "CUSTOM":
        return settings.frame_start, settings.frame_end
    if settings.frame_source == "PREVIEW" and scene.use_preview_range:
        return scene.frame_preview_start, scene.frame_preview_end
    return scene.frame_start, scene.frame_end
