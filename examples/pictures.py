# SPDX-License-Identifier: GPL-3.0-or-later
"""Rendered frames, a contact sheet of some of them, and a clip of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import bpy
import numpy as np

FULL, QUICK = (480, 270, 8), (288, 162, 3)  # width, height, samples: of the contact sheet, of the clip
BOUNCES = 2
Quality = tuple[int, int, int]
MARGIN = 6  # pixels between the pictures of a contact sheet


def render_frames(
    scene: bpy.types.Scene,
    folder: Path,
    frames: Sequence[int],
    quality: Quality,
    watch: Callable[[int], None],
) -> list[Path]:
    """Render frames of the scene with Cycles on the processor; returns the pictures in order.

    quality: FULL or QUICK. watch: is told after each frame how many are done.
    """
    _set_up(scene, *quality)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = [folder / f"{frame:04d}.png" for frame in frames]
    for done, (frame, picture) in enumerate(zip(frames, pictures, strict=True), 1):
        scene.frame_set(frame)
        scene.render.filepath = str(picture)
        bpy.ops.render.render(write_still=True)
        watch(done)
    return pictures


def _set_up(scene: bpy.types.Scene, width: int, height: int, samples: int) -> None:
    settings = scene.render
    settings.engine = "CYCLES"
    settings.resolution_x, settings.resolution_y, settings.resolution_percentage = width, height, 100
    settings.use_persistent_data = True
    settings.use_motion_blur, settings.motion_blur_shutter = True, 0.3
    cycles = scene.cycles
    cycles.device = "CPU"
    cycles.samples, cycles.max_bounces, cycles.caustics_reflective = samples, BOUNCES, False
    cycles.use_denoising = True
    cycles.denoiser = "OPENIMAGEDENOISE"
    cycles.denoising_prefilter, cycles.denoising_quality = "FAST", "FAST"
    cycles.use_adaptive_sampling = False
    cycles.debug_bvh_type = "DYNAMIC_BVH"  # only what moves is sorted anew for each frame
    scene.view_settings.view_transform = "AgX"
    scene.view_settings.exposure = 0.5
    scene.view_settings.look = "AgX - Punchy"
    _choose_format(settings.image_settings, "IMAGE", "PNG")
    settings.use_file_extension = True


def contact_sheet(pictures: Sequence[Path], columns: int, target: Path) -> None:
    """Put pictures of one size side by side, row by row, into one JPEG."""
    tiles = [_pixels(picture) for picture in pictures]
    height, width = tiles[0].shape[:2]
    rows = -(-len(tiles) // columns)
    sheet = np.ones((rows * (height + MARGIN) + MARGIN, columns * (width + MARGIN) + MARGIN, 4), np.float32)
    for i, tile in enumerate(tiles):
        y, x = (
            MARGIN + (size + MARGIN) * place for size, place in zip((height, width), divmod(i, columns), strict=True)
        )
        sheet[y : y + height, x : x + width] = tile
    image = bpy.data.images.new(target.stem, sheet.shape[1], sheet.shape[0])
    image.pixels.foreach_set(np.ascontiguousarray(sheet[::-1]).ravel())
    image.file_format = "JPEG"
    image.save(filepath=str(target), quality=78)
    bpy.data.images.remove(image)


def _pixels(picture: Path) -> np.ndarray:
    """(height, width, 4) values from 0 to 1, first row at the top."""
    image = bpy.data.images.load(str(picture))
    values = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(values)
    width, height = image.size
    bpy.data.images.remove(image)
    return values.reshape(height, width, 4)[::-1]


def clip(pictures: Sequence[Path], frame_rate: int, target: Path) -> bool:
    """Join pictures of QUICK's size to an MP4 file with the FFmpeg inside Blender; False if this build has none."""
    if not bpy.app.ffmpeg.supported:
        return False
    scene = bpy.data.scenes.new("Clip")
    strips = scene.sequence_editor_create().strips
    strip = strips.new_image("Frames", str(pictures[0]), channel=1, frame_start=1)
    for picture in pictures[1:]:
        strip.elements.append(picture.name)
    scene.frame_start, scene.frame_end = 1, len(pictures)
    settings = scene.render
    settings.fps = frame_rate
    settings.resolution_x, settings.resolution_y = QUICK[:2]
    scene.view_settings.view_transform = "Standard"
    _choose_format(settings.image_settings, "VIDEO", "FFMPEG")
    settings.ffmpeg.format, settings.ffmpeg.codec = "MPEG4", "H264"
    settings.ffmpeg.constant_rate_factor = "HIGH"
    settings.filepath = str(target)
    bpy.ops.render.render(animation=True, scene=scene.name)
    bpy.data.scenes.remove(scene)
    return True


def _choose_format(settings: bpy.types.ImageFormatSettings, media: str, file_format: str) -> None:
    """Since Blender 5.0 the kind of media comes first."""
    if hasattr(settings, "media_type"):
        settings.media_type = media
    settings.file_format = file_format
