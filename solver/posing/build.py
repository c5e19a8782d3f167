# SPDX-License-Identifier: GPL-3.0-or-later
"""From a model to the posing engine's arrays: the assembly tree with its handles."""

import numpy as np

from ..mechanism.assembly_tree import AssemblyTree, assembly_tree
from ..mechanism.model import Kind, Model, State, records
from .any_joint import WORK_SIZE
from .arrays import (
    BINADES,
    BLOCK,
    HANDLE,
    JOINED_SIZE,
    JOINT,
    NODE,
    Q_SIZE,
    ROW,
    SINGLE_SIZE,
    Linkage,
    Queue,
    aligned,
)
from .joint_frames import ORDER, PLAIN


def posing_linkage(model: Model, state: State, rotation: np.ndarray, center: np.ndarray) -> Linkage:
    """The arrays of a model of trees. They share the coordinates of `state`.

    rotation (N, 9), center (N, 3): where the driven bodies stand.
    """
    return _Builder(model, state, rotation, center).build()


def new_queue(linkage: Linkage) -> Queue:
    """An empty queue."""
    nodes = len(linkage.nodes)
    key = np.zeros(nodes)
    return Queue(
        key=key,
        bits=key.view(np.int64),
        foremost=np.full(BINADES, -1),
        behind=np.zeros(nodes, np.int64),
        solved=np.zeros(nodes, np.int64),
        changed=np.zeros(nodes, np.int64),
        count=np.zeros(3, np.int64),
        stamp=np.zeros(nodes, np.int64),
        marked=np.zeros(nodes, np.int64),
        is_marked=np.zeros(nodes, bool),
        size=np.zeros(6),
    )


