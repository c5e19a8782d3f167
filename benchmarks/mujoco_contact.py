# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism with contact in MuJoCo: free and jointed bodies, fixed ones on its world, keyed ones as mocap bodies.

Settings are those for stiff contact: elliptic cones, and constraints as quick as MuJoCo advises (two steps). Its mocap
bodies have no velocity: they push, but do not carry by friction.
"""

from collections.abc import Iterator

import mujoco
import numpy as np

from solver.mechanism import Body, Box, Capsule, Cylinder, Hull, Joint, Material, Mechanism, Mesh, Shape, Sphere
from solver.mechanism.keyed_motion import sample
from solver.model.poses import rotation_matrices

STEPS_TO_SETTLE = 2.0  # time constant of a contact, in steps: MuJoCo's own least
IMPEDANCE = (0.95, 0.99, 0.001, 0.5, 2.0)
FRICTION_OVER_NORMAL = 10.0  # `impratio`: friction that hardly creeps
_AXES = {
    "revolute": [("hinge", 2)],
    "prismatic": [("slide", 2)],
    "spherical": [("ball", None)],
    "universal": [("hinge", 0), ("hinge", 1)],
    "fixed": [],
}


class MujocoScene:
    """The scene at its start; `step` moves it on. Raises ValueError for what MuJoCo cannot take."""

    def __init__(self, mechanism: Mechanism, step: float) -> None:
        self.mechanism, self.spec = mechanism, mujoco.MjSpec()
        self._set_options(step)
        self._nodes: dict[str, tuple] = {}
        self._speeds: list = []
        self._add_ground()
        for body in mechanism.bodies:
            if body.motion != "dynamic":
                self._add_still(body)
        for body, joint in ordered(mechanism):
            self._add_dynamic(body, joint)
        self._leave_out()
        self.model = self.spec.compile()
        self.data = mujoco.MjData(self.model)
        self.data.qvel[:] = np.concatenate([*self._speeds, np.zeros(0)])
        self._keyed = [
            (self.model.body(body.name).mocapid[0], body.keys) for body in mechanism.bodies if body.motion == "keyed"
        ]
        self._ids = [self.model.body(body.name).id for body in mechanism.bodies]
        mujoco.mj_forward(self.model, self.data)

    def step(self, count: int = 1) -> None:
        """Moves on by so many steps."""
        if not self._keyed:
            mujoco.mj_step(self.model, self.data, count)
            return
        for _ in range(count):
            for mocap, keys in self._keyed:
                place, turn, _, _ = sample(keys, np.array([self.data.time]))
                self.data.mocap_pos[mocap], self.data.mocap_quat[mocap] = place[0], turn[0]
            mujoco.mj_step(self.model, self.data)

    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """((B, 3), (B, 4)) in the mechanism's order, of the last state that was stepped to."""
        mujoco.mj_kinematics(self.model, self.data)
        return self.data.xpos[self._ids].copy(), self.data.xquat[self._ids].copy()

    def velocities(self) -> tuple[np.ndarray, np.ndarray]:
        """((B, 3), (B, 3)): of the bodies' origins, and angular; world axes."""
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_comVel(self.model, self.data)
        found = np.empty((len(self._ids), 6))
        for row, body in zip(found, self._ids, strict=True):
            mujoco.mj_objectVelocity(self.model, self.data, mujoco.mjtObj.mjOBJ_XBODY, body, row, 0)
        return found[:, 3:], found[:, :3]

    def _set_options(self, step: float) -> None:
        option = self.spec.option
        option.timestep, option.gravity = step, self.mechanism.gravity
        option.cone, option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, FRICTION_OVER_NORMAL
        option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST

    def solref(self, material: Material) -> tuple[float, float]:
        """Time constant and damping ratio of a contact; MuJoCo knows no restitution."""
        return STEPS_TO_SETTLE * self.spec.option.timestep, 1.0

    def _add_ground(self) -> None:
        contact = self.mechanism.contact
        if contact is None or contact.ground is None:
            return
        ground = contact.ground
        geom = self.spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], pos=[0, 0, ground.height])
        self._set_surface(geom, Material(ground.friction, ground.restitution))

    def _add_still(self, body: Body) -> None:
        place, turn = _pose(body)
        node = self.spec.worldbody.add_body(name=body.name, pos=place, quat=_quaternion(turn))
        node.mocap = body.motion == "keyed"
        self._add_shapes(node, body)
        self._nodes[body.name] = node, place, turn

    def _add_dynamic(self, body: Body, joint: Joint | None) -> None:
        place, turn = _pose(body)
        inner, inner_place, inner_turn = self.spec.worldbody, np.zeros(3), np.eye(3)
        is_child = joint is not None and joint.child == body.name
        other = None if joint is None else joint.parent if is_child else joint.child
        if other is not None:
            inner, inner_place, inner_turn = self._nodes[other]
        node = inner.add_body(
            name=body.name, pos=inner_turn.T @ (place - inner_place), quat=_quaternion(inner_turn.T @ turn)
        )
        if joint is None:
            node.add_freejoint()
            spin = np.zeros(3) if body.angular_velocity is None else turn.T @ body.angular_velocity
            self._speeds += [np.zeros(3) if body.linear_velocity is None else np.array(body.linear_velocity), spin]
        else:
            self._add_joint(node, joint, place, turn, 1.0 if is_child else -1.0)
        node.mass, node.explicitinertial, node.ipos = body.mass, True, body.center_of_mass
        inertia = np.array(body.inertia)
        if inertia.ndim == 1:
            node.inertia = inertia
        else:
            node.fullinertia = [*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
        self._add_shapes(node, body)
        self._nodes[body.name] = node, place, turn

    def _add_joint(self, node, joint: Joint, place: np.ndarray, turn: np.ndarray, sense: float) -> None:
        frame = turn.T @ rotation_matrices(joint.orientation)[0]
        if joint.type not in _AXES:
            raise ValueError(f"joint '{joint.name}': this scene's {joint.type} joint has no likeness in MuJoCo here")
        for number, (kind, column) in enumerate(_AXES[joint.type]):
            added = node.add_joint(type=getattr(mujoco.mjtJoint, f"mjJNT_{kind.upper()}"))
            added.pos = turn.T @ (np.array(joint.position) - place)
            if column is not None:
                added.axis = sense * frame[:, column]
                self._speeds.append(np.array(joint.speeds[number : number + 1] if joint.speeds else [0.0]))
            else:
                self._speeds.append(np.zeros(3) if joint.speeds is None else sense * frame @ joint.speeds)

    def _add_shapes(self, node, body: Body) -> None:
        for number, shape in enumerate(body.shapes):
            geom = node.add_geom(pos=shape.position, quat=shape.orientation)
            geom.type, geom.size, geom.meshname = self._form(f"{body.name} {number}", shape)
            self._set_surface(geom, body.material or Material())

    def _form(self, name: str, shape: Shape) -> tuple:
        kinds = mujoco.mjtGeom
        if isinstance(shape, Sphere):
            return kinds.mjGEOM_SPHERE, [shape.radius, 0, 0], ""
        if isinstance(shape, Box):
            return kinds.mjGEOM_BOX, shape.half_size, ""
        if isinstance(shape, Capsule | Cylinder):
            kind = kinds.mjGEOM_CAPSULE if isinstance(shape, Capsule) else kinds.mjGEOM_CYLINDER
            return kind, [shape.radius, shape.half_length, 0], ""
        if isinstance(shape, Hull):
            self.spec.add_mesh(
                name=name, uservert=np.ravel(shape.points), inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
            )
            return kinds.mjGEOM_MESH, [0, 0, 0], name
        raise ValueError(f"shape of '{name}': MuJoCo would take the hull of a {Mesh.type}")

    def _set_surface(self, geom, material: Material) -> None:
        geom.friction = [material.friction, 0.0, 0.0]
        geom.condim, geom.solref, geom.solimp = 3, self.solref(material), IMPEDANCE

    def _leave_out(self) -> None:
        pairs = [(joint.parent, joint.child) for joint in self.mechanism.joints if joint.parent is not None]
        contact = self.mechanism.contact
        for one, other in pairs + list(contact.ignore if contact else ()):
            self.spec.add_exclude(bodyname1=one, bodyname2=other)
        if contact is None or not contact.enabled:
            self.spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT


def ordered(mechanism: Mechanism) -> Iterator[tuple[Body, Joint | None]]:
    """Dynamic bodies from each tree's root outward, each with its joint inward. Raises ValueError for a loop."""
    bodies = {body.name: body for body in mechanism.bodies if body.motion == "dynamic"}
    left, reached = (
        list(mechanism.joints),
        {body.name for body in mechanism.bodies if body.motion != "dynamic"} | {None},
    )
    while bodies:
        at_hand = [joint for joint in left if (joint.parent in reached) != (joint.child in reached)]
        for joint in at_hand:
            left.remove(joint)
            name = joint.child if joint.parent in reached else joint.parent
            if name in reached:
                raise ValueError(f"joint '{joint.name}' closes a loop")
            reached.add(name)
            yield bodies.pop(name), joint
        if not at_hand:
            if any(joint.parent in reached and joint.child in reached for joint in left):
                raise ValueError("a joint closes a loop")
            name = next(iter(bodies))
            reached.add(name)
            yield bodies.pop(name), None


def _pose(body: Body) -> tuple[np.ndarray, np.ndarray]:
    place = np.zeros(3) if body.position is None else np.array(body.position)
    return place, rotation_matrices(body.orientation or (1.0, 0.0, 0.0, 0.0))[0]


def _quaternion(turn: np.ndarray) -> np.ndarray:
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(turn).ravel())
    return quaternion
