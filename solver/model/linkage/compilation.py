# SPDX-License-Identifier: GPL-3.0-or-later
"""From what a person means to arrays: one Model, its first State and the way back for each linkage.

Symbols as in `numbering`; `tree_arrays` and `closing_arrays` fill the arrays.
"""

from dataclasses import dataclass, field

import numpy as np

from ...mechanism.description import Mechanism
from ...mechanism.error import refuse
from ...mechanism.forces import Expression
from ...mechanism.messages import Message, Part
from ..arrays import (
    AUTO,
    COMPOSITE,
    DIVIDE,
    LAGRANGE,
    PROPAGATION,
    RECURSIVE,
    SPARSE,
    ClosedTreeModel,
    CompositeModel,
    DivideModel,
    Kind,
    LagrangeModel,
    Model,
    PropagationModel,
    SparseModel,
    State,
)
from ..assembly_tree import assembly_tree, no_assembly
from ..balance import Figures
from ..closures import Backlash, Drums, Source
from ..collision_shapes import Surfaces
from ..elimination.elimination import no_elimination
from ..moment import Moment
from ..propagation_plan import PropagationPlan, propagation_plan
from ..topology import Linkage, find_linkages
from .closing_arrays import ClosingArrays
from .elimination_rows import elimination_of
from .initial_state import starting_state
from .linkage_surfaces import surfaces_in
from .mass_ratios import refuse_mass_ratios
from .method_choice import (
    lagrange_cost,
    least_lagrange_cost,
    least_propagation_cost,
    propagation_cost,
    recursive_cost,
)
from .nearly_redundant import Offset, lined_up

SETTLING = 0.1  # s: settling time of the quasi-static integrator, if none is given
ERROR_BOUND = 0.1  # rad/s2, sizes/s2: of accelerations that the adaptive integrator leaves out, if none is given
_OTHERS = (
    (LAGRANGE, least_lagrange_cost, lagrange_cost),
    (PROPAGATION, least_propagation_cost, propagation_cost),
)  # methods besides RECURSIVE: the least that each may cost, known before its model is made, and what it does
_IN_A_FIELD = 0.02  # s: longest step where an expression may ask for something that is soon over,
_PASSED = {"x", "y", "z", "t"}  # by these
_KEYS_IN_A_STEP = 4.0  # longest step, so that no motion of a keyed body is stepped over


@dataclass
class Compiled:
    """One linkage, ready to run, and what leads from its arrays back to the mechanism's lists."""

    linkage: Linkage
    model: Model
    state: State
    sources: list[Source]  # what each closure stands for
    places: np.ndarray  # (B,): of all bodies in the mechanism, -1 for the world and what points follow
    own_rotation: np.ndarray  # (n, 3, 3): body frame in the kernels' axes of the dynamic bodies
    center_of_mass: np.ndarray  # (n, 3) m, body frame
    stops: np.ndarray  # s: where a table bends or a keyed body starts or stops
    longest_step: float  # s
    surfaces: Surfaces | None  # of a linkage that may touch something
    figures: Figures  # those that keep their balance, and what is wrong with them if this is the start
    figure_problems: list[str]
    backlashes: dict[str, Backlash]  # of gears and racks, by their names
    drums: dict[str, Drums]  # of ropes, by their names
    offsets: list[Offset] = field(default_factory=list)  # joints of loops that are off a drawing that moves
    settling: float = SETTLING  # s: of the quasi-static integrator
    error_bound: float = ERROR_BOUND  # rad/s2, sizes/s2: of the adaptive integrator


def part_of(mechanism: Mechanism, source: Source) -> Part:
    """The joint or constraint of a closure, by kind and name."""
    if source.kind in ("constraint", "grip"):
        return "constraint", mechanism.constraints[source.index].name
    return "joint", mechanism.joints[source.index].name


def compile_linkages(mechanism: Mechanism, method: int = AUTO, moment: Moment | None = None) -> list[Compiled]:
    """Every linkage of a mechanism without problems, as it starts or at a moment of its motion.

    Raises MechanismError naming what this version cannot solve.
    """
    return [compile_linkage(mechanism, linkage, method, moment) for linkage in find_linkages(mechanism)]


def compile_linkage(mechanism: Mechanism, linkage: Linkage, method: int, moment: Moment | None = None) -> Compiled:
    """One linkage of a mechanism that can be solved; AUTO takes what is likely the quickest method."""
    mechanism, offsets = lined_up(mechanism, linkage)
    compiler = _Compiler(mechanism, linkage, moment)
    if method == DIVIDE and (compiler.is_held or linkage.within_backlash):
        refuse(compiler.non_tree_parts())
    if method == DIVIDE and Kind.CONTACT in compiler.kinds:
        rides = [joint.name for joint in compiler.joints if joint is not None and joint.type == "contact"]
        refuse(Message("ride-by-divide", ("joint", name)) for name in rides)
    compiled = compiler.compile(compiler.quickest() if method == AUTO else method)
    if compiler.is_held or method in (LAGRANGE, DIVIDE):
        refuse_mass_ratios(mechanism, linkage)
    compiled.offsets = offsets
    return compiled


def compile_for_impulses(mechanism: Mechanism, linkage: Linkage, moment: Moment | None = None) -> Compiled:
    """One linkage for steps with impulses, which need the recursion's pivots; many loops go by sparse factors."""
    mechanism, offsets = lined_up(mechanism, linkage)
    compiler = _Compiler(mechanism, linkage, moment)
    compiled = compiler.compile(compiler.quickest_with_pivots())
    compiled.offsets = offsets
    return compiled


