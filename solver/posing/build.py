# SPDX-License-Identifier: GPL-3.0-or-later
"""From a model to the posing engine's arrays: the assembly tree with its handles."""

import numpy as np

from ..model.arrays import Kind, Model, State, records
from ..model.assembly_tree import AssemblyTree, assembly_tree
from .arrays import (
    BINADES,
    BLOCK,
    FRAME,
    JOINED_SIZE,
    JOINT,
    LEAF,
    NODE,
    P_SIZE,
    Q_SIZE,
    ROW,
    STEP,
    Linkage,
    Queue,
    aligned,
)
from .assemble_any_joint import WORK_SIZE
from .joint_frames import ORDER, PLAIN
from .leaf import LINK_WORK
from .leaves import bodies_of, find_leaves, new_links, order_links, pose_between

HANDLE = np.dtype([*FRAME.descr, ("order", "i4", 6)])  # with the order of its components


def posing_linkage(model: Model, state: State, rotation: np.ndarray, center: np.ndarray, grain: int) -> Linkage:
    """The arrays of a model of trees. They share the coordinates of `state`.

    rotation (N, 9), center (N, 3): where the driven bodies stand. grain: the most bodies of a leaf.
    """
    return _Builder(model, state, rotation, center, grain).build()


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
        last=records(1, STEP),
        stamp=np.zeros(nodes, np.int64),
        marked=np.zeros(nodes, np.int64),
        is_marked=np.zeros(nodes, bool),
    )


