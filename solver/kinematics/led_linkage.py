# SPDX-License-Identifier: GPL-3.0-or-later
"""One linkage that is led: its arrays, and what leads from them back to the mechanism's joints and bodies."""

from collections.abc import Sequence

import numpy as np

from ..mechanism import Mechanism
from ..mechanism.messages import Part
from ..model.arrays import State, new_scratch, records
from ..model.linkage.compilation import Compiled
from .arrays import Work, new_work, plan_of
from .axes import axis_limits, joint_of_axes
from .bound import bound
from .steps import (
    ARRIVED,
    RESULT,
    lead,
    settle,
    write_poses,
)


class LedLinkage:
    """A linkage without contact joints, closed where it was compiled.

    drives: names of joints whose coordinate leads; those of other linkages take no part.
    """

    def __init__(self, mechanism: Mechanism, compiled: Compiled, drives: Sequence[str]) -> None:
        self.mechanism, self.compiled, self.model = mechanism, compiled, compiled.model
        self.scratch = new_scratch(self.model)
        self.joint_of_axis = joint_of_axes(mechanism, compiled.linkage)
        place = {name: axis for axis, (name, number) in reversed(list(enumerate(self.joint_of_axis))) if number == 0}
        self.drives = [name for name in drives if name in place]
        self.plan = plan_of(compiled, [place[name] for name in self.drives], axis_limits(mechanism, compiled.linkage))
        self._unite(compiled.state, new_work(self.model, self.plan, len(compiled.state.anchor)))
        leaders = compiled.places[1 : self.model.driven]  # places of driven bodies in the mechanism
        self._leader_rows = np.flatnonzero(leaders >= 0) + 1
        self._leader_bodies = leaders[leaders >= 0]
        self.result = records(1, RESULT)
        self._result = {name: self.result[name] for name in RESULT.names}  # a recarray takes its time to find a field
        settle(self.model, self.state, self.scratch, self.plan, self.work, self.result)
        self._lead = bound(lead, self.model, self.state, self.scratch, self.plan, self.work, self.result)
        whole = self.compiled.linkage.whole
        self.bodies = np.array(self.compiled.linkage.bodies[:whole])
        self.positions, self.orientations = np.empty((whole, 3)), np.empty((whole, 4))
        poses = self.positions, self.orientations
        own, centers = np.ascontiguousarray(compiled.own_rotation.reshape(-1, 9)), compiled.center_of_mass
        self._write = bound(write_poses, self.scratch.bodies, self.model.driven, own, centers, *poses)

    def take_leaders(self, positions: np.ndarray, orientations: np.ndarray) -> None:
        """Notes poses that driven bodies shall be led to: rows of those of all bodies."""
        if len(self._leader_rows):
            self.work.last_pose[self._leader_rows, :3] = positions[self._leader_bodies]
            self.work.last_pose[self._leader_rows, 3:] = orientations[self._leader_bodies]

    def lead(self, values: np.ndarray) -> bool:
        """Leads drives (D,) and what `take_leaders` was told there; False if it stops on the way."""
        self.work.last_value[:] = values
        self._lead()
        return self._result["status"][0] == ARRIVED

    def place(self) -> None:
        """Fills positions (n, 3) m and orientations (n, 4): frames of `bodies`, its whole dynamic ones."""
        self._write()

    def standing(self) -> np.ndarray:
        """A copy of all that the next lead depends on: a pose, and the direction that the linkage was led in."""
        return self._standing.copy()

    def stand(self, standing: np.ndarray) -> None:
        """Puts it back to what `standing` has given; bodies are placed by the next lead."""
        self._standing[:] = standing

    def _unite(self, state: State, work: Work) -> None:
        """Keeps what `standing` copies in one array, of which those that kernels know are parts."""
        arrays = state.coordinates, state.anchor, work.pose, work.value, work.tangent, work.lead_before
        self._standing = np.concatenate([array.ravel() for array in arrays])
        ends = np.cumsum([array.size for array in arrays])
        parts = [part.reshape(a.shape) for part, a in zip(np.split(self._standing, ends[:-1]), arrays, strict=True)]
        self.state = state._replace(coordinates=parts[0], anchor=parts[1])
        self.work = work._replace(pose=parts[2], value=parts[3], tangent=parts[4], lead_before=parts[5])

    @property
    def status(self) -> int:
        """The end of the last lead: one of those in `steps`."""
        return int(self._result["status"][0])

    @property
    def reached(self) -> float:
        """The part of its way that the last lead has gone."""
        return float(self._result["reached"][0])

    @property
    def error(self) -> float:
        """The largest opening, rad or parts of the linkage's size."""
        return float(self._result["error"][0])

    @property
    def pivot(self) -> float:
        """Distance of the pose from a dead centre: 1 far, 0 there."""
        return float(self._result["pivot"][0])

    @property
    def stopping_joint(self) -> str | None:
        """The joint at whose limit the last lead has ended."""
        axis = int(self._result["axis"][0])
        return None if axis < 0 else self.joint_of_axis[axis][0]

    def weakest_parts(self) -> list[Part]:
        """Joints and constraints of the loops that are nearest to a dead centre."""
        block = int(self._result["block"][0])
        return [] if block < 0 else self.parts_of_block(block)

    def parts_of_block(self, block: int) -> list[Part]:
        """The joints and constraints whose rows are in a block."""
        rows = self.plan.rows[self.plan.block_rows[block] : self.plan.block_rows[block + 1]]
        closures = dict.fromkeys(self.model.rows.closure[rows].tolist())
        joints = {self.joint_of_axis[a][0] for a in self._axes_of(block)}
        parts = [self._part(k) for k in closures]
        named = [("joint", joint.name) for joint in self.mechanism.joints if joint.name in joints]
        return list(dict.fromkeys([*named, *parts]))

    def _axes_of(self, block: int) -> list[int]:
        return self.plan.columns[self.plan.block_columns[block] : self.plan.block_columns[block + 1]].tolist()

    def _part(self, closure: int) -> Part:
        source = self.compiled.sources[closure]
        if source.kind == "constraint":
            return "constraint", self.mechanism.constraints[source.index].name
        return "joint", self.mechanism.joints[source.index].name
