# SPDX-License-Identifier: GPL-3.0-or-later
"""An arm that is to be stiff, a cart on hard wheels, and a rod that a strong motor holds.

Runs inside Blender, as the beginning of a question to a window.
"""

import itertools
import math

import bpy
from mathutils import Matrix

BARS, LENGTH = 5, 0.3
ORANGE, BLUE, GREEN = (0.9, 0.35, 0.1, 1.0), (0.15, 0.5, 0.8, 1.0), (0.3, 0.65, 0.25, 1.0)


def build() -> None:
    """The three side by side, free of each other; nothing is selected."""
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.context.scene.frame_end = 240
    build_arm()
    build_cart()
    build_rod()
    select()


def build_arm() -> None:
    """Five bars in a row, the first hinged to the world, the other hinges sprung by 1e5 N m/rad, 1e4 N m s/rad."""
    bars = [add(f"bar {i}", (LENGTH * (i + 0.5), 0.0, 2.0), (LENGTH, 0.08, 0.08), ORANGE, 1.0) for i in range(BARS)]
    for i, bar in enumerate(bars):
        hinge(f"hinge {i}", (LENGTH * i, 0.0, 2.0), bar, *bars[max(0, i - 1) : i])
        if i:
            settings = bpy.context.object.ves
            settings.stiffness[0], settings.damping[0] = 1e5, 1e4


def build_cart() -> None:
    """A box of 20 kg that comes down by 5 mm on four supports of 1e6 N/m and 2e3 N s/m, and rolls along."""
    cart = add("cart", (-0.5, 1.0, 0.205), (1.0, 0.6, 0.4), BLUE, 20.0)
    cart.ves.linear_velocity = (0.5, 0.0, 0.0)
    select(cart)
    bpy.ops.ves.add_force(type="SUPPORT")
    for support in [ob for ob in bpy.context.scene.objects if ob.ves.role == "FORCE"]:
        support.ves.support_stiffness, support.ves.support_damping = 1e6, 2e3


def build_rod() -> None:
    """A rod of 1 m and 1 kg whose position motor is a spring of 1,000 Hz, critically damped, half a radian away."""
    hinge("motor", (0.0, -1.0, 1.0), add("rod", (0.5, -1.0, 1.0), (1.0, 0.06, 0.06), GREEN, 1.0))
    settings, rate = bpy.context.object.ves, 2.0 * math.pi * 1000.0
    settings.motor_mode, settings.motor_target[0] = "POSITION", -0.5
    settings.motor_stiffness[0], settings.motor_damping[0] = rate**2 / 3.0, 2.0 * rate / 3.0


def hinge(name: str, place: tuple, *bodies: bpy.types.Object) -> None:
    """About Y, to the second of the bodies, or to the world."""
    bpy.context.scene.cursor.location = place
    select(*bodies)
    bpy.ops.ves.add_joint(type="REVOLUTE", location="CURSOR", axis="Y")
    bpy.context.object.name = name


def add(name: str, place: tuple, size: tuple, colour: tuple, mass: float) -> bpy.types.Object:
    """A box that is a body of that mass (kg)."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=place, scale=size)
    made = bpy.context.object
    made.name, made.color = name, colour
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    bpy.ops.ves.add_body()
    made.ves.mass_source, made.ves.mass = "GIVEN", mass
    return made


def select(*objects: bpy.types.Object) -> None:
    """The last one is active."""
    bpy.ops.object.select_all(action="DESELECT")
    for ob in objects:
        ob.select_set(True)
    bpy.context.view_layer.objects.active = objects[-1] if objects else None


def show() -> None:
    """Look at all of it from the front, in its colours."""
    bpy.context.preferences.system.viewport_aa = "OFF"  # a software renderer draws several times as fast
    space = bpy.context.area.spaces.active
    space.shading.color_type = "OBJECT"
    space.region_3d.view_perspective = "PERSP"
    space.region_3d.view_rotation = Matrix.Rotation(1.3, 4, "X").to_quaternion()
    space.region_3d.view_location, space.region_3d.view_distance = (0.4, 0.0, 0.9), 6.0


def state() -> dict:
    """The frame and what is said, and how far the hinges of the arm and the rod have turned or given way."""
    scene = bpy.context.scene
    bars = [bpy.data.objects[f"bar {i}"].matrix_world.col[0].to_3d() for i in range(BARS)]
    return {
        "frame": scene.frame_current,
        "status": scene.ves.play_status,
        "bend": max(a.angle(b) for a, b in itertools.pairwise(bars)),
        "swing": math.atan2(bars[0].z, bars[0].x),
        "rod": math.atan2(*[bpy.data.objects["rod"].matrix_world.col[0][k] for k in (2, 0)]),
        "cart": list(bpy.data.objects["cart"].matrix_world.translation),
        "baked": sorted(ob.name for ob in scene.objects if ob.ves.is_baked),
        "findings": [finding.text for finding in scene.ves.findings],
    }