class _Builder:
    def __init__(self, model: Model, state: State, rotation: np.ndarray, center: np.ndarray, grain: int) -> None:
        self.model, self.state, self.rotation, self.center, self.grain = model, state, rotation, center, grain
        self.bodies = len(model.bodies)
        self.tree: AssemblyTree = assembly_tree(model.bodies.inner, model.driven)
        self.order = np.array(ORDER, np.int32)
        self.rows = self.tree.assemblies
        going_on = self.rows.joint[self.bodies :][self.rows.rakes[self.bodies :] == 0]
        self.going_on = np.full(self.bodies, -1)  # the outer body to which a body's path goes on
        self.going_on[model.bodies.inner[going_on]] = going_on

    def build(self) -> Linkage:
        """The assembly tree as arrays, at the pose and with the handles that it was given."""
        self._number()
        nodes = records(len(self.assembly) + 1 + len(self.tree.wholes), NODE)
        nodes.first, nodes.second, nodes.hub, nodes.parent, nodes.leaf, nodes.body = -1, -1, -1, -1, -1, -1
        self._join(nodes)
        hub_nodes = np.flatnonzero(nodes.hub >= 0)
        poses = np.zeros((len(nodes), 12))
        near, far, _, _ = self._handles(self.assembly[hub_nodes - 1])
        poses[hub_nodes] = pose_between(near, far)
        hub_poses = np.hstack([near.rotation, near.point])
        hubs = aligned(2 * BLOCK * max(1, len(hub_nodes)))
        matrices = hubs[: 2 * BLOCK * len(hub_nodes)].reshape(-1, 2, 6, ROW)
        matrices[:, 0, :, :6], matrices[:, 1, :, :6] = _force_matrices(near), _force_matrices(far)
        leaves, links, frames, body = self._leaves(nodes)
        link_of, node_of = np.zeros(self.bodies, np.int64), np.zeros(self.bodies, np.int64)
        link_of[body] = np.arange(len(body))
        node_of[body] = np.repeat(np.flatnonzero(nodes.leaf >= 0), leaves.end - leaves.start)
        link_poses = np.zeros((len(links), 12))
        link_poses[leaves.start, :9] = np.eye(3).ravel()
        return Linkage(
            nodes=nodes,
            joints=self._joints(),
            bases=np.arange(len(self.assembly) + 1, len(nodes)),
            leaves=leaves,
            links=links,
            link_of=link_of,
            node_of=node_of,
            frames=frames[link_of],
            data=aligned(self._layout(nodes)),
            hubs=hubs,
            force=aligned(2 * ROW * len(nodes)),
            rows=aligned(2 * ROW * int(links.axes.sum())),
            link_poses=link_poses,
            push=aligned(ROW * len(links)),
            poses=poses,
            hub_poses=hub_poses,
            base_poses=self._base_poses(),
            world=np.zeros((len(nodes), 12)),
            work=aligned(max(WORK_SIZE, LINK_WORK * int((leaves.end - leaves.start).max()))),
            T_parent=np.zeros((6, 6)),
            T_child=np.zeros((6, 6)),
            coordinates=self.state.coordinates,
            anchor=self.state.anchor,
            accelerations=np.zeros(len(self.state.coordinates)),
        )

    def _number(self) -> None:
        """Assemblies that become nodes, in the order in which they are put together: parts right before their whole."""
        rows, count = self.rows, len(self.rows)
        self.is_leaf = find_leaves(self.tree, self.model, self.grain)
        kept = self.is_leaf.copy()
        for i in range(count - 1, self.bodies - 1, -1):
            if rows.parent[i] < 0 or (kept[rows.parent[i]] and not self.is_leaf[rows.parent[i]]):
                kept[i] = True
        numbers = np.flatnonzero(kept)
        place = np.where(numbers < self.bodies, rows.parent[numbers] - 0.5, numbers)
        self.assembly = numbers[np.argsort(place, kind="stable")]
        self.node = np.zeros(count, np.int64)
        self.node[self.assembly] = 1 + np.arange(len(self.assembly))

    def _join(self, nodes: np.recarray) -> None:
        """The parts of nodes: the first is the one whose far handle is the whole's near one."""
        model, rows, assembly, wholes = self.model, self.rows, self.assembly, self.tree.wholes
        joined, bases = assembly[~self.is_leaf[assembly]], np.arange(len(assembly) + 1, len(nodes))
        at, inner, outer = self.node[joined], rows.inner[joined], rows.outer[joined]
        has_outer_first = self._is_inner_of(rows.parent[joined], joined) & (rows.rakes[joined] == 0)
        nodes.body[at] = rows.joint[joined]
        nodes.first[at] = self.node[np.where(has_outer_first, outer, inner)]
        nodes.second[at] = self.node[np.where(has_outer_first, inner, outer)]
        nodes.parent[self.node[inner]] = nodes.parent[self.node[outer]] = at
        nodes.sign[at] = model.bodies.direction[rows.joint[joined]] * np.where(has_outer_first, 1.0, -1.0)
        hung = at[rows.rakes[joined] == 1]
        nodes.hub[hung] = 2 * BLOCK * np.arange(len(hung))
        leaves = self.node[assembly[self.is_leaf[assembly]]]
        nodes.leaf[leaves], nodes.joints[at], nodes.joints[bases] = np.arange(len(leaves)), 1, 1
        tops = rows.top[wholes]
        nodes.body[bases], nodes.first[bases], nodes.second[bases] = tops, 0, self.node[wholes]
        nodes.parent[self.node[wholes]] = bases
        nodes.sign[bases] = -model.bodies.direction[tops]

    def _is_inner_of(self, parent: np.ndarray, assembly: np.ndarray) -> np.ndarray:
        return (parent >= 0) & (self.rows.inner[parent] == assembly)

    def _handles(self, assembly: np.ndarray) -> tuple[np.recarray, np.recarray, np.ndarray, np.ndarray]:
        """Near and far handles of leaves and hubs, and the bodies that they are on.

        A far handle that nothing takes is its body's centre of mass.
        """
        rows = self.rows[assembly]
        is_inner = self._is_inner_of(rows.parent, assembly)
        is_raked = is_inner & (self.rows.rakes[rows.parent] == 1)
        top, bottom = rows.top, np.where(rows.bottom < 0, rows.top, rows.bottom)
        inward, outward = _centers(len(assembly)), _centers(len(assembly))
        self._fill_inner(inward, np.arange(len(assembly)), top)
        goes_on = np.flatnonzero(self.going_on[bottom] >= 0)
        self._fill_outer(outward, goes_on, self.going_on[bottom[goes_on]])
        near, far, turned = inward.copy(), outward.copy(), np.flatnonzero(is_inner)
        near[turned], far[turned] = outward[turned], inward[turned]
        near_body, far_body = np.where(is_inner, bottom, top), np.where(is_inner, top, bottom)
        raked = np.flatnonzero(is_raked)
        self._fill_outer(near, raked, self.rows.joint[rows.parent[raked]])
        far[raked], near_body[raked], far_body[raked] = _centers(len(raked)), top[raked], top[raked]
        return near, far, near_body, far_body

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

    def _leaves(self, nodes: np.recarray) -> tuple[np.recarray, np.recarray, np.recarray, np.ndarray]:
        """Leaves, their links with their frames, and the links' bodies."""
        numbers = self.assembly[self.is_leaf[self.assembly]]
        near, far, near_body, far_body = self._handles(numbers)
        leaves, body, inner = records(len(numbers), LEAF), [], []
        all_inner = self.model.bodies.inner.tolist()
        for k, number in enumerate(numbers.tolist()):
            start = len(body)
            ordered = order_links(int(near_body[k]), bodies_of(number, self.tree, self.bodies), all_inner)
            body += [link for link, _ in ordered]
            inner += [start + place if place >= 0 else -1 for _, place in ordered]
            leaves[k].start, leaves[k].end = start, len(body)
            leaves[k].last = body.index(int(far_body[k]), start)
        leaves.near_place, leaves.far_place = np.argsort(near.order, axis=1), np.argsort(far.order, axis=1)
        nodes.joints[nodes.leaf >= 0] = leaves.end - leaves.start - 1
        body = np.array(body)
        leaf_of = np.repeat(np.arange(len(leaves)), leaves.end - leaves.start)
        links, frames = new_links(self.model, body, np.array(inner), near[leaf_of])
        leaves.row_start, leaves.row_end = (
            links.row[leaves.start],
            links.row[leaves.end - 1] + links.axes[leaves.end - 1],
        )
        ends = pose_between(frames[leaves.last], far)
        leaves.rotation, leaves.point = ends[:, :9], ends[:, 9:]
        return leaves, links, frames, body

    def _layout(self, nodes: np.recarray) -> int:
        """Gives every node its place in the data, behind zeros for the world and for what has no joints."""
        is_joined = nodes.first >= 0
        sizes = np.where(is_joined, JOINED_SIZE, np.where(nodes.joints > 0, P_SIZE + Q_SIZE, P_SIZE))
        sizes[0] = Q_SIZE
        ends = np.cumsum(sizes)
        nodes.at = ends - sizes
        nodes.q_at = np.where(nodes.joints > 0, nodes.at + P_SIZE, 0)
        return int(ends[-1])

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


def _force_matrices(handles: np.recarray) -> np.ndarray:
    """(n, 6, 6) from a handle's force to (moment, force) at the centre of mass."""
    R = handles.rotation.reshape(-1, 3, 3)
    G = np.zeros((len(handles), 6, 6))
    G[:, :3, :3] = G[:, 3:, 3:] = R
    G[:, :3, 3:] = np.cross(handles.point[:, None, :], np.swapaxes(R, 1, 2)).swapaxes(1, 2)
    return np.take_along_axis(G, np.repeat(handles.order[:, None, :], 6, axis=1), axis=2)
