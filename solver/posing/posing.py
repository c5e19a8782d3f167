# SPDX-License-Identifier: GPL-3.0-or-later
"""Posing: single bodies of a linkage are pulled or pushed, and the others follow as far as it matters.

    posing = Posing(mechanism)
    posing.pull("hand", point=(0, 0, 0), target=(1, 0, 2))
    posing.approach(10)
    positions, orientations = posing.poses()

There are no speeds: in each step the linkage begins to move from rest, as its masses and joints let it (quasi-statics),
and stops again. Springs, motors and friction of joints, other forces and gravity take no part; limits of joints do if
they are asked for.
"""

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..kinematics.axes import axis_limits, joint_of_axes
from ..mechanism import Mechanism
from ..mechanism.error import refuse
from ..mechanism.messages import Message
from ..model.arrays import RECURSIVE
from ..model.linkage.compilation import Compiled, compile_linkage
from ..model.topology import find_linkages
from ..model.touching import Touching
from .accelerations import ABSOLUTE_JOINT, ABSOLUTE_LINKAGE, RELATIVE_JOINT, RELATIVE_LINKAGE
from .approach import Accuracy
from .arrays import BODY_FORCE, TARGET, WORLD_FORCE
from .contact_engine import ContactEngine
from .engine import Engine, new_pulls
from .loop_engine import LoopEngine
from .regularisation import stiffened
from .surroundings import Surroundings

MEASURES = {
    "absolute linkage": ABSOLUTE_LINKAGE,
    "relative linkage": RELATIVE_LINKAGE,
    "absolute joint": ABSOLUTE_JOINT,
    "relative joint": RELATIVE_JOINT,
}
_ZERO = (0.0, 0.0, 0.0)
MOST_WITH_LIMITS = 120  # coordinates of a tree whose limits are obeyed: a dense step takes some milliseconds
_TENSEST = 1e-3  # the tensest joints resist a thousand times as much as the whole linkage
_LARGEST_TURN = 0.5  # rad, or part of the linkage's size


class Pull(NamedTuple):
    """A pull that `pull` gives and `lead` takes; it holds until `release`."""

    linkage: int
    number: int


