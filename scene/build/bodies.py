# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies and contact of a mechanism become objects and settings: part of `build`.

A body is shown as its shape for contact; one without a shape as the box that has its mass and inertia. What the volume
of that mesh does not tell about mass and inertia is kept as numbers.
"""

from __future__ import annotations

import bpy
import numpy as np

from ...solver.mechanism import Body, Box, Capsule, Contact, Cylinder, Follow, Hull, Material, Mesh, Sphere
from ..animation.keys_of_mechanism import key_motion, put_numbers
from ..geometry.mass_properties import NoVolumeError, solid_of_triangles
from ..geometry.shape_mesh import BOX_FACES, Geometry, look_of, together
from ..parts.ignored_pairs import ignore
from .builder import Builder

THINNEST = 1e-3
"""Smallest side of a box, as a part of its largest: a rod without thickness gets some, so that it can be seen."""
SAME = 1e-5
"""Part of an inertia that a mesh may be off before the numbers themselves are kept."""
KINDS = {Box: "BOX", Sphere: "SPHERE", Capsule: "CAPSULE", Cylinder: "CYLINDER", Hull: "HULL", Mesh: "MESH"}


def build_body(builder: Builder, body: Body) -> bpy.types.Object:
    """The object of a body."""
    look = _look(body, 0.1 * builder.size)
    mesh = bpy.data.meshes.new(body.name)
    mesh.from_pydata(look.points.tolist(), [], look.faces)
    if look.is_smooth:
        mesh.shade_smooth()
        _sharpen(mesh)
    owner = bpy.data.objects.new(body.name, mesh)
    builder.collection.objects.link(owner)
    owner.rotation_mode = "QUATERNION"
    position, orientation = body.position, body.orientation
    if body.keys:
        position, orientation = position or body.keys.positions[0], orientation or body.keys.orientations[0]
    owner.location = position or (0.0, 0.0, 0.0)
    owner.rotation_quaternion = orientation or (1.0, 0.0, 0.0, 0.0)
    settings = owner.ves
    settings.role, settings.motion = "BODY", body.motion.upper()
    _keep_mass(settings, body, look)
    settings.linear_velocity = body.linear_velocity or (0.0, 0.0, 0.0)
    settings.angular_velocity = body.angular_velocity or (0.0, 0.0, 0.0)
    if body.keys:
        key_motion(owner, body.keys, builder.scene)
    if body.follow:
        _keep_follow(owner, body.follow, builder.scene)
        settings.follow_let_go = body.released
    _keep_contact(settings, body, builder.mechanism.contact)
    return owner


def _keep_follow(owner: bpy.types.Object, follow: Follow, scene: bpy.types.Scene) -> None:
    settings = owner.ves
    settings.follows, settings.follow_space = True, follow.relative_to.upper()
    settings.follow_gravity_only = follow.gravity_only
    settings.use_follow_max_force = follow.max_force is not None
    settings.follow_blend_back = follow.blend_time * scene.render.fps / scene.render.fps_base
    for name in ("frequency", "damping_ratio", "weight", "feed_forward", "max_force"):
        if getattr(follow, name) is not None:
            put_numbers(owner, f"follow_{name}", [getattr(follow, name)], scene)


def build_contact(builder: Builder, contact: Contact) -> None:
    """The scene's Contact, its ground, and the pairs that ignore each other."""
    settings = builder.scene.ves
    settings.use_contact, settings.use_ground = contact.enabled, contact.ground is not None
    if contact.ground is not None:
        settings.ground_height = contact.ground.height
        settings.ground_friction, settings.ground_restitution = contact.ground.friction, contact.ground.restitution
        settings.ground_softness = contact.ground.softness
        settings.ground_static_friction = contact.ground.static_friction or 0.0
        settings.ground_stribeck_speed = contact.ground.stribeck_speed
    for one, other in contact.ignore:
        ignore(builder.objects[one], builder.objects[other])


def _look(body: Body, fallback: float) -> Geometry:
    try:
        return together([look_of(shape) for shape in body.shapes])
    except (NoVolumeError, ValueError):  # a hull that is flat, or no shape at all
        return Geometry(_box_corners(body, fallback), BOX_FACES, False)


def _keep_contact(settings: bpy.types.PropertyGroup, body: Body, contact: Contact | None) -> None:
    if body.shapes:
        has_mesh = any(isinstance(shape, Mesh) for shape in body.shapes)
        settings.contact_shape = "COMPOUND" if len(body.shapes) > 1 else KINDS[type(body.shapes[0])]
        if has_mesh:
            settings.contact_shape = "MESH"
    settings.collide = bool(body.shapes) or contact is None
    material = body.material or Material()
    if body.material is not None or body.shapes:
        settings.contact_friction, settings.contact_restitution = material.friction, material.restitution
        settings.contact_softness = material.softness
        settings.contact_static_friction = material.static_friction or 0.0
        settings.contact_stribeck_speed = material.stribeck_speed


def _keep_mass(settings: bpy.types.PropertyGroup, body: Body, look: Geometry) -> None:
    if body.mass is None:
        return
    settings.mass, settings.mass_source = body.mass, "GIVEN"
    inertia = _matrix(body.inertia)
    if inertia is None or _tells(look, body, inertia):
        return
    settings.use_inertia = True
    settings.center_of_mass = body.center_of_mass
    settings.inertia_moments = np.diag(inertia).tolist()
    settings.inertia_products = (inertia[0, 1], inertia[0, 2], inertia[1, 2])


def _tells(look: Geometry, body: Body, inertia: np.ndarray) -> bool:
    """True if the mass, spread over the volume of the mesh, has this inertia."""
    triangles = [(face[0], face[i], face[i + 1]) for face in look.faces for i in range(1, len(face) - 1)]
    try:
        solid = solid_of_triangles(look.points, np.array(triangles))
    except NoVolumeError:
        return False
    size = np.sqrt(np.trace(inertia) / body.mass)
    is_there = np.abs(solid.center_of_mass - body.center_of_mass).max() <= SAME * size
    off = np.abs(solid.inertia * body.mass / solid.volume - inertia).max()
    return bool(is_there and off <= SAME * np.abs(inertia).max())


def _matrix(inertia: tuple | None) -> np.ndarray | None:
    if inertia is None:
        return None
    inertia = np.array(inertia, dtype=np.float64)
    return np.diag(inertia) if inertia.ndim == 1 else inertia


def _sharpen(mesh: bpy.types.Mesh) -> None:
    """The rims of cylinders stay sharp."""
    mesh.set_sharp_from_angle(angle=np.radians(40.0))


def _box_corners(body: Body, fallback: float) -> np.ndarray:
    """Corners (8, 3) in the body frame of the box with the body's mass and inertia; a cube if it has none."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
    center = np.array(body.center_of_mass, dtype=np.float64)
    inertia = _matrix(body.inertia)
    if body.mass is None or inertia is None:
        return center + 0.5 * fallback * signs
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0.0:
        axes = -axes
    squares = 6.0 * (moments.sum() - 2.0 * moments) / body.mass
    sides = np.sqrt(np.maximum(squares, 0.0))
    sides = np.maximum(sides, THINNEST * sides.max())
    return center + (0.5 * sides * signs) @ axes.T
