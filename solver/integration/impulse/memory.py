# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of the integrator with impulses between its steps, and its way back to where one began."""

from typing import NamedTuple

import numpy as np

from ...contact.detection.collision import Collision
from ...contact.detection.face_manifold import faces_of
from ...contact.detection.ground import GroundShapes, ground_shapes
from ...contact.impulses.delassus import Delassus, new_delassus
from ...contact.impulses.propagation import ImpulsePropagation, new_walk
from ...contact.impulses.workspace import STIFF_FORCE, ContactMemory, new_contact_memory
from ...control.balance import Steering, new_steering
from ...kernel import Callback, by_reference
from ...model.arrays import Model, State, records
from ...model.collision_shapes import surfaces_of
from ...model.linkage.compilation import Compiled
from ..motion.motion import Motion, new_motion
from .energy_bound import Islands, new_islands
from .implicit import Implicit, new_implicit
from .loose_bodies import LooseBodies, new_loose_bodies
from .momentum import Momenta, new_momenta
from .outside_work import OutsideWork, new_outside_work

_ROOM = 8  # points for each shape, at first

CLOCK = np.dtype(
    [
        ("time", "f8"),  # s
        ("fastest", "f8"),  # 1/s: largest speed so far
        ("began", "f8"),  # s: where the last step began,
        ("h", "f8"),  # s: how long it was,
        ("interval", "f8"),  # s: and would have been without a cut
        ("gravity", "f8"),  # m/s2: the strongest
        ("speed", "f8"),  # m/s: of the fastest body
        ("at_wheels", "f8"),  # s: as long as ropes near their wheels let the last step be; 0 where one has run out
        ("arrival", "f8"),  # s: of what nobody saw coming, where the step is taken anew
        ("shifted", "f8"),  # how far the last step's impulses have shifted a body, in thicknesses
        ("unresolved", "f8"),  # of a speed: how far its change in the last step's pieces is no parabola
        ("bend", "f8"),  # likewise, in a piece of the last Runge-Kutta steps
        ("pieces", "f8"),  # 1/s: of smooth motion, as the last step has taken them; 0 where that is not known
        ("worst", "f8"),  # the most that a step has done wrong since steps are short, in times what is let pass,
        ("forgiven", "f8"),  # and what the shortest ones did that were no better
        ("gained", "f8"),  # the part of its energy that an island gained in the step that is taken anew as plain
    ],
    align=True,
)
COUNTS = np.dtype(
    [
        ("evaluations", "i8"),
        ("steps", "i8"),
        ("phase", "i8"),  # START, READY or MOVED
        ("cuts", "i8"),  # what steps in a row have cost that were cut short, see `MOST_CUTS`
        ("balanced", "i8"),  # 1 if the last forces were right
        ("lost", "i8"),  # steps in a row with open closures
        ("chosen", "i8"),  # 1 if it is known what is stiff in the next step
        ("pieces", "i8"),  # of an interval, as `step_control` has them
        ("unhelped", "i8"),  # steps to come in which no shorter ones are tried
        ("retaken", "i8"),  # how often some were
        ("wait", "i8"),  # how many they are after the next failure
        ("is_coarse", "i8"),  # 1 if the factors of closures are of a pose nearby
        ("plain", "i8"),  # NOT_PLAIN, PLAIN (from no forces, nothing is led apart) or AS_IT_IS
    ],
    align=True,
)
# what steps in a row may cost that are cut short where something arrives, in bodies that are moved on; a cut for what
# does not bounce counts as that many: few are worth while
MOST_CUTS, DEAD_CUT = 1000, 125
NEAR = 1e-3  # gaps to look at, in sizes,
AHEAD = 2.0  # and in steps
START, READY, MOVED = range(3)  # phases: MOVED is without impulses yet
NOT_PLAIN, PLAIN, AS_IT_IS = range(3)  # a step that is taken anew as plain, and as it was, if that has gained more
NO_RIDE = -1, 0  # number, and how it ends


class Began(NamedTuple):
    """The beginning of the last step, so that it can be taken anew and end sooner."""

    y: np.ndarray  # (2 A,)
    anchor: np.ndarray  # (C, 4)
    center: np.ndarray  # (B, 3) m
    velocity: np.ndarray  # (B, 6)
    held: np.ndarray  # (B, 3)
    effort: np.ndarray  # (A,)
    balanced: np.ndarray  # (1,) int64
    is_stiff: np.ndarray  # (A,) int64
    servo: np.ndarray  # (A,) int64
    stiff: np.recarray  # (F,) STIFF_FORCE
    interval: np.ndarray  # (1,) s
    given: np.ndarray  # (B, 6)
    hardest: np.ndarray  # (B,)
    axis_force: np.ndarray  # (A, 4)
    lost: np.ndarray  # (1,) int64
    fastest: np.ndarray  # (1,)
    pieces: np.ndarray  # (1,)


