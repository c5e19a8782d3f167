# SPDX-License-Identifier: GPL-3.0-or-later
"""The choice between Adams and the implicit integrator on the way, by what each costs per second of motion.

Adams tells when stability bounds its steps. Then the implicit integrator is tried for a while, and stays if it gets
farther for its price; from time to time Adams is tried again, less and less often. Prices are counted in evaluations,
never in seconds, so that a motion repeats to the bit.
"""

import math
from typing import NamedTuple

import numpy as np

from ..dynamics.forces.laws import Form, form_of, resistance_of
from ..dynamics.forces.points import first_parameter
from ..dynamics.forces.spring import spring_numbers
from ..dynamics.forces.support import support_numbers
from ..dynamics.forces.tyre import tyre_numbers
from ..dynamics.implicit.workspace import SYSTEM_PRICE, rows_of
from ..integration import Status
from ..mechanism import Mechanism
from ..mechanism.arithmetic import NAMES, Step
from ..mechanism.messages import Part
from ..model.arrays import AXIS_PARAMETERS, DAMPING, MOTOR_DAMPING, MOTOR_STIFFNESS, STIFFNESS, Model
from ..model.linkage.compilation import Compiled
from ..model.parameters import acting
from .recording import Change

_TRIAL, _STAY, _LONGEST_STAY = 300, 3000, 200_000  # evaluations
_BETTER = 1.5  # times as far for the same price: the implicit integrator stays, or Adams takes over again
_QUICK = 100.0  # 1/s: what springs and dampers must be able to do before a linkage may be stiff
_LEVER = 4.0  # times its mass alone: how easily a body gives way at a point aside of its centre
_MOST_ROWS = 200  # of loops and of springs between bodies, which the implicit integrator takes together
_DEAF, _MOST_DEAF = 200, 20_000  # stiff steps of Adams that are let pass after a trial in vain
_COUNTS, _CLOCK = {"evaluations", "steps", "systems"}, ("time", "fastest")  # that one integrator hands on to the next


class Standing(NamedTuple):
    """A run as it stands: the name of its integrator, its status, time (s), evaluations, and memory."""

    integrator: str
    status: Status
    time: float
    evaluations: int
    memory: tuple


