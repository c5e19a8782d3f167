# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of a computation: their words and numbers, and the integrator and arrays that each linkage gets by them."""

import dataclasses
import math

from ..contact.detection.collision import unavailable
from ..contact.detection.shape_problems import shape_problems
from ..contact.soft.parameters import rough_pairs
from ..dynamics.implicit.workspace import MOST_ROWS, rows_of
from ..integration import FIXED_STEPS
from ..integration.adaptive.limits import refuse_what_is_no_smooth_tree
from ..integration.quasi_static.limits import refuse_what_moves
from ..integration.variational.limits import fitting_interval, refuse_what_jumps
from ..mechanism import Balance, Mechanism, Reach
from ..mechanism.error import refuse, refuse_run
from ..mechanism.forces import Support
from ..mechanism.messages import Message
from ..mechanism.value_rules import shown
from ..model.arrays import AUTO, COMPOSITE, DIVIDE, LAGRANGE, PROPAGATION, RECURSIVE
from ..model.linkage.compilation import ERROR_BOUND, SETTLING, Compiled, compile_for_impulses
from ..model.linkage.loose_bodies import compile_quickly
from ..model.moment import Moment
from ..model.topology import Linkage, find_linkages
from .catching.courses import CANNOT_LET_GO, refuse_one_sided
from .catching.grips import refuse_rubbing_ropes
from .integrator_choice import may_be_stiff
from .run_limits import refuse_number, refuse_steps, refuse_substeps

METHODS = {
    "auto": AUTO,
    "recursive": RECURSIVE,
    "composite": COMPOSITE,
    "propagation": PROPAGATION,
    "lagrange": LAGRANGE,
    "divide": DIVIDE,
}
INTEGRATORS = {
    name: name
    for name in ("auto", "adams", "runge-kutta", "implicit", "variational", "impulse", "quasi-static", "adaptive")
}
_STEPS = 480.0  # a second, of the integrators with fixed steps at a relative tolerance of 1e-6,
_OWN_STEPS = {"quasi-static": 96.0, "adaptive": 24.0}  # and of these


