# SPDX-License-Identifier: GPL-3.0-or-later
"""A geometry node tree that is written in lines: each call adds a node, and sockets are what is passed around."""

from __future__ import annotations

from typing import Any

import bpy

Socket = bpy.types.NodeSocket
OPERATORS = ("ADD", "SUBTRACT", "MULTIPLY", "DIVIDE")


class Tree:
    """A new node group; `self.inputs` holds its inputs by their names."""

    def __init__(self, name: str, inputs: dict[str, tuple[str, dict[str, Any]]]) -> None:
        """inputs: of each the type of its socket, such as "Float", and what is set of it (default, limits, ...)."""
        self.group = bpy.data.node_groups.new(name, "GeometryNodeTree")
        self.group.is_modifier = True
        face = self.group.interface
        face.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
        for label, (kind, told) in inputs.items():
            socket = face.new_socket(label, in_out="INPUT", socket_type=f"NodeSocket{kind}")
            for key, value in told.items():
                setattr(socket, key, value)
        source = self.group.nodes.new("NodeGroupInput")
        self.inputs = {label: source.outputs[label] for label in inputs}

    def node(self, kind: str, *values: Any, **settings: Any) -> bpy.types.Node:
        """A node; values: sockets or numbers for its inputs that are in use, in order; None leaves one as it is.

        A setting that is a property of the node in one version of Blender and a menu socket in a later one is set
        in either.
        """
        node = self.group.nodes.new(kind)
        for key, value in settings.items():
            menu = node.inputs.get(key.title())
            if menu is not None and menu.type == "MENU":
                menu.default_value = value.title().replace("_", " ")
            else:
                setattr(node, key, value)
        sockets = [socket for socket in node.inputs if socket.enabled and socket.type != "MENU"]
        for socket, value in zip(sockets, values, strict=False):
            self.feed(socket, value)
        return node

    def feed(self, socket: Socket, value: Any) -> None:
        """Link a socket, or set a value."""
        if isinstance(value, Socket):
            self.group.links.new(value, socket)
        elif value is not None:
            socket.default_value = value

    def fill(self, node: bpy.types.Node, told: dict[str, Any]) -> Socket:
        """Give a node's inputs by their names; returns its first output."""
        for name, value in told.items():
            self.feed(node.inputs[name], value)
        return node.outputs[0]

    def joined(self, *parts: Socket) -> Socket:
        """Several geometries as one."""
        node = self.node("GeometryNodeJoinGeometry")
        for part in parts:
            self.group.links.new(part, node.inputs[0])
        return node.outputs[0]

    def math(self, operation: str, *values: Any) -> Socket:
        """A number from numbers."""
        return self.node("ShaderNodeMath", *values, operation=operation).outputs[0]

    def vector(self, operation: str, *values: Any) -> Socket:
        """A vector from vectors."""
        node = self.node("ShaderNodeVectorMath", operation=operation)
        self._pass(node, values)
        return node.outputs["Vector"]

    def measure(self, operation: str, *values: Any) -> Socket:
        """A number from vectors: LENGTH, DISTANCE, DOT_PRODUCT."""
        node = self.node("ShaderNodeVectorMath", operation=operation)
        self._pass(node, values)
        return node.outputs["Value"]

    def scaled(self, vector: Any, factor: Any) -> Socket:
        """A vector times a number."""
        node = self.node("ShaderNodeVectorMath", operation="SCALE")
        self.feed(node.inputs["Vector"], vector)
        self.feed(node.inputs["Scale"], factor)
        return node.outputs["Vector"]

    def _pass(self, node: bpy.types.Node, values: tuple) -> None:
        for socket, value in zip(node.inputs, values, strict=False):
            self.feed(socket, value)

    def combined(self, x: Any, y: Any, z: Any) -> Socket:
        """A vector from its components."""
        return self.node("ShaderNodeCombineXYZ", x, y, z).outputs[0]

    def switch(self, kind: str, condition: Any, off: Any, on: Any) -> Socket:
        """One of two, of type `kind`."""
        return self.node("GeometryNodeSwitch", condition, off, on, input_type=kind).outputs[0]

    def info(self, ob: Any) -> bpy.types.Node:
        """An object's place in the world."""
        return self.node("GeometryNodeObjectInfo", ob, transform_space="ORIGINAL")

    def tube(self, curve: Socket, profile: Socket) -> Socket:
        """A mesh along a curve, smooth, with the material of the group."""
        told = {"Curve": curve, "Profile Curve": profile, "Fill Caps": True}
        smooth = self.node("GeometryNodeSetShadeSmooth", self.fill(self.node("GeometryNodeCurveToMesh"), told))
        return self.node("GeometryNodeSetMaterial", smooth.outputs[0], None, self.inputs["Material"]).outputs[0]

    def round_profile(self, thickness: Any) -> Socket:
        """A circle of that diameter."""
        return self.node("GeometryNodeCurvePrimitiveCircle", 12, self.math("MULTIPLY", thickness, 0.5)).outputs[0]

    def finish(self, geometry: Socket) -> bpy.types.NodeTree:
        """The group, whose output is this geometry, given in the world, wherever the object itself is."""
        itself = self.info(self.node("GeometryNodeSelfObject").outputs[0])
        inverse = self.node("FunctionNodeInvertMatrix", itself.outputs["Transform"]).outputs[0]
        transform = self.node("GeometryNodeTransform", mode="MATRIX")
        moved = self.fill(transform, {"Geometry": geometry, "Transform": inverse})
        self.group.links.new(moved, self.group.nodes.new("NodeGroupOutput").inputs[0])
        for column, node in enumerate(self.group.nodes):
            node.location = 180.0 * (column // 4), -220.0 * (column % 4)
        return self.group