class Parting(NamedTuple):
    """Normal forces of rides, their distances from their ends, and a blow; see `detachment`."""

    press: np.ndarray  # (W,) N: normal forces at the step's start
    margin: np.ndarray  # (2,): at the last step's beginning and at its end
    nearest: np.ndarray  # (2,) int64: the ride that is the nearest to its end there, or -1, and how it would end
    speeds: np.ndarray  # (A,): before the step's impacts
    velocity: np.ndarray  # (B, 6): likewise, of the bodies
    struck: np.ndarray  # (B, 6) N m s, N s: what impacts deal to the bodies, about their centres of mass


def _new_parting(model: Model) -> Parting:
    """Zeroed room; without rides none is needed."""
    rides = len(model.rides.joints)
    bodies = len(model.bodies) if rides else 0
    vectors = [np.zeros((bodies, 6)) for _ in range(2)]
    return Parting(np.zeros(rides), np.zeros(2), np.array(NO_RIDE), np.zeros(len(model.armature)), *vectors)


@by_reference
class ImpulseArrays(NamedTuple):
    """Memory of the kernels for a linkage's integration between calls."""

    motion: Motion
    trial: Motion
    stages: np.ndarray  # (4, 2 A)
    shift: np.ndarray  # (A,): changes of speeds in this step that were no jumps
    free: np.ndarray  # (2, A): speeds and shift before any impulses
    pushed: np.ndarray  # (B, 6): velocities of bodies where the forces of the step before have led
    apart: np.ndarray  # (B, 6) work: shifts of bodies that overlap
    reach: np.ndarray  # (B,) m: how far around a body to look for points; the reaches of two add up
    push: np.ndarray  # (B, 6) N m, N: the forces of now that go on from the last step, about the centres of mass,
    kept: np.ndarray  # (B, 6) N m s, N s: and what they have given in the step
    held: np.ndarray  # (B, 3) m: centres of mass where they were found
    effort: np.ndarray  # (A,) N or N m: and what friction, motors and limits of joints exerted
    implicit: Implicit
    began: Began
    contact: ContactMemory
    delassus: Delassus
    walk: ImpulsePropagation
    momenta: Momenta
    islands: Islands
    loose: LooseBodies
    outside: OutsideWork
    steering: Steering
    parting: Parting
    shapes: GroundShapes
    has_ground: bool
    has_pairs: bool
    height: float
    interval: float  # s: steps end at its multiples, and in between where tense springs swing fast
    clock: np.recarray  # (1,) CLOCK
    counts: np.recarray  # (1,) COUNTS


class Worst:
    """The worst of a kind that kernels have noted so far, each worse than those before, to which a run may go back.

    The kernels' own is a (1,) record array with a `part`, by which it is judged, and a `time` (s).
    """

    def __init__(self) -> None:
        self._found: list[np.record] = []

    @property
    def latest(self) -> np.record | None:
        """None where nothing was noted."""
        return self._found[-1] if self._found else None

    def take(self, noted: np.recarray) -> None:
        """Adds what the kernels have noted, if it is worse."""
        if noted[0].part > (self.latest.part if self._found else 0.0):
            self._found.append(noted[0].copy())

    def forget(self, time: float, noted: np.recarray) -> None:
        """Forgets what came after a time (s), in the kernels' record too."""
        self._found = [each for each in self._found if each.time <= time]
        self.hand_over(noted)

    def hand_over(self, noted: np.recarray) -> None:
        """Writes the latest to a kernels' record."""
        noted[0] = self.latest if self._found else np.zeros((), noted.dtype)