@dataclasses.dataclass(frozen=True)
class Options:
    """Options of a computation: method by its number, integrator by its name, (relative, absolute) tolerance.

    integrator "auto" is "impulse" for linkages that may touch something or stick to supports, else "adams".
    interval (s): of fixed steps;
    `is_given` tells that it was asked for, so that a linkage that needs shorter ones does not get them.
    between: poses that are recorded on the way to each frame. settling (s): of the quasi-static integrator.
    error_bound (rad/s2): of the adaptive one.
    """

    method: int
    integrator: str
    tolerances: tuple[float, float]
    interval: float
    is_given: bool = False
    between: int = 0
    settling: float = SETTLING
    error_bound: float = ERROR_BOUND

    def integrator_for(self, linkage: Linkage) -> str:
        """The integrator of one linkage."""
        if self.integrator != "auto":
            return self.integrator
        return "impulse" if linkage.touches or linkage.balances or linkage.sticks else "adams"

    def may_change(self, linkage: Linkage) -> bool:
        """True if the integrator of a linkage may change to the implicit one and back on the way."""
        return self.integrator == "auto" and self.integrator_for(linkage) == "adams"

    def is_soft(self, linkage: Linkage) -> bool:
        """True if bodies that touch push each other apart by forces, not by impulses."""
        return linkage.touches and self.integrator_for(linkage) not in FIXED_STEPS

    def compile(
        self, mechanism: Mechanism, linkage: Linkage, moment: Moment | None = None, method: int | None = None
    ) -> Compiled:
        """One linkage, by the given method if its integrator knows more than one.

        Impulses have methods of their own, and keep limits of spherical joints by rows instead of stops. Raises
        MechanismError for what this integrator cannot do.
        """
        return self._compile(mechanism, [linkage], moment, self.method if method is None else method)[0]

    def _compile(
        self, mechanism: Mechanism, linkages: list[Linkage], moment: Moment | None, method: int
    ) -> list[Compiled]:
        for linkage in linkages:
            self._refuse(mechanism, linkage)
        by_steps = [each for each in linkages if self.integrator_for(each) == "impulse"]
        others = [each for each in linkages if self.integrator_for(each) != "impulse"]
        compiled = {id(each.linkage): each for each in compile_quickly(mechanism, others, method, moment)}
        for linkage in by_steps:
            found = compiled[id(linkage)] = compile_for_impulses(mechanism, linkage, moment)
            found.model = found.model._replace(stop_stiffness=0.0)
        for found in compiled.values():
            found.settling, found.error_bound = self.settling, self.error_bound
            if self.integrator in ("implicit", "quasi-static"):
                _refuse_rows(mechanism, found, self.integrator)
            if self.integrator == "variational" and found.model.method == LAGRANGE:
                _refuse_held_rows(mechanism, found)
        return [compiled[id(linkage)] for linkage in linkages]

    def _refuse(self, mechanism: Mechanism, linkage: Linkage) -> None:
        """Raises MechanismError for what the integrator of a linkage cannot do, as far as its parts tell."""
        if self.integrator_for(linkage) == "variational":
            names = [mechanism.joints[j].name for j in linkage.rides]
            refuse(Message("ride-by-variational", ("joint", name)) for name in names)
            refuse_what_jumps(mechanism, linkage)
        if self.integrator_for(linkage) == "quasi-static":
            refuse_what_moves(mechanism, linkage)
        if self.integrator in ("implicit", "variational"):
            refuse_rubbing_ropes(mechanism, self.integrator)
        if self.integrator_for(linkage) == "adaptive":
            refuse_what_is_no_smooth_tree(mechanism, linkage)
        if self.integrator_for(linkage) in CANNOT_LET_GO:
            refuse_one_sided(mechanism, linkage, self.integrator)
        if linkage.balances and self.integrator_for(linkage) != "impulse":
            _refuse_balance(mechanism, linkage, self.integrator)
        if self.integrator_for(linkage) != "impulse":
            _refuse_sticking(mechanism, linkage, self.integrator)

    def interval_for(self, compiled: Compiled, time: float) -> float:
        """s: fixed steps of a linkage that starts at a time (s)."""
        if self.is_given or self.integrator_for(compiled.linkage) != "variational":
            return self.interval
        return fitting_interval(compiled, time, self.interval, self.tolerances[0])

    def refuse_endless(self, linkages: list[Compiled], duration: float) -> None:
        """Raises RunError if steps of one length are too many in so long a time (s)."""
        for compiled in linkages:
            if self.integrator_for(compiled.linkage) in FIXED_STEPS:
                refuse_steps(duration, self.interval)

    def with_integrators(self, linkages: list[Compiled]) -> list[tuple[str, Compiled]]:
        """Each linkage with the name of its integrator, and again with that which may take over on the way."""
        named = [(self.integrator_for(compiled.linkage), compiled) for compiled in linkages]
        stiff = [each for each in linkages if self.may_change(each.linkage) and may_be_stiff(each)]
        return named + [("implicit", compiled) for compiled in stiff]

    def compile_all(self, mechanism: Mechanism) -> list[Compiled]:
        """All linkages of a mechanism. Raises MechanismError for what this integrator cannot do."""
        linkages = find_linkages(mechanism)
        if self.integrator == "variational" and any(linkage.touches for linkage in linkages):
            refuse([Message("contact-by-variational")])
        if self.integrator == "quasi-static" and any(linkage.touches for linkage in linkages):
            refuse([Message("contact-by-quasi-static")])
        if self.integrator == "adaptive" and any(linkage.touches for linkage in linkages):
            refuse([Message("contact-by-adaptive")])
        compiled = self._compile(mechanism, linkages, None, self.method)
        _refuse_what_cannot_be_found(compiled)
        wrong = [problem for each in compiled for problem in each.figure_problems]
        wrong += [hand for each in linkages for hand in _hands_apart(mechanism, each) if hand not in wrong]
        wrong += dict.fromkeys(p for each in compiled if each.surfaces for p in shape_problems(each.surfaces.parts))
        refuse(wrong)
        refuse(
            Message("rough-pair", *parts, integrator=self.integrator, shapes=shapes)
            for each in compiled
            if self.is_soft(each.linkage)
            for shapes, parts in rough_pairs(each.surfaces, each.model.driven).items()
        )
        return compiled


def _refuse_balance(mechanism: Mechanism, linkage: Linkage, integrator: str) -> None:
    """Torques that are decided once a step need steps of one length, and points of contact."""
    balances = [mechanism.forces[i] for i in linkage.forces if isinstance(mechanism.forces[i], Balance)]
    refuse(Message("balance-needs-impulse", ("force", each.name), integrator=integrator) for each in balances)


def _hands_apart(mechanism: Mechanism, linkage: Linkage) -> list[Message]:
    """Hands of a linkage that has no figure."""
    forces = [mechanism.forces[i] for i in linkage.forces if isinstance(mechanism.forces[i], Reach)]
    return [] if linkage.balances else [Message("hand-apart", ("force", f.name), body=f.body) for f in forces]


