# SPDX-License-Identifier: GPL-3.0-or-later
"""A manipulator arm comes to rest, is dragged about its cell by a glove, picks up a tool, and lifts it by its motor.

After Schroeder (1990), 1.5.1, the engineer's scenario. The shoulder is a nail: a ball and socket. The glove is an
animated object, and a spring to it is its grip. What the elbow has to hold, Inspect knows: it is drawn on a blackboard.
"""

from __future__ import annotations

import math
from itertools import pairwise

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .by_hand import add_bodies, join, key, nail, pull, select, switch
from .camera import add_camera
from .paints import material
from .shapes import Shape, joined, lathe, make_object, moved, on_both_sides, rod, slab, superellipsoid
from .workbench import PITCH, blackboard, bolt, make_table, place_between, set_frames, strip

FRAMES = 192
SHOULDER = (0.0, 0.75)  # (x, z)
UPPER, FORE, HAND = 12 * PITCH, 10 * PITCH, 0.05  # lengths
HELD = math.radians(215.0)  # how the arm is held at the start
TOOL, TOOL_MASS, TOOL_HEIGHT = (
    (0.36, 0.30),
    1.2,
    0.125,
)  # where it is taken (x, z), in kg, and from its ring to its foot
LINEAR, ANGULAR = 1.8, 0.004  # damping of each part, N s/m and N m s/rad

GRAB, TAKE, RELEASE, START, END = 46, 108, 132, 140, 170  # frames
GLOVE = {
    1: (0.25, -0.35, 0.30),
    30: (0.25, -0.35, 0.30),
    GRAB - 2: (0.0, -0.004, 0.158),
    62: (-0.28, -0.10, 0.36),
    78: (-0.05, -0.26, 0.40),
    92: (0.30, -0.08, 0.42),
    104: (TOOL[0], 0.0, TOOL[1]),
    TAKE: (TOOL[0], 0.0, TOOL[1]),
    118: (0.30, 0.0, 0.41),
    RELEASE: (0.03, 0.0, 0.23),
    RELEASE + 8: (0.03, -0.06, 0.23),
    START + 14: (0.25, -0.35, 0.20),
}
"""Where the glove is at these frames."""

STRETCHED = math.radians(105.0)  # the elbow's target at the end
SLACK, STIFF, MOTOR_DAMPING = 1.0, 60.0, 0.6  # of the elbow's motor: N m/rad before and after it is switched on
GRIP, DANGER = 350.0, 3.0  # N/m of the glove's spring, and N m that are too much for the elbow
CHART, CHART_SIZE, FULL = (-0.74, 0.23), (0.42, 0.30), 5.0  # its lower left corner (x, z), its size, and N m at its top
BOARD = 0.24  # Y of the blackboard


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    make_gantry()
    upper, fore, tool, glove = make_upper_arm(), make_forearm(), make_tool(), make_glove()
    connect(upper, fore, tool, glove)
    make_chart()
    make_table(seed=11, half_length=0.85)
    add_camera((0.10, -1.95, 0.64), (-0.11, 0.0, 0.40), 43.0, f_stop=2.8)
    select(fore)


def make_gantry() -> None:
    """A post with an arm, and the socket that the shoulder turns in; a stand for the tool."""
    x, z = SHOULDER
    post = slab((0.56, 0.10, 0.0), (0.61, 0.15, z + 0.10), "iron")
    foot = slab((0.50, 0.04, 0.0), (0.67, 0.21, 0.02), "iron")
    beam = slab((x - 0.04, 0.10, z + 0.06), (0.61, 0.15, z + 0.10), "iron")
    drop = [
        rod((x, 0.125, z + 0.08), (x, 0.0, z + 0.08), 0.014, "iron"),
        rod((x, 0.0, z + 0.09), (x, 0.0, z), 0.014, "iron"),
    ]
    socket = moved(lathe([(0.012, 0.030), (0.026, 0.022), (0.030, 0.004)], "brass", 32), (x, 0.0, z))
    make_object("Gantry", joined(post, foot, beam, *drop, socket))
    top = TOOL[1] - TOOL_HEIGHT
    make_object("Stand", slab((TOOL[0] - 0.06, -0.06, 0.0), (TOOL[0] + 0.06, 0.06, top - 0.0005), "pine"), smooth=False)


def pose() -> list[tuple[float, float]]:
    """(x, z) of shoulder, elbow and hand at the start."""
    along = np.array([math.cos(HELD), math.sin(HELD)])
    shoulder = np.array(SHOULDER)
    return [tuple(shoulder + reach * along) for reach in (0.0, UPPER, UPPER + FORE + HAND)]