class _Builder:
    def __init__(self, model: Model, state: State, rotation: np.ndarray, center: np.ndarray) -> None:
        self.model, self.state, self.rotation, self.center = model, state, rotation, center
        self.bodies = len(model.bodies)
        self.tree: AssemblyTree = assembly_tree(model.bodies.inner, model.driven)
        self.order = np.array([ORDER[Kind(kind)] for kind in range(len(Kind))], np.int32)
        rows = self.tree.assemblies[self.bodies :]
        going_on = rows.joint[rows.rakes == 0]
        self.going_on = np.full(self.bodies, -1)  # the outer body to which a body's path goes on
        self.going_on[model.bodies.inner[going_on]] = going_on

    def build(self) -> Linkage:
        """The assembly tree as arrays, at the pose and with the handles that it was given."""
        bodies, assemblies, bases = self.bodies, len(self.tree.assemblies), len(self.tree.wholes)
        nodes = records(assemblies + bases, NODE)
        nodes.first, nodes.second, nodes.hub, nodes.parent = -1, -1, -1, -1
        nodes.body[:bodies] = np.arange(bodies)
        self._join(nodes)
        near, far, hubs, hub_poses = self._handles(nodes)
        poses = np.zeros((len(nodes), 12))
        poses[:bodies] = _pose_between(near, far)
        joined = np.flatnonzero(nodes.hub >= 0)
        poses[joined] = _pose_between(self.hub_near, self.hub_far)
        size = self._layout(nodes)
        dynamic = slice(self.model.driven, None)
        inverse = np.zeros((bodies, 7))
        inverse[dynamic, :6] = _inverse_of_symmetric(self.model.bodies.inertia[dynamic])
        inverse[dynamic, 6] = 1.0 / self.model.bodies.mass[dynamic]
        return Linkage(
            nodes=nodes,
            joints=self._joints(),
            bases=np.arange(assemblies, assemblies + bases),
            near=near,
            far=far,
            inverse_inertia=inverse,
            data=aligned(size),
            hubs=hubs,
            force=aligned(2 * ROW * len(nodes)),
            poses=poses,
            hub_poses=hub_poses,
            base_poses=self._base_poses(),
            world=np.zeros((len(nodes), 12)),
            work=aligned(WORK_SIZE),
            T_parent=np.zeros((6, 6)),
            T_child=np.zeros((6, 6)),
            coordinates=self.state.coordinates,
            anchor=self.state.anchor,
            accelerations=np.zeros(len(self.state.coordinates)),
            push=aligned(ROW * bodies),
        )

    def _join(self, nodes: np.recarray) -> None:
        """The parts of nodes: the first is the one whose far handle is the whole's near one."""
        model, rows, wholes = self.model, self.tree.assemblies, self.tree.wholes
        joined, bases = np.arange(self.bodies, len(rows)), np.arange(len(rows), len(nodes))
        is_inner = np.zeros(len(rows), bool)
        is_inner[rows.inner[joined]] = True
        inner, outer = rows.inner[joined], rows.outer[joined]
        outer_first = is_inner[joined] & (rows.rakes[joined] == 0)
        nodes.body[joined] = rows.joint[joined]
        nodes.first[joined], nodes.second[joined] = np.where(outer_first, [outer, inner], [inner, outer])
        nodes.parent[inner] = nodes.parent[outer] = joined
        nodes.sign[joined] = model.bodies.direction[rows.joint[joined]] * np.where(outer_first, 1.0, -1.0)
        tops = rows.top[wholes]
        nodes.body[bases], nodes.first[bases], nodes.second[bases] = tops, 0, wholes
        nodes.parent[wholes] = bases
        nodes.sign[bases] = -model.bodies.direction[tops]

    def _handles(self, nodes: np.recarray) -> tuple[np.recarray, np.recarray, np.ndarray, np.ndarray]:
        """Handles of single bodies, and matrices and poses of hubs.

        A body's far handle that nothing takes is its centre of mass.
        """
        rows, bodies = self.tree.assemblies, self.bodies
        hub_nodes = bodies + np.flatnonzero(rows.rakes[bodies:])
        nodes.hub[hub_nodes] = 2 * BLOCK * np.arange(len(hub_nodes))
        single = np.array([*range(bodies), *hub_nodes])
        single = single[nodes.parent[single] >= 0]
        body, parent = rows.top[single], nodes.parent[single]
        of_joint = np.minimum(parent, len(rows) - 1)
        is_inner = (parent < len(rows)) & (rows.inner[of_joint] == single)
        is_raked = is_inner & (rows.rakes[of_joint] == 1)
        going_on = self.going_on[body]
        inward, outward = _centers(len(rows)), _centers(len(rows))
        self._fill_inner(inward, single, body)
        self._fill_outer(outward, single[going_on >= 0], going_on[going_on >= 0])
        near, far = inward.copy(), outward.copy()
        turned = single[is_inner]
        near[turned], far[turned] = outward[turned], inward[turned]
        raked = single[is_raked]
        self._fill_outer(near, raked, nodes.body[parent[is_raked]])
        far[raked] = _centers(len(raked))
        near.place, far.place = np.argsort(near.order, axis=1), np.argsort(far.order, axis=1)
        self.hub_near, self.hub_far = near[hub_nodes], far[hub_nodes]
        hubs = aligned(2 * BLOCK * max(1, len(hub_nodes)))
        matrices = hubs[: 2 * BLOCK * len(hub_nodes)].reshape(-1, 2, 6, ROW)
        matrices[:, 0, :, :6], matrices[:, 1, :, :6] = _force_matrices(self.hub_near), _force_matrices(self.hub_far)
        poses = np.hstack([self.hub_near.rotation, self.hub_near.point])
        return near[:bodies], far[:bodies], hubs, poses

    def _fill_inner(self, handles: np.recarray, at: np.ndarray, body: np.ndarray) -> None:
        """Of the joints that these bodies hang on."""
        handles.rotation[at] = np.eye(3).ravel()
        handles.point[at] = -self.model.bodies.center_offset[body]
        handles.order[at] = self.order[self.model.bodies.kind[body]]

    def _fill_outer(self, handles: np.recarray, at: np.ndarray, outer: np.ndarray) -> None:
        """Of the joints to these outer bodies."""
        handles.rotation[at] = self.model.bodies.joint_rotation[outer]
        handles.point[at] = self.model.bodies.joint_point[outer]
        handles.order[at] = self.order[self.model.bodies.kind[outer]]

    def _layout(self, nodes: np.recarray) -> int:
        """Gives every node its place in the data, parts close to their whole; returns the size."""
        first, second = nodes.first.tolist(), nodes.second.tolist()
        at = [-1] * len(nodes)
        end = Q_SIZE  # before: zeros, as the Q of single bodies
        for i in range(self.bodies, len(nodes)):
            for part in (first[i], second[i]):
                if at[part] < 0:
                    at[part] = end
                    end += SINGLE_SIZE
            at[i] = end
            end += JOINED_SIZE
        nodes.at = at
        nodes.q_at[self.bodies :] = nodes.at[self.bodies :] + SINGLE_SIZE
        return end

    def _joints(self) -> np.recarray:
        model = self.model
        joints = records(self.bodies, JOINT)
        joints.kind, joints.pitch = model.bodies.kind, model.bodies.pitch
        joints.chart, joints.axis_start = model.bodies.chart, model.bodies.axis_start
        joints.held = 6 - (model.bodies.axis_end - model.bodies.axis_start)
        joints.order = self.order[model.bodies.kind]
        joints.cosine = 1.0
        weight = np.where(model.is_length, 1.0 / model.size**2, 1.0)
        counts = np.where(model.bodies.kind == Kind.FREE, 0, 6 - joints.held)
        for k in range(6):
            has = np.flatnonzero(counts > k)
            joints.weight[has, k] = weight[model.bodies.axis_start[has] + k]
        return joints

    def _base_poses(self) -> np.ndarray:
        """The inner side of the joints that trees hang on, in the world."""
        tops = self.tree.assemblies.top[self.tree.wholes]
        bodies = self.model.bodies
        inner = bodies.inner[tops]
        R = self.rotation[inner].reshape(-1, 3, 3)
        points = self.center[inner] + np.einsum("bij,bj->bi", R, bodies.joint_point[tops])
        turned = R @ bodies.joint_rotation[tops].reshape(-1, 3, 3)
        return np.hstack([turned.reshape(-1, 9), points])