def _refuse_sticking(mechanism: Mechanism, linkage: Linkage, integrator: str) -> None:
    """Forces that push bodies apart, and rounded ones of supports, let creep what they hold."""
    forces = [mechanism.forces[i] for i in linkage.forces]
    stuck = [("force", each.name, "static_friction") for each in forces if isinstance(each, Support) and each.sticks]
    if linkage.touches:
        bodies = [each for each in mechanism.bodies if each.touching_shapes and each.material is not None]
        stuck += [("body", each.name, "material.static_friction") for each in bodies if each.material.sticks]
        ground = mechanism.contact.ground
        if ground is not None and ground.sticks:
            stuck.append(("contact", "ground", "static_friction"))
    refuse(Message("sticks-by-force", part[:2], what=part[2], integrator=integrator) for part in stuck)


def _refuse_rows(mechanism: Mechanism, compiled: Compiled, integrator: str) -> None:
    """Raises MechanismError for more rows than implicit steps can take together."""
    rows = rows_of(compiled.model)
    if rows > MOST_ROWS:
        body = mechanism.bodies[compiled.linkage.bodies[0]].name
        refuse([Message("rows-by-implicit", ("body", body), integrator=integrator, rows=rows, most=MOST_ROWS)])


def _refuse_held_rows(mechanism: Mechanism, compiled: Compiled) -> None:
    """Raises MechanismError for axes that may be held: among the rows of this method they look like folded loops."""
    model, linkage = compiled.model, compiled.linkage
    if model.closing == 0:
        return
    numbers = dict.fromkeys(linkage.joint[body - model.driven] for body in model.switched.body.tolist())
    what, remedy = "friction, limits and motors with a maximum in loops by method lagrange", "take method recursive"
    parts = [("joint", mechanism.joints[number].name) for number in numbers if number is not None]
    refuse(Message("jumps-by-variational", part, what=what, remedy=remedy) for part in parts)


def read_options(
    frame_rate: float,
    relative: float = 1e-6,
    absolute: float | None = None,
    method: str = "auto",
    integrator: str = "auto",
    substeps: int | None = None,
    between: int = 0,
    settling: float | None = None,
    error_bound: float | None = None,
) -> Options:
    """Options from their words and numbers, which are those of `Simulation`. Raises RunError."""
    absolute = 0.1 * relative if absolute is None else absolute
    for name, value in (("frame_rate", frame_rate), ("relative", relative), ("absolute", absolute)):
        refuse_number(name, value, may_be_zero=name == "absolute")
    settling = SETTLING if settling is None else settling
    refuse_number("settling", settling, may_be_zero=True)
    error_bound = ERROR_BOUND if error_bound is None else error_bound
    refuse_number("error_bound", error_bound, may_be_zero=True)
    if integrator == "adaptive" and method not in ("auto", "recursive"):
        refuse_run(Message("adaptive-method"))
    return Options(
        _choose("method", method, METHODS),
        _choose("integrator", integrator, INTEGRATORS),
        (relative, absolute),
        _step_interval(frame_rate, relative, substeps, _OWN_STEPS.get(integrator, _STEPS)),
        substeps is not None,
        between,
        settling,
        error_bound,
    )


def _choose(kind: str, name: str, known: dict) -> int | str:
    """The meaning of an option's word. Raises RunError for one that is unknown."""
    if name not in known:
        refuse_run(Message("unknown-word", option=kind, value=shown(name), known=", ".join(known)))
    return known[name]


def _step_interval(frame_rate: float, relative: float, substeps: int | None, rate: float) -> float:
    """s: the length of steps, a whole number of them in a frame; `rate` of them a second at a tolerance of 1e-6."""
    if substeps is None:
        substeps = max(1, math.ceil(rate * (1e-6 / relative) ** 0.25 / frame_rate))
    else:
        refuse_substeps(substeps)
    return 1.0 / frame_rate / int(substeps)


def note_on_integrators(options: Options, linkages: list[Compiled]) -> list[str]:
    """Says which integrator was taken."""
    taken = sorted({options.integrator_for(each.linkage) for each in linkages}) or ["adams"]
    if len(taken) == 1:
        is_soft = any(options.is_soft(each.linkage) for each in linkages)
        return [Message("integrator", taken=taken[0]), *([Message("soft-contact")] if is_soft else [])]
    return [Message("integrator", taken="impulse for what may touch something, adams for the rest")]


def _refuse_what_cannot_be_found(linkages: list[Compiled]) -> None:
    """Raises MechanismError if bodies may touch each other and nothing is there to find where."""
    touching = [each.surfaces for each in linkages if each.surfaces is not None and each.surfaces.has_pairs]
    reason = unavailable() if touching else None
    if reason:
        parts = dict.fromkeys(("body", part.name) for part in touching[0].parts)
        refuse([Message("no-detection", *parts, reason=reason)])
