# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual's pictures of Follow and of Hand-over: one figure with the presets side by side, and one through time.

usage: python -m examples.character_pictures [follow] [hand_over]      in an environment that has bpy

They go to docs/pictures. That of Bake Part is a photograph of a window: `tools/sidebar_pictures.sh`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

import bpy
from mathutils import Quaternion

from .by_hand import select
from .camera import add_camera
from .doll import make_doll, on_both_sides
from .extension import ROOT, extension
from .landscape import make_meadow
from .paints import material
from .pictures import contact_sheet, render_frames
from .stuntman import BONES, LEFT
from .workbench import set_frames

SIZE = 480, 300, 12
APART = 1.45  # m, from figure to figure
RAISED, UP = 2.2, 9  # rad: of the arms; frames that takes
PRESETS = "LIMP", "TIRED", "ALIVE", "TENSE", "EXACT"
SHOWN = {8: "on the way up", 40: "held up"}  # frames of the picture of Follow
LET_GO, TAKE_BACK, BLEND_BACK = 20, 52, 20
TOLD = {
    14: "14: animation", 24: "24: let go at 20", 32: "32: physics",
    50: "50: physics", 62: "62: comes back from 52", 76: "76: animation",
}  # fmt: skip


def main() -> None:
    folder = ROOT / "docs" / "pictures"
    with extension():
        for name in sys.argv[1:] or ["follow", "hand_over"]:
            bpy.ops.wm.read_factory_settings(use_empty=True)
            {"follow": picture_follow, "hand_over": picture_hand_over}[name](folder / f"{name}.jpg")


def picture_follow(target: Path) -> None:
    """The animation and the five presets beside each other, while the arms go up and while they are up."""
    set_frames(max(SHOWN))
    figures = [make_figure("Animation", -2.5 * APART)]
    for k, preset in enumerate(PRESETS):
        rig = make_figure(preset.title(), (k - 1.5) * APART)
        for body in make_ragdoll(rig):
            if body.parent_bone.partition(".")[0] not in ("Upper Arm", "Forearm", "Hand", "Neck", "Head"):
                body.ves.motion = "KEYED"
                continue
            body.ves.follows, body.ves.follow_preset = True, preset
        figures.append(rig)
    for rig in figures:
        write(rig.name, (0.9 * rig.location.x, -1.3, 0.01), 0.18)  # nearer to the camera
    bake()
    make_meadow(seed=3)
    add_camera((0.0, -12.5, 1.9), (0.0, 0.0, 0.9), 50.0)
    tiles = [picture(frame, (1440, 400, SIZE[2]), target.stem) for frame in SHOWN]
    contact_sheet(tiles, 1, target)


def picture_hand_over(target: Path) -> None:
    """One figure that waves, is let go, falls, and is taken back."""
    set_frames(max(TOLD))
    rig = make_figure("Figure", 0.0)
    bodies = make_ragdoll(rig)
    for body in bodies:
        body.ves.follow_blend_back = BLEND_BACK
    scene = bpy.context.scene
    for frame, let_go in ((LET_GO, True), (TAKE_BACK, False)):
        scene.frame_set(frame)
        select(rig)
        bpy.ops.ves.hand_over(let_go=let_go)
    scene.frame_set(1)
    bake()
    make_meadow(seed=3)
    add_camera((1.9, -5.6, 1.7), (0.0, 0.0, 0.85), 45.0)
    caption = write("", (0.25, -1.55, 0.05), 0.17)
    tiles = []
    for frame, told in TOLD.items():
        caption.data.body = told
        tiles.append(picture(frame, SIZE, target.stem))
    contact_sheet(tiles, 3, target)


def make_figure(name: str, x: float) -> bpy.types.Object:
    """A figure that raises both arms and waves with them."""
    rig = make_doll(name, on_both_sides(BONES, LEFT))
    rig.location.x = x
    for bone in rig.pose.bones:
        part, _, side = bone.name.partition(".")
        if part not in ("Upper Arm", "Forearm"):
            continue
        rest, sign = bone.bone.matrix_local.to_quaternion(), 1.0 if side == "L" else -1.0
        for frame in range(1, bpy.context.scene.frame_end + 1):
            share = min(max((frame - 3) / UP, 0.0), 1.0)
            up = share * share * (3.0 - 2.0 * share)
            wave = up * 0.3 * math.sin(math.tau * (frame - 3 - UP) / 14.0) * (part == "Forearm")
            turn = Quaternion((0.0, 1.0, 0.0), -sign * ((RAISED if part == "Upper Arm" else 0.25) * up + wave))
            bone.rotation_quaternion = rest.inverted() @ turn @ rest
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_set(1)
    return rig


def make_ragdoll(rig: bpy.types.Object) -> list[bpy.types.Object]:
    """Its bodies, by the button."""
    select(rig)
    bpy.ops.ves.ragdoll(with_limits=False)
    return [ob for ob in rig.children if ob.ves.role == "BODY"]


def bake() -> None:
    """Ends the program if it was refused."""
    if bpy.ops.ves.bake() != {"FINISHED"}:
        sys.exit("\n".join(finding.text for finding in bpy.context.scene.ves.findings))


def write(text: str, place: tuple[float, float, float], size: float) -> bpy.types.Object:
    """Letters on the ground, to be read from the front, a little raised."""
    curve = bpy.data.curves.new(f"Caption {text}", "FONT")
    curve.body, curve.size, curve.align_x, curve.extrude = text, size, "CENTER", 0.004
    curve.materials.append(material("white"))
    letters = bpy.data.objects.new(f"Caption {text}", curve)
    letters.location, letters.rotation_euler = place, (1.2, 0.0, 0.0)
    bpy.context.scene.collection.objects.link(letters)
    return letters


def picture(frame: int, quality: tuple[int, int, int], name: str) -> Path:
    """A rendered frame."""
    watch: Callable[[int], None] = lambda _done: None  # noqa: E731
    (found,) = render_frames(bpy.context.scene, ROOT / "artefacts" / "pictures" / name, [frame], quality, watch)
    return found


if __name__ == "__main__":
    main()