def _centers(count: int) -> np.recarray:
    """Handles at centres of mass."""
    handles = records(count, HANDLE)
    handles.rotation, handles.order = np.eye(3).ravel(), PLAIN
    return handles


def _pose_between(near: np.recarray, far: np.recarray) -> np.ndarray:
    """(n, 12) far handles in the frames of near ones."""
    R, S = near.rotation.reshape(-1, 3, 3), far.rotation.reshape(-1, 3, 3)
    back = np.swapaxes(R, 1, 2)
    return np.hstack([(back @ S).reshape(-1, 9), np.einsum("bij,bj->bi", back, far.point - near.point)])


def _force_matrices(handles: np.recarray) -> np.ndarray:
    """(n, 6, 6) from a handle's force to (moment, force) at the centre of mass."""
    R = handles.rotation.reshape(-1, 3, 3)
    G = np.zeros((len(handles), 6, 6))
    G[:, :3, :3] = G[:, 3:, 3:] = R
    G[:, :3, 3:] = np.cross(handles.point[:, None, :], np.swapaxes(R, 1, 2)).swapaxes(1, 2)
    return np.take_along_axis(G, np.repeat(handles.order[:, None, :], 6, axis=1), axis=2)


def _inverse_of_symmetric(S: np.ndarray) -> np.ndarray:
    """(n, 6) of (n, 6)"""
    full = S[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
    return np.linalg.inv(full).reshape(-1, 9)[:, [0, 1, 2, 4, 5, 8]]