class Posing:
    """A mechanism whose bodies can be pulled; those of trees can be pushed as well.

    error: how wrong the joints' accelerations may be in each step, in the sense of `measure`: of all joints together
    ("linkage", the root of the sum of squares) or of each ("joint"), in rad/s2 ("absolute") or as a part of the same of
    all joints ("relative"). 0 is exact. Lengths count by the linkage's size. Both may be set at any time. A pulled
    point arrives with errors of a hundredth too; larger ones may leave it short of its place.

    largest_turn: by how much (rad, or parts of the linkage's size) `approach` turns a joint in one step at most. Steps
    are right to first order: what lies far out on a long arm is thrown about by half the turn's square times the arm.

    stiffness: how much bodies resist turning, in parts of what a chain's links have to, so that they do not zigzag when
    they are pulled along (see `regularisation`). 0: they move as their masses let them; 3 is what Pose in Blender has.

    time_budget (s): how long steps of trees may take, 0 for as long as the error asks for. Joints that move most are
    computed first, as many as there was time for in the steps before; `bound` tells how exact a step has become. May
    be set at any time, as `largest_turn` may; steps then depend on how quick the machine is.

    grain: how many bodies the joints of which are computed all or none may hang together. None: one in linkages of up
    to 256 bodies, so that errors tell in chains of tens of links; sixteen in larger ones, which take less time so.

    What loops or constraints hold goes by `loop_engine`, closed in every pose, without an error of choice.

    with_limits: joints keep to their limits, except balls; a linkage with any then goes by `loop_engine` too, if it has
    at most MOST_WITH_LIMITS coordinates. `stopping` tells which joints have come to theirs.

    with_contact: bodies do not go through each other, the ground, or bodies of other linkages, which stand still
    meanwhile, as the mechanism's contact says which may touch; by `contact_engine`, in linkages of as many coordinates
    at most. `meeting` tells which bodies are kept apart, `goes_through` whether a linkage is too large.

    Raises MechanismError for a mechanism that is wrong, where surfaces ride on each other, and where bodies are pushed
    that loops or constraints hold.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        error: float = 1e-3,
        measure: str = "relative joint",
        stiffness: float = 0.0,
        with_limits: bool = False,
        with_contact: bool = False,
        grain: int | None = None,
    ) -> None:
        mechanism.refuse_wrong()
        if grain is not None and grain < 1:
            raise ValueError(f"grain must be a positive number of bodies, is {grain}")
        if not (np.isfinite(stiffness) and stiffness >= 0.0):
            raise ValueError(f"stiffness must be zero or a positive number, is {stiffness}")
        self.mechanism = dataclasses.replace(mechanism, contact=None, forces=[], actions=[])
        self._linkages, self._with_limits = find_linkages(self.mechanism), with_limits
        is_touched = with_contact and mechanism.contact is not None and mechanism.contact.enabled
        self._touched = mechanism if is_touched else None
        if stiffness:
            self.mechanism.bodies = stiffened(self.mechanism, self._linkages, stiffness)
        self._place_of = {
            self.mechanism.bodies[body].name: (k, number)
            for k, linkage in enumerate(self._linkages)
            for number, body in enumerate(linkage.bodies[: linkage.whole])
        }
        self._engines: dict[int, Engine | LoopEngine] = {}
        self._starts: dict[int, tuple] = {}
        self._pulls: dict[int, list[tuple]] = {}
        self._renewed: set[int] = set()  # linkages with pulls that their engines do not know yet
        self._taken: tuple[np.ndarray, np.ndarray] | None = None
        self._at_first: tuple[np.ndarray, np.ndarray] | None = None
        self.largest_turn, self.time_budget, self._tension, self._grain = _LARGEST_TURN, 0.0, 0.0, grain
        self.set_error(error, measure)

    def set_error(self, error: float, measure: str | None = None) -> None:
        """Raises ValueError for what makes no sense."""
        if not (np.isfinite(error) and error >= 0.0):
            raise ValueError(f"error must be zero or a positive number, is {error}")
        if measure is not None and measure not in MEASURES:
            raise ValueError(f"measure '{measure}' is unknown; use one of {', '.join(MEASURES)}")
        self.error = float(error)
        self.measure = self.measure if measure is None else measure

    def pull(self, body: str, point: Sequence[float], target: Sequence[float], strength: float = 1.0) -> Pull:
        """Pulls a body's point (m, body frame) towards a place in the world (m), by `approach`.

        strength: beside other pulls, where they cannot all be followed.
        """
        if not (np.isfinite(strength) and strength > 0.0):
            raise ValueError(f"strength must be a positive number, is {strength}")
        return self._add(body, TARGET, point, _ZERO, _ZERO, target, strength)

    def lead(self, pull: Pull, target: Sequence[float]) -> None:
        """Pulls towards another place from now on; what steps have learnt of the linkage is kept."""
        target = tuple(map(float, target))
        if not np.all(np.isfinite(target)):
            raise ValueError("target must be finite numbers")
        k, number = pull
        self._pulls[k][number] = (*self._pulls[k][number][:5], target, self._pulls[k][number][6])
        if k not in self._renewed:
            self._engines[k].pulls.target[number] = target

    def together_with(self, body: str) -> list[str]:
        """The dynamic bodies, itself included, that hang together with a dynamic body."""
        if body not in self._place_of:
            raise ValueError(f"body '{body}' is not a dynamic body of the mechanism")
        linkage = self._linkages[self._place_of[body][0]]
        return [self.mechanism.bodies[number].name for number in linkage.bodies[: linkage.whole]]

    def push(
        self,
        body: str,
        force: Sequence[float],
        moment: Sequence[float] = (0.0, 0.0, 0.0),
        point: Sequence[float] | None = None,
        along_body: bool = False,
    ) -> None:
        """A force (N) at a body's point (m, body frame; default: its centre of mass) and a moment (N m).

        Both are along the axes of the world, or those of the body.
        """
        self._add(body, BODY_FORCE if along_body else WORLD_FORCE, point, force, moment, _ZERO, 0.0)

    def release(self) -> None:
        """Ends all pulls and pushes."""
        for k, engine in self._engines.items():
            self._pulls[k] = []
            engine.set_pulls(new_pulls([]))
        self._renewed.clear()

    def set_tense(self, tense: float) -> None:
        """Makes joints tense by a share from 0, limp, to 1, in linkages of at most MOST_WITH_LIMITS coordinates.

        Limp ones give way as masses let them: what is light, and near the pull, moves first. Tense ones all bend alike,
        and as little as they can, so that what floats moves as a whole. Ends all pulls.
        """
        if not 0.0 <= tense <= 1.0:
            raise ValueError(f"tense must be a number from 0 to 1, is {tense}")
        tension = tense / (1.0 + _TENSEST - tense)
        if tension == self._tension:
            return
        self.release()
        self._tension = tension
        for k, engine in self._engines.items():
            if isinstance(engine, Engine) and len(engine.model.armature) <= MOST_WITH_LIMITS:
                self._engines[k] = self._new_engine(k, engine.compiled)
                self._engines[k].set_coordinates(engine.coordinates())
            elif isinstance(engine, LoopEngine):
                engine.tense(tension)

    def stays_limp(self, body: str) -> bool:
        """True if a body's linkage is too large to be tense."""
        return bool(self._tension) and isinstance(self._engine(self._place_of[body][0]), Engine)

    def approach(self, count: int = 1) -> int:
        """`count` steps that bring pulled points to their places, or as near as they can come.

        Pushes are for `advance`; they take no part. Returns how many joints were computed in all.
        """
        accuracy = Accuracy(MEASURES[self.measure], self.error, self.largest_turn)
        engines, joints = self._pulled(), 0
        for engine in engines:
            if len(engines) > 1 and isinstance(engine, ContactEngine):
                engine.surroundings.place(*self.poses())  # where others have been led meanwhile
            joints += engine.approach(accuracy, count)
        return joints

    def advance(self, interval: float, count: int = 1) -> int:
        """`count` steps, each as far as pushes move the linkage from rest in `interval` (s).

        Pulls are for `approach`; they take no part. Returns how many joints were computed in all.
        """
        if not (np.isfinite(interval) and interval > 0.0):
            raise ValueError(f"interval must be a positive number of seconds, is {interval}")
        measure, gain = MEASURES[self.measure], 0.5 * interval * interval
        return sum(engine.advance(measure, self.error, gain, count) for engine in self._pulled())

    def distance(self) -> float:
        """m: how far the farthest pulled point is from its place."""
        farthest = 0.0
        for engine in self._pulled():
            is_target = engine.pulls.kind == TARGET
            apart = np.linalg.norm(engine.place_pulled() - engine.pulls.target, axis=1)[is_target]
            farthest = max(farthest, float(apart.max(initial=0.0)))
        return farthest

    def misfit(self) -> float:
        """m: the root of the squares, weighted by strength, of how far all pulled points are from their places."""
        squares = 0.0
        for engine in self._pulled():
            apart = np.sum((engine.place_pulled() - engine.pulls.target) ** 2, axis=1)
            squares += float(np.sum((engine.pulls.strength * apart)[engine.pulls.kind == TARGET]))
        return squares**0.5

    @property
    def solved(self) -> int:
        """Number of joints that the last step has computed."""
        return sum(engine.solved for engine in self._pulled())

    @property
    def bound(self) -> float:
        """A bound on the error of the last step's accelerations; only `time_budget` may leave it above `error`."""
        return max((engine.bound for engine in self._pulled()), default=0.0)

    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """(B, 3) positions (m) and (B, 4) orientations of all bodies' frames, in the mechanism's order, O(n)."""
        if self._at_first is None:
            bodies = self.mechanism.bodies
            places = np.array([body.position or (0.0, 0.0, 0.0) for body in bodies], float).reshape(-1, 3)
            turns = np.array([body.orientation or (1.0, 0.0, 0.0, 0.0) for body in bodies], float).reshape(-1, 4)
            self._at_first = places, turns
        positions, orientations = self._at_first[0].copy(), self._at_first[1].copy()
        for k, engine in self._engines.items():
            positions[self._linkages[k].bodies], orientations[self._linkages[k].bodies] = engine.poses()
        return positions, orientations

    def take(self, positions: np.ndarray, orientations: np.ndarray) -> None:
        """Begins anew from poses of all bodies' frames, (B, 3) in m and (B, 4), in the mechanism's order.

        Joints hold: where the poses would open one, the body follows its joint. Fixed and keyed bodies stay.
        """
        positions, orientations = np.asarray(positions, float), np.asarray(orientations, float)
        count = len(self.mechanism.bodies)
        if positions.shape != (count, 3) or orientations.shape != (count, 4):
            raise ValueError(f"poses must be arrays ({count}, 3) and ({count}, 4), one row for each body")
        lengths = np.linalg.norm(orientations, axis=1, keepdims=True)
        if not (np.all(np.isfinite(positions)) and np.all(np.isfinite(lengths)) and np.all(lengths > 0.0)):
            raise ValueError("poses must be finite numbers, and no quaternion zero")
        self._taken = positions, orientations / lengths
        for k in self._engines:
            self._take(k)

    def stopping(self) -> list[str]:
        """Names of the joints whose limits the last step has met or kept."""
        engines = [(k, each) for k, each in self._engines.items() if isinstance(each, LoopEngine) and len(each.pulls)]
        names = [joint_of_axes(self.mechanism, self._engines[k].compiled.linkage) for k, _ in engines]
        return list(
            dict.fromkeys(of[a][0] for of, (_, engine) in zip(names, engines, strict=True) for a in engine.held)
        )

    def forks(self) -> int:
        """The number of dead centres, where two ways lead on, that have been left by the one that suited the pulls."""
        return sum(each.forks for each in self._engines.values() if isinstance(each, LoopEngine))

    def meeting(self) -> list[tuple[str, str]]:
        """Names of each two bodies that the last step has kept apart, last what stands still, as `GROUND`."""
        return [pair for each in self._pulled() if isinstance(each, ContactEngine) for pair in each.met]

    def goes_through(self, body: str) -> bool:
        """True if a body's linkage is too large to be kept from going through what it meets."""
        k = self._place_of[body][0]
        return self._touches(k) and not isinstance(self._engine(k), ContactEngine)

    def state(self) -> dict:
        """The state of all joints that have been moved, for `restore`."""
        return {k: engine.coordinates() for k, engine in self._engines.items()}

    def restore(self, state: dict) -> None:
        """Puts the joints back to what `state` has given; what was not touched then goes to its start."""
        for k, engine in self._engines.items():
            engine.set_coordinates(state.get(k, self._starts[k]))

    def _add(self, body: str, kind: int, point, force, moment, target, strength: float) -> Pull:
        if body not in self._place_of:
            raise ValueError(f"body '{body}' is not a dynamic body of the mechanism")
        k, number = self._place_of[body]
        engine = self._engine(k)
        if kind != TARGET and isinstance(engine, LoopEngine):
            refuse([Message("push-on-loop", ("body", body))])
        compiled, model = engine.compiled, engine.model
        center = compiled.center_of_mass[number]
        arm = compiled.own_rotation[number] @ (np.zeros(3) if point is None else np.asarray(point, float) - center)
        numbers = np.concatenate([arm, force, moment, target])
        if not np.all(np.isfinite(numbers)):
            raise ValueError(f"body '{body}': point, target, force and moment must be finite numbers")
        if kind == BODY_FORCE:
            own = compiled.own_rotation[number]
            force, moment = own @ np.asarray(force, float), own @ np.asarray(moment, float)
        row = (model.driven + number, kind, tuple(arm), tuple(force), tuple(moment), tuple(target), strength)
        self._pulls[k].append(row)
        self._renewed.add(k)
        return Pull(k, len(self._pulls[k]) - 1)

    def _engine(self, k: int) -> Engine | LoopEngine:
        if k not in self._engines:
            linkage = self._linkages[k]
            rides = [("joint", self.mechanism.joints[j].name) for j in linkage.rides]
            refuse(Message("ride-while-posing", ride) for ride in rides)
            compiled = compile_linkage(self.mechanism, linkage, RECURSIVE)
            self._engines[k], self._pulls[k] = self._new_engine(k, compiled), []
            self._take(k)
            self._starts[k] = self._engines[k].coordinates()
        return self._engines[k]

    def _new_engine(self, k: int, compiled: Compiled) -> Engine | LoopEngine:
        lower, upper = axis_limits(self.mechanism, compiled.linkage)
        limits = (lower, upper) if self._with_limits and np.isfinite([lower, upper]).any() else (None, None)
        is_small = len(lower) <= MOST_WITH_LIMITS
        if self._touches(k) and is_small:
            engine = ContactEngine(compiled, Surroundings(self._touched, self._linkages[k], compiled), *limits)
        elif compiled.sources or (is_small and (limits[0] is not None or self._tension)):
            engine = LoopEngine(compiled, *limits)
        else:
            return Engine(compiled, self._grain)
        engine.tense(self._tension)
        return engine

    def _touches(self, k: int) -> bool:
        """True if bodies of a linkage are to be kept from going through something."""
        linkage = self._linkages[k]
        return self._touched is not None and Touching(self._touched).meets_anything(linkage.bodies[: linkage.whole])

    def _take(self, k: int) -> None:
        if self._taken is not None:
            bodies = self._linkages[k].bodies
            self._engines[k].take(self._taken[0][bodies], self._taken[1][bodies])

    def _pulled(self) -> list[Engine | LoopEngine]:
        for k in self._renewed:
            engine = self._engines[k]
            if isinstance(engine, ContactEngine):
                engine.surroundings.place(*self.poses())
            engine.set_pulls(new_pulls(self._pulls[k]))
        self._renewed.clear()
        pulled = [engine for engine in self._engines.values() if len(engine.pulls)]
        for engine in pulled:
            if isinstance(engine, Engine):
                engine.time_budget = self.time_budget
        return pulled
