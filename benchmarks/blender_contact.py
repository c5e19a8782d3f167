# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of contact as Blender's own rigid bodies.

`python -m benchmarks.blender_contact SCENE NUMBER SUBSTEPS REPEATS FILE` prints seconds as JSON; FILE gets the motion.
"""

import json
import sys
import time

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from solver.mechanism import Body, Box, Cylinder

from .contact_scenes import BUILDERS, FRAME_RATE, Scene

ITERATIONS = 10  # Blender's default
GROUND = (60.0, 60.0, 1.0)  # m: half sizes of the box that is the ground


def new_world(scene: Scene, frame_rate: int, substeps: int) -> int:
    """An empty file with a rigid body world; the number of its last frame."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    stage = bpy.context.scene
    last = round(scene.duration * frame_rate) + 1
    stage.frame_start, stage.frame_end, stage.render.fps = 1, last, frame_rate
    stage.use_gravity, stage.gravity = True, scene.mechanism.gravity
    bpy.ops.rigidbody.world_add()
    world = stage.rigidbody_world
    world.substeps_per_frame, world.solver_iterations = substeps, ITERATIONS
    world.point_cache.frame_start, world.point_cache.frame_end = 1, last
    return last


def build(scene: Scene) -> list[bpy.types.Object]:
    """The scene's bodies as objects, on a ground; joints as point constraints."""
    ground = _add_object("ground", _box_mesh(GROUND), Matrix.Translation((0.0, 0.0, -GROUND[2])))
    _make_rigid(ground, "BOX", None, scene)
    objects = {body.name: _add_body(body, scene) for body in scene.mechanism.bodies}
    for joint in scene.mechanism.joints:
        empty = bpy.data.objects.new(joint.name, None)
        bpy.context.scene.collection.objects.link(empty)
        empty.matrix_world = Matrix.Translation(joint.position)
        bpy.context.view_layer.objects.active = empty
        bpy.ops.rigidbody.constraint_add(type="POINT")
        constraint = empty.rigid_body_constraint
        constraint.object1, constraint.object2 = objects[joint.parent], objects[joint.child]
        constraint.disable_collisions = True
    bpy.context.view_layer.update()
    return list(objects.values())


def _add_body(body: Body, scene: Scene) -> bpy.types.Object:
    turn = Quaternion(body.orientation or (1.0, 0.0, 0.0, 0.0)).to_matrix().to_4x4()
    pose = Matrix.Translation(body.position) @ turn
    if isinstance(body.shape, Box):
        made = _add_object(body.name, _box_mesh(body.shape.half_size), pose)
        _make_rigid(made, "BOX", body.mass, scene)
    elif isinstance(body.shape, Cylinder):
        r, h = body.shape.radius, body.shape.half_length
        made = _add_object(body.name, _box_mesh((r, r, h)), pose)  # Bullet takes a cylinder's size from its bounds
        _make_rigid(made, "CYLINDER", body.mass, scene)
    else:
        raise ValueError(f"body '{body.name}': no likeness here for a {body.shape.type}")
    return made


def _box_mesh(half_size) -> bpy.types.Mesh:
    x, y, z = half_size
    mesh = bpy.data.meshes.new("box")
    corners = [(i * x, j * y, k * z) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    mesh.from_pydata(corners, [], [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    return mesh


def _add_object(name: str, mesh: bpy.types.Mesh, pose: Matrix) -> bpy.types.Object:
    made = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(made)
    made.matrix_world = pose
    return made


def _make_rigid(made: bpy.types.Object, shape: str, mass: float | None, scene: Scene) -> None:
    """Bullet multiplies the two surfaces' numbers, so each gets the square root of what the pair shall have."""
    bpy.context.view_layer.objects.active = made
    bpy.ops.rigidbody.object_add()
    body = made.rigid_body
    body.type, body.collision_shape = ("PASSIVE" if mass is None else "ACTIVE"), shape
    if mass is not None:
        body.mass = mass
    body.friction, body.restitution = scene.surface.friction**0.5, scene.surface.restitution**0.5
    body.linear_damping = body.angular_damping = 0.0
    body.use_deactivation = False
    body.use_margin, body.collision_margin = True, 0.0


def timed(scene: Scene, substeps: int) -> float:
    """Seconds of stepping through all frames, which makes the built-in simulate them."""
    last = new_world(scene, FRAME_RATE, substeps)
    build(scene)
    begun = time.perf_counter()
    for frame in range(1, last + 1):
        bpy.context.scene.frame_set(frame)
    return time.perf_counter() - begun


def moved(scene: Scene, substeps: int) -> dict[str, np.ndarray]:
    """Poses and velocities at all frames: the same run with each substep as a frame, for Blender tells no velocities.

    Its integrator moves a body by its new velocity, so that the way of one substep is the velocity.
    """
    rate = FRAME_RATE * substeps
    last = new_world(scene, rate, 1)
    objects, kept, before = build(scene), [], None
    for frame in range(1, last + 1):
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        now = [ob.evaluated_get(graph).matrix_world.copy() for ob in objects]
        if (frame - 1) % substeps == 0:
            kept.append([_state(pose, earlier, rate) for pose, earlier in zip(now, before or now, strict=True)])
        before = now
    states = np.array(kept)
    names = ("position", "orientation", "linear_velocity", "angular_velocity")
    return dict(zip(names, np.split(states, (3, 7, 10), axis=2), strict=True))


def _state(pose: Matrix, earlier: Matrix, rate: int) -> list[float]:
    """Position, orientation, velocity, angular velocity."""
    turn = pose.to_quaternion()
    between = turn @ earlier.to_quaternion().inverted()
    sine = Vector((between.x, between.y, between.z))
    angle = 2.0 * np.arctan2(sine.length, between.w)
    angle = (angle + np.pi) % (2.0 * np.pi) - np.pi
    spin = sine.normalized() * (angle * rate)
    return [*pose.translation, *turn, *((pose.translation - earlier.translation) * rate), *spin]


def main() -> None:
    name, number, substeps, repeats, path = sys.argv[1:]
    scene = BUILDERS[name](int(number))
    seconds = [timed(scene, int(substeps)) for _ in range(int(repeats))]
    np.savez(path, **moved(scene, int(substeps)))
    print("\n" + json.dumps({"version": bpy.app.version_string, "seconds": seconds}))


if __name__ == "__main__":
    main()