class IntegratorChoice:
    """The choice for one linkage, with the changes that it has made."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self._is_trial, self._due = False, np.inf
        self._pace = 0.0  # s of motion for the price of an evaluation, by the integrator before
        self._mark = 0.0, 0.0  # time and price at which this one began
        self._stay, self._deaf = _STAY, _DEAF

    @property
    def due(self) -> float:
        """Evaluations after which a decision is due."""
        return self._due

    def watches(self, integrator: str) -> bool:
        """True if this integrator is to tell when the motion is stiff."""
        return integrator == "adams" and not self._is_trial

    def deaf_steps(self) -> int:
        """Stiff steps that Adams lets pass when it begins again."""
        return self._deaf if self.changes or self._deaf > _DEAF else 0

    def next(self, run: Standing) -> str | None:
        """The integrator that takes over now, if another does."""
        if self.watches(run.integrator):
            if run.status != Status.STIFF:
                return None
            clock, counts = run.memory.clock[0], run.memory.counts[0]
            self._pace = (clock.time - clock.stiff_since) / max(1, counts.evaluations - counts.stiff_evaluations)
            return self._try(run, "implicit")
        if run.evaluations < self._due:
            return None
        time, price = self._mark
        pace = (run.time - time) / max(1.0, _price(run) - price)
        if not self._is_trial:  # it has stayed for a while
            self._pace = pace
            return self._try(run, "adams")
        return self._settle(run, pace)

    def changes_of(self, integrator: str) -> list[Change]:
        """The changes until now, that to an implicit integrator which is still on trial included."""
        on_trial = self._is_trial and integrator == "implicit"
        return [*self.changes, Change(self._mark[0], integrator, math.nan)] if on_trial else self.changes

    def _try(self, run: Standing, other: str) -> str:
        self._is_trial, self._due = True, run.evaluations + _TRIAL
        self._mark = run.time, float(run.evaluations)
        return other

    def _settle(self, run: Standing, pace: float) -> str | None:
        """After a trial: which of the two goes on."""
        self._is_trial = False
        change = Change(self._mark[0], run.integrator, pace / self._pace if self._pace > 0.0 else math.inf)
        if run.integrator == "implicit":
            if pace > _BETTER * self._pace:
                self.changes.append(change)
                self._stay = _STAY
                self._go_on(run)
                return None
            self._due, self._deaf = np.inf, min(_MOST_DEAF, 4 * self._deaf)
            return "adams"
        if pace > _BETTER * self._pace:
            self.changes.append(change)
            self._due, self._deaf = np.inf, _DEAF
            return None
        self._stay = min(_LONGEST_STAY, 2 * self._stay)
        self._go_on(run)
        return "implicit"

    def _go_on(self, run: Standing) -> None:
        self._due = run.evaluations + self._stay
        self._mark = run.time, _price(run)


def _price(run: Standing) -> float:
    """Evaluations of a run so far, linear systems included."""
    counts = run.memory.counts
    systems = float(counts["systems"][0]) if "systems" in counts.dtype.names else 0.0
    return run.evaluations + SYSTEM_PRICE * systems


def may_be_stiff(compiled: Compiled) -> bool:
    """True if springs or dampers could move parts of a linkage so quickly that it might become stiff.

    Each is taken with the lighter of its bodies alone, as if nothing else held it back.
    """
    model = compiled.model
    if rows_of(model) > _MOST_ROWS or not (len(model.sprung) or len(model.forces)):
        return False
    if np.any(model.closures.friction > 0.0):
        return False  # of ropes that rub the implicit integrator knows nothing
    if len(model.followed) or _has_fields(model):
        return True
    of_forces = (_rate_of_force(model, number) for number in range(len(model.forces)))
    return max(_rates_of_joints(model), default=0.0) > _QUICK or any(rate > _QUICK for rate in of_forces)


def _has_fields(model: Model) -> bool:
    """True if an expression asks for place or velocity; how steep it becomes there, nobody knows before."""
    asks = (model.programs.step == Step.NAME) & (model.programs.number < NAMES.index("t"))
    return bool(np.any(asks))


def stiffest_part(mechanism: Mechanism, compiled: Compiled) -> Part | None:
    """The joint or force whose spring or damper could move what it acts on the most quickly; None if none does."""
    model, linkage = compiled.model, compiled.linkage
    of_axes = _rates_of_joints(model)
    of_forces = np.array([_rate_of_force(model, number) for number in range(len(model.forces))])
    if max(of_axes.max(initial=0.0), of_forces.max(initial=0.0)) == 0.0:
        return None
    if of_forces.max(initial=0.0) > of_axes.max(initial=0.0):
        forces = acting([mechanism.forces[i] for i in linkage.forces])
        return "force", forces[int(of_forces.argmax())].name
    body = int(np.searchsorted(model.bodies.axis_end[model.driven :], of_axes.argmax(), side="right"))
    return "joint", mechanism.joints[linkage.joint[body]].name


def _rates_of_joints(model: Model) -> np.ndarray:
    """(A,) 1/s: how fast each axis would swing or come to rest by its own spring, damper or motor."""
    bodies, driven = model.bodies, model.driven
    outer = np.repeat(np.arange(driven, len(bodies)), (bodies.axis_end - bodies.axis_start)[driven:])
    moments = np.median(bodies.inertia[:, [0, 3, 5]], axis=1)
    inner = bodies.inner[outer]
    near = np.where(model.is_length, bodies.mass[outer], moments[outer])
    far = np.where(model.is_length, bodies.mass[inner], moments[inner])
    inertia = np.minimum(near, np.where(inner >= driven, far, np.inf)) + model.armature
    numbers = model.parameters[: AXIS_PARAMETERS * len(model.armature)].reshape(-1, AXIS_PARAMETERS)
    stiffness = numbers[:, STIFFNESS] + numbers[:, MOTOR_STIFFNESS]
    damping = numbers[:, DAMPING] + numbers[:, MOTOR_DAMPING]
    if len(model.axis_curves):
        stiffness, damping = stiffness + model.axis_curves.stiffness, damping + model.axis_curves.damping
    return np.maximum(damping / inertia, np.sqrt(stiffness / inertia))


def _rate_of_force(model: Model, number: int) -> float:
    """1/s: how fast what a force acts on would swing or come to rest by it."""
    force, p, first = model.forces[number], model.parameters, first_parameter(model, number)
    form, stiffness, damping = form_of(force.kind), 0.0, 0.0
    if form == Form.PULL:
        law = spring_numbers(p, first)
        stiffness, damping = law.stiffness, law.damping
    elif form == Form.GROUND:
        law = support_numbers(p, first)
        stiffness, damping = law.stiffness, law.damping
    elif form == Form.ROLLING:
        law = tyre_numbers(p, first)
        stiffness = law.stiffness
        damping = max(law.damping, max(law.slip_stiffness, law.cornering_stiffness) / force.slip_speed)
    elif form == Form.RESISTANCE:
        law = resistance_of(force.kind, p, first)
        damping = max(law.x, law.y, law.z)
    mobility = _LEVER * force.mobility
    return max(damping * mobility, np.sqrt(stiffness * mobility))


def new_choice(compiled: Compiled, memory: tuple) -> IntegratorChoice | None:
    """The choice of the integrator for a linkage that may be worth a thought; its memory is told to watch."""
    if not may_be_stiff(compiled):
        return None
    memory.counts[0].watched = 1
    return IntegratorChoice()


def keep_counts(before: tuple, after: tuple) -> None:
    """Writes into a new memory what has been counted so far."""
    for kept in _COUNTS & set(before.counts.dtype.names) & set(after.counts.dtype.names):
        after.counts[kept] = before.counts[kept]


def hand_on(before: tuple, after: tuple) -> None:
    """Writes into the memory of the integrator that goes on what is counted, and when it is."""
    keep_counts(before, after)
    for kept in _CLOCK:
        after.clock[kept] = before.clock[kept]


def watch(choice: IntegratorChoice | None, integrator: str, memory: tuple, begins_anew: bool) -> None:
    """Asks Adams to tell when the motion is stiff, if something could be done about it."""
    if choice is not None and integrator == "adams":
        memory.counts[0].watched = choice.watches("adams")
        if begins_anew:
            memory.counts[0].stiff = -choice.deaf_steps()