class ImpulseMemory:
    """All that a linkage's integration remembers between calls; with what finds the points between bodies.

    `ended_ride`: the number of a ride that ends at the time that has been reached, and how
    (`dynamics.tree.surface_joints`).
    """

    def __init__(self, compiled: Compiled, state: State, interval: float) -> None:
        model, axes = compiled.model, len(state.speeds)
        surfaces = compiled.surfaces or surfaces_of([], [], None, set(), False)
        self._model, self._surfaces = model, surfaces
        self.collision = None
        if surfaces.has_pairs:
            self.collision = Collision(surfaces.parts, model.driven, surfaces.apart, faces_of(surfaces.parts))
        self.find, self.bodies = Callback(self._find), None
        self.ended_ride = NO_RIDE
        self.impacts: list[np.recarray] = []  # IMPACT, in their order
        self.overlaps, self.gains = Worst(), Worst()  # OVERLAP, GAIN
        self.arrays = ImpulseArrays(
            motion=new_motion(state),
            trial=new_motion(state),
            stages=np.zeros((4, 2 * axes)),
            shift=np.zeros(axes),
            free=np.zeros((2, axes)),
            pushed=np.zeros((len(model.bodies), 6)),
            apart=np.zeros((len(model.bodies), 6)),
            reach=np.zeros(len(model.bodies)),
            push=np.zeros((len(model.bodies), 6)),
            kept=np.zeros((len(model.bodies), 6)),
            held=np.zeros((len(model.bodies), 3)),
            effort=np.zeros(axes),
            implicit=new_implicit(model),
            began=Began(
                np.zeros(2 * axes),
                np.zeros_like(state.anchor),
                np.zeros((len(model.bodies), 3)),
                np.zeros((len(model.bodies), 6)),
                np.zeros((len(model.bodies), 3)),
                np.zeros(axes),
                np.zeros(1, np.int64),
                np.zeros(axes, np.int64),
                np.zeros(axes, np.int64),
                records(len(model.forces), STIFF_FORCE),
                np.zeros(1),
                np.zeros((len(model.bodies), 6)),
                np.zeros(len(model.bodies)),
                np.zeros((axes, 4)),
                np.zeros(1, np.int64),
                np.zeros(1),
                np.zeros(1),
            ),
            contact=new_contact_memory(model, surfaces, _ROOM * (1 + len(surfaces.parts))),
            delassus=new_delassus(len(model.bodies)),
            walk=new_walk(model),
            momenta=new_momenta(model),
            islands=new_islands(model),
            loose=new_loose_bodies(model),
            outside=new_outside_work(model),
            steering=new_steering(model, compiled.figures),
            parting=_new_parting(model),
            shapes=ground_shapes(surfaces.parts if surfaces.ground else [], model.driven),
            has_ground=surfaces.ground is not None,
            has_pairs=surfaces.has_pairs,
            height=surfaces.ground.height if surfaces.ground else 0.0,
            interval=interval,
            clock=records(1, CLOCK),
            counts=records(1, COUNTS),
        )

    def take_impacts(self) -> None:
        """Adds those that the kernels have noted to the list."""
        contact = self.arrays.contact
        if contact.counts[0].noted:
            self.impacts.append(contact.noted[: contact.counts[0].noted].copy())
            contact.counts[0].noted = 0
        self.overlaps.take(contact.deepest)
        self.gains.take(self.arrays.islands.worst)

    def forget_impacts(self, time: float) -> None:
        """Those after a time (s), from which on steps are taken anew."""
        self.impacts = [some[some.time <= time] for some in self.impacts]
        self.overlaps.forget(time, self.arrays.contact.deepest)
        self.gains.forget(time, self.arrays.islands.worst)

    @property
    def clock(self) -> np.ndarray:
        """Times, as numbered in this module."""
        return self.arrays.clock

    @property
    def counts(self) -> np.ndarray:
        """Counts, as numbered in this module."""
        return self.arrays.counts

    @property
    def motion(self) -> Motion:
        """The linkage's state as one vector."""
        return self.arrays.motion

    def make_room(self) -> None:
        """For twice as many points of contact; those of now and before are kept."""
        self._resize(2 * len(self.arrays.contact.points))

    def take_over(self, model: Model) -> None:
        """A model with other numbers, and perhaps more forces."""
        self._model = model
        if len(model.forces) != len(self.arrays.contact.stiff):
            self._resize(len(self.arrays.contact.points))
            began = self.arrays.began._replace(stiff=self.arrays.contact.stiff.copy())
            self.arrays = self.arrays._replace(began=began, islands=new_islands(model))

    def _resize(self, most_points: int) -> None:
        old = self.arrays.contact
        new = new_contact_memory(self._model, self._surfaces, most_points)
        order = new.order.copy()
        for before, after in zip((*old.rows, *old), (*new.rows, *new), strict=True):
            if isinstance(before, np.ndarray):
                after[tuple(map(slice, before.shape))] = before
        new.order[:] = order
        self.arrays = self.arrays._replace(contact=new)

    def _find(self, _) -> int:
        contact = self.arrays.contact
        touched = int(contact.counts[0].contacts)
        return self.collision.find(self.bodies, self.arrays.reach, contact.points, 0, contact.contacts, touched)
