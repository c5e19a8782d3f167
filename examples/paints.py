# SPDX-License-Identifier: GPL-3.0-or-later
"""The colours of the examples: plain materials by name."""

from __future__ import annotations

from typing import NamedTuple

import bpy


class Paint(NamedTuple):
    """Linear colour, roughness, metallic, how much a clear coat shines, and how brightly it glows."""

    color: tuple[float, float, float]
    roughness: float = 0.5
    metallic: float = 0.0
    coat: float = 0.0
    glow: float = 0.0


PAINTS = {
    "car": Paint((0.55, 0.025, 0.02), 0.35, 0.0, 1.0),
    "cream": Paint((0.85, 0.74, 0.52), 0.4, 0.0, 0.6),
    "glass": Paint((0.02, 0.035, 0.05), 0.05, 0.0, 1.0),
    "chrome": Paint((0.85, 0.85, 0.86), 0.12, 1.0),
    "tin": Paint((0.72, 0.72, 0.70), 0.28, 1.0),
    "tyre": Paint((0.018, 0.018, 0.02), 0.75),
    "lamp": Paint((1.0, 0.93, 0.75), 0.2, 0.0, 1.0),
    "tail lamp": Paint((0.75, 0.01, 0.01), 0.2, 0.0, 1.0),
    "girder": Paint((0.02, 0.20, 0.09), 0.35, 0.0, 0.5),
    "brass": Paint((0.83, 0.56, 0.20), 0.3, 1.0),
    "wire": Paint((0.05, 0.05, 0.05), 0.6),
    "label red": Paint((0.62, 0.03, 0.02), 0.5),
    "label blue": Paint((0.02, 0.13, 0.45), 0.5),
    "label green": Paint((0.04, 0.30, 0.10), 0.5),
    "label yellow": Paint((0.85, 0.48, 0.02), 0.5),
    "label band": Paint((0.90, 0.86, 0.75), 0.5),
    "asphalt": Paint((0.075, 0.075, 0.085), 0.85),
    "line": Paint((0.80, 0.80, 0.76), 0.7),
    "grass": Paint((0.16, 0.30, 0.05), 0.9),
    "hill": Paint((0.20, 0.36, 0.13), 0.95),
    "leaves": Paint((0.06, 0.22, 0.04), 0.85),
    "light leaves": Paint((0.16, 0.33, 0.05), 0.85),
    "trunk": Paint((0.16, 0.08, 0.035), 0.9),
    "iron": Paint((0.20, 0.21, 0.22), 0.38, 1.0),
    "oak": Paint((0.30, 0.14, 0.05), 0.65),
    "pine": Paint((0.38, 0.20, 0.08), 0.6),
    "stone": Paint((0.36, 0.34, 0.31), 0.8),
    "slate": Paint((0.018, 0.030, 0.032), 0.75),
    "chalk": Paint((0.90, 0.88, 0.80), 0.9),
    "black": Paint((0.008, 0.009, 0.012), 0.3, 0.0, 1.0),
    "white": Paint((0.80, 0.80, 0.78), 0.35, 0.0, 1.0),
    "blue light": Paint((0.01, 0.05, 0.75), 0.15, 0.0, 1.0, 1.5),
    "red light": Paint((0.75, 0.01, 0.01), 0.15, 0.0, 1.0, 1.5),
    "tarmac": Paint((0.14, 0.14, 0.145), 0.85),
    "skid": Paint((0.012, 0.012, 0.013), 0.9),
    "pavement": Paint((0.28, 0.26, 0.24), 0.9),
    "brick": Paint((0.33, 0.09, 0.05), 0.9),
    "plaster": Paint((0.62, 0.52, 0.38), 0.9),
    "pale blue": Paint((0.33, 0.47, 0.55), 0.9),
    "tiles": Paint((0.20, 0.055, 0.035), 0.85),
    "cloud": Paint((0.95, 0.95, 0.95), 1.0),
}


class Pattern(NamedTuple):
    """Patches of two linear colours: so many of them per metre along X, Y and Z."""

    dark: tuple[float, float, float]
    light: tuple[float, float, float]
    scale: tuple[float, float, float]


PATTERNS = {
    "grass": Pattern((0.10, 0.22, 0.03), (0.24, 0.38, 0.07), (0.9, 0.9, 0.9)),  # shows how fast one drives over it
    "oak": Pattern((0.20, 0.085, 0.028), (0.40, 0.20, 0.075), (3.0, 60.0, 60.0)),  # its grain
}


def material(name: str) -> bpy.types.Material:
    """The material of this file with that name; made at the first call."""
    found = bpy.data.materials.get(name)
    if found is not None:
        return found
    made = bpy.data.materials.new(name)
    if made.node_tree is None:  # before Blender 5.0
        made.use_nodes = True
    paint = PAINTS[name]
    shader = next(node for node in made.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*paint.color, 1.0)
    shader.inputs["Roughness"].default_value = paint.roughness
    shader.inputs["Metallic"].default_value = paint.metallic
    shader.inputs["Coat Weight"].default_value = paint.coat
    shader.inputs["Emission Color"].default_value = (*paint.color, 1.0)
    shader.inputs["Emission Strength"].default_value = paint.glow
    made.diffuse_color = (*paint.color, 1.0)
    if name == "cloud":  # as bright from below as from above
        shader.inputs["Emission Color"].default_value = (0.85, 0.92, 1.0, 1.0)
        shader.inputs["Emission Strength"].default_value = 0.8
    if name in PATTERNS:
        _mottle(made, shader, PATTERNS[name])
    return made


def _mottle(made: bpy.types.Material, shader: bpy.types.ShaderNode, pattern: Pattern) -> None:
    tree = made.node_tree
    place = tree.nodes.new("ShaderNodeTexCoord")
    noise = tree.nodes.new("ShaderNodeTexNoise")
    noise.inputs["Scale"].default_value = 1.0
    stretch = tree.nodes.new("ShaderNodeVectorMath")
    stretch.operation = "MULTIPLY"
    stretch.inputs[1].default_value = pattern.scale
    noise.inputs["Detail"].default_value = 4.0
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.elements[0].position, ramp.color_ramp.elements[1].position = 0.35, 0.65
    ramp.color_ramp.elements[0].color = (*pattern.dark, 1.0)
    ramp.color_ramp.elements[1].color = (*pattern.light, 1.0)
    tree.links.new(place.outputs["Object"], stretch.inputs[0])
    tree.links.new(stretch.outputs["Vector"], noise.inputs["Vector"])
    tree.links.new(noise.outputs["Fac"] if "Fac" in noise.outputs else noise.outputs[0], ramp.inputs["Fac"])
    tree.links.new(ramp.outputs["Color"], shader.inputs["Base Color"])