def make_upper_arm() -> bpy.types.Object:
    """Two strips, and the ball of the shoulder at the origin."""
    ball = superellipsoid((0.024, 0.024, 0.024), "chrome", 2.0, 32)
    y = 0.017
    cross = rod((6 * PITCH, -y, 0.0), (6 * PITCH, y, 0.0), 0.0075, "brass")
    shape = joined(on_both_sides(strip(12, "car", y)), ball, _elbow(y), cross, bolt(0.0, 0.0, -0.027, 0.027))
    arm = make_object("Upper Arm", shape)
    place_between(arm, *pose()[:2])
    return arm


def _elbow(y: float) -> Shape:
    """The housing of a motor."""
    case = rod((UPPER, y + 0.003, 0.0), (UPPER, y + 0.026, 0.0), 0.026, "label blue", 32)
    return joined(rod((UPPER, -y - 0.004, 0.0), (UPPER, y + 0.004, 0.0), 0.005, "brass", 16), on_both_sides(case))


def make_forearm() -> bpy.types.Object:
    """Two strips, and a hook for a hand."""
    y = 0.009
    palm = rod((FORE, -0.014, 0.0), (FORE, 0.014, 0.0), 0.012, "brass", 24)
    wrist = rod((FORE, 0.0, 0.0), (FORE + HAND - 0.016, 0.0, 0.0), 0.006, "chrome")
    bends = np.linspace(0.0, 1.5 * math.pi, 13)
    bow = [(FORE + HAND - 0.016 * math.cos(a), 0.0, 0.016 * math.sin(a)) for a in bends]
    hook = [rod(a, b, 0.004, "chrome", 10) for a, b in pairwise(bow)]
    cross = rod((5 * PITCH, -y, 0.0), (5 * PITCH, y, 0.0), 0.0075, "brass")
    arm = make_object("Forearm", joined(on_both_sides(strip(10, "girder", y)), palm, wrist, *hook, cross))
    place_between(arm, *pose()[1:])
    return arm


def make_tool() -> bpy.types.Object:
    """A brass weight whose ring is its origin."""
    low = -TOOL_HEIGHT
    body = [(0.032, low), (0.036, low + 0.005), (0.036, low + 0.07), (0.030, low + 0.078), (0.010, low + 0.084)]
    around = np.linspace(0.0, 2.0 * math.pi, 17)
    ring = [(0.0, 0.017 * math.sin(a), -0.015 + 0.017 * math.cos(a)) for a in around]
    links = [rod(a, b, 0.004, "chrome", 10) for a, b in pairwise(ring)]
    tool = make_object("Tool", joined(lathe([*body, (0.008, -0.030)], "brass", 40), *links))
    tool.location = TOOL[0], 0.0, TOOL[1]
    return tool


def make_glove() -> bpy.types.Object:
    """A white glove, open to the right; where it grips is its origin."""
    palm = moved(superellipsoid((0.026, 0.013, 0.030), "white", 2.6, 32), (0.0, -0.022, -0.002))
    fingers = [
        rod((x, -0.020, 0.022), (0.9 * x, -0.012, 0.058), 0.0072, "white", 12) for x in (-0.021, -0.007, 0.007, 0.021)
    ]
    thumb = rod((0.024, -0.020, -0.008), (0.040, -0.010, 0.018), 0.0075, "white", 12)
    cuff = moved(lathe([(0.022, -0.065), (0.024, -0.030), (0.020, -0.024)], "label red", 24), (0.0, -0.022, 0.0))
    glove = make_object("Glove", joined(palm, *fingers, thumb, cuff))
    for axis in range(3):
        key(glove, "location", {frame: place[axis] for frame, place in GLOVE.items()}, "BEZIER", axis)
    bpy.context.scene.frame_set(1)
    return glove