class _Compiler(ClosingArrays):
    """Builds the model of one linkage for a method, and finds the quickest one."""

    def __init__(self, mechanism: Mechanism, linkage: Linkage, moment: Moment | None) -> None:
        super().__init__(mechanism, linkage, moment)
        self._made: dict[int, tuple[Model, list[Source]]] = {}

    @property
    def is_held(self) -> bool:
        """True if anything but the trees' own joints holds the bodies."""
        linkage = self.linkage
        return bool(linkage.closing or linkage.constraints or len(linkage.bodies) > linkage.whole or self.led)

    def non_tree_parts(self) -> list[str]:
        """One line for each joint that closes a loop and each constraint: what only trees have no place for."""
        joints, linkage = self.mechanism.joints, self.linkage
        closing = [*linkage.closing, *linkage.joint[linkage.whole :]]
        held = [Message("loop-by-divide", ("joint", joints[j].name)) for j in closing]
        held += [Message("keyed-by-divide", ("joint", self.joints[k].name)) for k, _ in self.led]
        constraints = [*self.constraints, *(self.mechanism.constraints[i] for i in linkage.within_backlash)]
        return held + [Message("constraint-by-divide", ("constraint", each.name)) for each in constraints]

    def quickest(self) -> int:
        """The method whose evaluations are likely to take the least time."""
        if not self.is_held:
            return RECURSIVE
        first, _ = self._models(RECURSIVE)
        best, least = RECURSIVE, recursive_cost(first)
        for method, bound, cost in _OTHERS:
            if bound(first) < least and (found := cost(self._models(method)[0])) < least:
                best, least = method, found
        return best

    def quickest_with_pivots(self) -> int:
        """The same for steps with impulses: RECURSIVE, or SPARSE where loops are many."""
        if not self.is_held:
            return RECURSIVE
        model, _ = self._models(RECURSIVE)
        dense = recursive_cost(model)
        if dense <= least_lagrange_cost(model):
            return RECURSIVE  # and no order of elimination need be found
        return RECURSIVE if dense <= lagrange_cost(self._models(SPARSE)[0]) else SPARSE

    def _models(self, method: int) -> tuple[Model, list[Source]]:
        """The model for a method, and what each closure stands for; made once."""
        if method not in self._made:
            self._made[method] = self._make_model(method)
        return self._made[method]

    def _make_model(self, method: int) -> tuple[Model, list[Source]]:
        fields, keys, *_ = self.tree_fields
        keys = dict(keys)
        closures, sources = self.closure_fields(method, keys, fields["size"])
        bodies, size = fields["bodies"], fields["size"]
        model = self._class(method)(
            method=method,
            **fields,
            **keys,
            **closures,
            elimination=no_elimination(),
            propagation=self._propagation(method, bodies, closures, size),
            assembly=assembly_tree(bodies.inner, self.first) if method == DIVIDE else no_assembly(),
        )
        if method in (LAGRANGE, SPARSE):
            model = model._replace(elimination=elimination_of(model, sources, self.start[1]))
        return model, sources

    def compile(self, method: int) -> Compiled:
        """All arrays of the linkage."""
        model, sources = self._models(method)
        *_, figures, problems, stops = self.tree_fields
        return Compiled(
            linkage=self.linkage,
            model=model,
            state=starting_state(self, model),
            sources=sources,
            places=self.places,
            own_rotation=self.own_rotation,
            center_of_mass=self.center_of_mass[self.first :],
            stops=stops,
            longest_step=self._longest_step(),
            surfaces=surfaces_in(self) if self.linkage.touches else None,
            figures=figures,
            figure_problems=problems,
            backlashes=self.backlashes(model.bodies),
            drums=self.drums(model.bodies),
        )

    def _class(self, method: int) -> type[Model]:
        """The class of models that this linkage and method need."""
        if method == LAGRANGE:
            return LagrangeModel
        if method == SPARSE:
            return SparseModel
        if not self.is_held:
            return {COMPOSITE: CompositeModel, DIVIDE: DivideModel}.get(method, Model)
        return PropagationModel if method == PROPAGATION else ClosedTreeModel

    def _propagation(self, method: int, bodies: np.recarray, closures: dict, size: float) -> PropagationPlan:
        """For constraint propagation, and for the method of Lagrange, whose start it settles."""
        closing = closures["closing"] if method in (PROPAGATION, LAGRANGE, SPARSE) else 0
        inner = bodies.inner if closing > 0 else bodies.inner[:0]
        unit = np.where(closures["rows"].is_length[:closing], 1.0 / size, 1.0)
        return propagation_plan(inner, self.first, closures["closures"][closures["closures"].row_start < closing], unit)

    def _longest_step(self) -> float:
        intervals = [
            np.median(np.diff(body.keys.times))
            for body in self.bodies[: self.first - 1]
            if body.motion == "keyed" and len(body.keys.times) > 1
        ]
        intervals += [
            np.median(np.diff(body.keys.times))
            for body in self.bodies[self.first - 1 :]
            if body.follow is not None and len(body.keys.times) > 1
        ]
        intervals += [np.median(np.diff(table.times)) for table in self.leading_tables() if len(table.times) > 1]
        longest = float(_KEYS_IN_A_STEP * min(intervals, default=np.inf))
        fields = (force for force in self.forces if isinstance(force, Expression) and force.enabled)
        return min(longest, _IN_A_FIELD) if any(force.names & _PASSED for force in fields) else longest