def connect(upper: bpy.types.Object, fore: bpy.types.Object, tool: bpy.types.Object, glove: bpy.types.Object) -> None:
    """A person's work in the sidebar: a nail, a hinge with a motor, damping, and two springs that grip."""
    shoulder, elbow, hand = (Vector((x, 0.0, z)) for x, z in pose())
    add_bodies([upper, fore], "ALUMINIUM")
    add_bodies([tool], "BRASS")
    tool.ves.mass_source, tool.ves.mass = "GIVEN", TOOL_MASS
    add_bodies([glove], "RUBBER", "KEYED")
    nail(upper, shoulder).name = "Shoulder"
    hinge = join("REVOLUTE", upper, fore, elbow)
    hinge.name, hinge.ves.motor_mode = "Elbow", "POSITION"
    hinge.ves.motor_damping[0] = MOTOR_DAMPING
    key(hinge, "ves.motor_stiffness", {1: SLACK, START - 4: SLACK, START: STIFF}, "LINEAR", 0)
    key(hinge, "ves.motor_target", {START: 0.0, END: STRETCHED}, "BEZIER", 0)
    select(upper, fore, tool)
    bpy.ops.ves.add_force(type="DAMPING")
    for force in bpy.context.selected_objects:
        force.ves.linear, force.ves.angular = LINEAR, ANGULAR

    select(tool)
    bpy.ops.ves.add_joint(type="FIXED", location="ACTIVE")
    stand = bpy.context.active_object
    stand.name = "Stands"
    switch(stand, {1: True, TAKE: False})

    scene = bpy.context.scene
    scene.frame_set(1)
    drag = pull("SPRING", fore, hand, glove, glove.location)
    drag.name = "Glove's Grip"
    drag.ves.spring_stiffness, drag.ves.spring_damping = GRIP, 6.0
    hook = pull("SPRING", fore, hand, tool, tool.location)
    hook.name = "Hook"
    hook.ves.spring_stiffness, hook.ves.spring_damping = 4000.0, 20.0
    for spring in (drag, hook):
        spring.ves.use_rest_length, spring.ves.rest_length = True, 0.0
    switch(drag, {1: False, GRAB: True, RELEASE: False})
    switch(hook, {1: False, TAKE: True})
    scene.frame_set(1)


def make_chart() -> None:
    """A blackboard with axes, and a red line at the torque that is too much."""
    (x, z), (width, height) = CHART, CHART_SIZE
    board = moved(blackboard(0.5 * width + 0.05, z - 0.06, z + height + 0.05), (x + 0.5 * width, BOARD, 0.0))
    legs = [
        slab((at - 0.012, BOARD + 0.018, 0.0), (at + 0.012, BOARD + 0.04, z + height), "pine") for at in (x, x + width)
    ]
    y = BOARD - 0.001
    axes = [
        slab((x, y, z - 0.0015), (x + width, BOARD, z + 0.0015), "chalk"),
        slab((x - 0.0015, y, z), (x + 0.0015, BOARD, z + height), "chalk"),
    ]
    level = z + height * DANGER / FULL
    red = [
        slab((at, y, level - 0.0015), (at + 0.014, BOARD, level + 0.0015), "tail lamp")
        for at in np.arange(x, x + width - 0.01, 0.022)
    ]
    make_object("Blackboard", joined(board, *legs, *axes, *red), smooth=False)
    for text, place in (("elbow, N m", (x + 0.012, z + height - 0.005)), (f"{DANGER:.0f}", (x - 0.026, level - 0.009))):
        data = bpy.data.curves.new(text, "FONT")
        data.body, data.size, data.extrude = text, 0.028, 0.0005
        data.materials.append(material("chalk"))
        ob = bpy.data.objects.new(text, data)
        ob.matrix_world = Matrix.Translation((place[0], y, place[1])) @ Matrix.Rotation(math.pi / 2.0, 4, "X")
        bpy.context.scene.collection.objects.link(ob)


def finish() -> None:
    """After the bake: plot the elbow's torque, and draw the plot on the blackboard as time goes on."""
    scene = bpy.context.scene
    elbow = scene.objects["Elbow"]
    torque = np.abs(elbow_torque(elbow))
    (x, z), (width, height) = CHART, CHART_SIZE
    data = bpy.data.curves.new("Torque", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(len(torque) - 1)
    for i, (point, value) in enumerate(zip(spline.points, torque, strict=True)):
        point.co = x + width * i / (FRAMES - 1), BOARD - 0.003, z + height * min(value / FULL, 1.1), 1.0
    data.bevel_depth, data.bevel_factor_mapping_end = 0.0025, "RESOLUTION"
    data.materials.append(material("label yellow"))
    key(data, "bevel_factor_end", {scene.frame_start: 0.0, scene.frame_end: 1.0}, "LINEAR")
    scene.collection.objects.link(bpy.data.objects.new("Torque", data))


def elbow_torque(elbow: bpy.types.Object) -> np.ndarray:
    """The motor's torque at each frame (F,), in N m: the button in Inspect writes it as an animated property."""
    select(elbow)
    bpy.ops.ves.plot(quantity="Drive Torque")
    animation = elbow.animation_data
    bag = animation.action.layers[0].strips[0].channelbag(animation.action_slot)
    curve = next(curve for curve in bag.fcurves if "Drive Torque" in curve.data_path)
    values = np.empty(2 * len(curve.keyframe_points))
    curve.keyframe_points.foreach_get("co", values)
    return values[1::2]
