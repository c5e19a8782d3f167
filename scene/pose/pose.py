# SPDX-License-Identifier: GPL-3.0-or-later
"""Pose: a body is dragged, and the linkage that it hangs in follows at once, as far as it matters (quasi-statics).

`Pose.steps` is a generator like that of Play; who drives it (an operator, a test) calls the other methods between two
steps. It ends by itself only when it was given where to pull; otherwise when it is kept, or closed, which puts
everything back.
"""

import dataclasses
import math
import time
from collections.abc import Iterator
from typing import NamedTuple

import bpy
import numpy as np

from ...solver import MechanismError, Posing
from ...solver.contact.detection.detection_failed import DetectionFailed
from ...solver.posing import warm_up
from ...solver.posing.posing import MOST_WITH_LIMITS
from ..animation.kept import is_baked
from ..bake.bake import Progress, compiled_for
from ..findings import Finding, SceneError, need_scipy, pass_on, refuse, refuse_all
from ..geometry import poses
from ..geometry.rounding import right_angled
from ..parts.linkages import TIES
from ..properties.pose import pose_error
from ..read.contact import read_contact
from ..read.reading import Reading
from ..read.sampling import is_there, shown_frame
from ..read.scene import read_mechanism
from .followers import put_followers
from .holds import Hold, Holds
from .keys import PoseKeys, forget_unkeyed, note_unkeyed, unkeyed
from .limits import count_limits_from_first_frame
from .locks import moved_locks
from .mirror import mirror_of
from .stage import PoseStage

BUDGET = 0.02  # s that a step works
NEAR = 1e-4  # of its size, by which a pulled body may miss its place
LARGEST_TURN = 0.1  # rad in one step of the solver: long arms are hardly thrown about, and a drag is still quick
STIFFNESS = 3.0  # so that what is dragged does not lag behind the hand; more of it changed nothing worth naming
ENOUGH, PROGRESS = 40, 1e-3  # after so many steps that together came nearer by less than this part, no more is tried
MOST_STEPS = 5000  # of a pull that was given by a script
TOO_LARGE = f"is in a linkage of more than {MOST_WITH_LIMITS} coordinates, "
FORKED = "left a dead centre the way you pulled; for the other way, go back to it and pull there"
THROUGH, LIMP = "whose bodies go through what they meet", "which stays limp"


class Given(NamedTuple):
    """A pull that is given by a script: a body, a point of it (m, its axes) and the point's place in the world (m)."""

    body: bpy.types.Object
    point: tuple[float, float, float]
    target: tuple[float, float, float]


@dataclasses.dataclass
class PoseResult:
    """Result of a pose: how many bodies have moved, when they were keyed, by what the pull missed, and why."""

    bodies: int = 0
    keyed: float | None = None
    missed: float = 0.0
    reason: str = ""
    warnings: list[Finding] = dataclasses.field(default_factory=list)

    @property
    def summary(self) -> str:
        """One line for the status bar and the panel."""
        if not self.bodies:
            away = f": the pulled point is {self.missed:.2g} m from its place"
            why = self.reason or "Check names joints of which nothing can move, as in a structure"
            return f"Nothing was moved{away}; {why}" if self.missed else "Nothing was moved"
        text = f"Posed {self.bodies} {'body' if self.bodies == 1 else 'bodies'}"
        text += f", keyed at frame {self.keyed:g}" if self.keyed is not None else ", not keyed yet"
        if not self.missed:
            return text
        return f"{text}. The pulled point is {self.missed:.2g} m from its place" + (self.reason and f": {self.reason}")


class Pose:
    """One session. `given`: pulls by itself, and keeps what comes of it. `message` is what should be known at once."""

    def __init__(self, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, given: Given | None = None) -> None:
        self.scene, self._view_layer, self._given = scene, view_layer, given
        self.message = ""
        self._stage: PoseStage | None = None
        self._is_kept, self._hand, self._pull = False, None, None
        self._holds = Holds({})
        self._keys, self._keyed = PoseKeys(), None
        self._reason, self._taken_over, self._too_large = "", {}, []
        self._mirror, self._mirrored_grip, self._mirrored_pull = None, None, None
        self.seconds = 0.0  # that the last step took, of the solver and of Blender

    # What the one who drives it may ask and do between two steps.

    @property
    def is_running(self) -> bool:
        """True if bodies can be dragged now."""
        return self._stage is not None and not self._is_kept

    @property
    def status(self) -> str:
        """The present work, in words."""
        pins, hands = len(self._holds.pinned), len(self._holds.hands)
        pins = f"{pins} {'pin' if pins == 1 else 'pins'}"
        pins += f"    {hands} {'hand' if hands == 1 else 'hands'} kept" if hands else ""
        if self._hand is None:
            return f"{len(self._stage.moved)} bodies moved    {pins}"
        solved, written = self._posing.solved, self._stage.written
        text = f"{solved} joints computed    {written} bodies shown    {1e3 * self.seconds:.0f} ms    {pins}"
        if self._posing.time_budget and self._posing.bound > self._posing.error:
            digits = max(0.0, -math.log10(self._posing.bound))
            text = f"{text}    {digits:.1f} digits in {1e3 * self._posing.time_budget:g} ms"
        if self._posing.forks() > self._forks:
            text = f"{text}    {FORKED}"
        return f"{text}    {self._held_by()}" if self._vain and self._held_by() else text

    @property
    def hand(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Places of the dragged point of a body and of the hand; None if nothing is dragged."""
        if self._hand is None or not self.is_running:
            return None
        return self._stage.place(self._held, self._grip), np.array(self._hand)

    @property
    def pins(self) -> list[np.ndarray]:
        """The places (3,) at which bodies are pinned."""
        return self._holds.pinned

    @property
    def hands(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Places of the points that hands other than the mouse's hold, kept and mirrored ones, and of these hands."""
        held = [(self._stage.place(row, hold.point), hold.place) for row, hold in self._holds.hands.items()]
        if self.hand is not None and self._mirror is not None:
            held.append((self._stage.place(self._mirror.row, self._mirrored_grip), self._mirror.of(self._hand)))
        return held

    def grab(self, owner: bpy.types.Object, point) -> bool:
        """Take hold of a body at a point (world); whether it could be done."""
        self.message = ""
        row = self._row_of(owner)
        if row is None or self._hand is not None:
            return False
        try:
            self._take(row, point)
        except SceneError as error:
            self.message = str(error)
            return False
        return True

    def _take(self, row: int, point) -> None:
        """Take hold of a body at a point (world). Raises SceneError."""
        grip = self._on_body(row, point)
        try:
            self._before_drag = self._begin(row, grip, point)
            self._forks = self._posing.forks()
        except SceneError:
            self._posing.release()
            raise
        self._held, self._grip, self._hand = row, grip, tuple(map(float, point))
        rows = [row] if self._mirror is None else [row, self._mirror.row]
        self._taken_over = {each: self._holds.hands.pop(each) for each in rows if each in self._holds.hands}
        self._keyed = None
        self._best, self._vain = np.inf, 0

    def drag(self, point) -> None:
        """Move the hand to a point (world)."""
        self._hand = tuple(map(float, point))
        self._posing.lead(self._pull, self._hand)
        if self._mirror is not None:
            self._posing.lead(self._mirrored_pull, self._mirror.of(self._hand))
        self._best, self._vain = np.inf, 0

    def let_go(self) -> None:
        """Open the hand; what was moved stays so, down to the last digit."""
        if self._hand is None:
            return
        self._hand = None
        self._posing.release()
        self._stage.show(*self._posing.poses())
        if self.scene.ves.pose_auto_key:
            self.key()

    def keep_hand(self) -> None:
        """Leave the hand where it is: it goes on pulling while other bodies are dragged."""
        if self._hand is not None:
            self._holds.hands[self._held] = Hold(self._grip, np.array(self._hand))
            if self._mirror is not None:
                self._holds.hands[self._mirror.row] = Hold(self._mirrored_grip, self._mirror.of(self._hand))
            self.let_go()

    def let_go_of_hands(self) -> None:
        """Open all hands that were kept."""
        if self._hand is None:
            self._holds.hands.clear()

    def undo_drag(self) -> None:
        """Open the hand, and put back what this drag has moved."""
        if self._hand is not None:
            self._hand = None
            self._holds.hands.update(self._taken_over)
            self._posing.release()
            self._posing.restore(self._before_drag)
            self._stage.show(*self._posing.poses())

    def toggle_pin(self, owner: bpy.types.Object, point, with_turn: bool = False) -> None:
        """Pin a body where a point of it is (world), or let go of a pinned one. `with_turn`: it may not turn either."""
        row = self._row_of(owner)
        if row is None or self._hand is not None:
            return
        position, orientation = (values[row] for values in self._posing.poses())
        self._holds.toggle_pin(row, self._on_body(row, point), position, poses.rotations(orientation), with_turn)

    def key(self) -> None:
        """Key the bodies that have moved, at the present frame."""
        moved = self._stage.moved | unkeyed(self.scene)
        if moved:
            self._keys.key(moved, self._frame)
            self._keyed = self._frame
            self.message = f"Keyed {len(moved)} bodies at frame {self._frame:g}"
        else:
            self.message = "Nothing has moved yet, so there is nothing to key"

    def keep(self) -> None:
        """End at the next step, and keep the pose."""
        self.let_go()
        self._is_kept = True

    # The work.

    def steps(self) -> Iterator[Progress]:
        """Read, compile, follow the hand, keep; returns a PoseResult. Raises SceneError."""
        yield Progress(0.0, "Reading the scene")
        self._reading = self._read()
        shapes = {type(shape) for body in self._reading.mechanism.bodies for shape in body.touching_shapes}
        yield from compiled_for(warm_up(shapes), with_inspection=False)
        self._prepare()
        try:
            missed = yield from self._follow()
        except BaseException:
            self._stage.put_back()
            self._keys.undo()
            if is_there(self.scene, self._view_layer):
                self._view_layer.update()
            raise
        return self._keep(missed)

    @property
    def _frame(self) -> float:
        return shown_frame(self.scene)

    def _read(self) -> Reading:
        need_scipy()
        self._view_layer.update()
        parts = {part for part in self.scene.objects if part.ves.role == "BODY" or part.ves.role in TIES}
        reading = read_mechanism(self.scene, self._view_layer.depsgraph, parts)
        refuse_all(reading.apart)
        reading.refuse_still()
        if self.scene.ves.pose_contact:
            for _ in read_contact(reading):
                pass
            refuse_all(reading.errors)
        count_limits_from_first_frame(reading, self._view_layer)
        return reading

    def _prepare(self) -> None:
        """Posing begins at what is shown: start values of joints take no part."""
        mechanism = self._reading.mechanism
        for joint in mechanism.joints:
            joint.coordinates = None
            joint.orientation = right_angled(joint.orientation)  # at a dead centre nothing else tells what is parallel
        try:
            self._posing = Posing(mechanism, *pose_error(self.scene), STIFFNESS, with_limits=True, with_contact=True)
        except MechanismError as error:
            pass_on(error, self.scene, self._reading.first)
        self._posing.largest_turn = LARGEST_TURN
        self._rows = {body.name: i for i, body in enumerate(mechanism.bodies)}
        self._at = self._frame
        self._stage = PoseStage(self._reading, self._view_layer, *self._posing.poses())
        self._holds = Holds(self._stage.bindings)
        position, orientation = self._posing.poses()
        self._holds.read_pins(position, poses.rotations(orientation))

    def _follow(self) -> Iterator[Progress]:
        """Until it is kept; returns by what a given pull has missed its place."""
        if self._given is not None:
            return (yield from self._pull_as_given(self._given))
        while not self._is_kept:
            yield Progress(0.0, self.status)
            if self._frame != self._at:  # keyframes have moved bodies: what is not keyed is lost, as ever in Blender
                self._hand, self._is_kept = None, True
            elif self._hand is not None and self._vain < ENOUGH:
                self._step()
        return 0.0

    def _pull_as_given(self, given: Given) -> Iterator[Progress]:
        row = self._row_of(given.body)
        if row is None:
            refuse(given.body, "is not a dynamic body that takes part: choose one that is")
        self._take(row, self._stage.place(row, np.array(given.point)))
        self.drag(given.target)
        for _ in range(MOST_STEPS):
            if self._vain >= ENOUGH:
                break
            self._step()
            yield Progress(0.0, self.status)
        missed, self._reason = self._posing.distance(), self._held_by()
        self.keep()
        return missed if missed > 2.0 * self._near else 0.0

    def _step(self) -> None:
        """Towards the hand, as far as there is time, and show it."""
        started = time.perf_counter()
        posing = self._posing
        posing.set_error(*pose_error(self.scene))
        posing.time_budget = 1e-3 * self.scene.ves.pose_time
        while self._vain < ENOUGH and time.perf_counter() - started < BUDGET:
            if posing.distance() < self._near:
                self._vain = ENOUGH
                break
            left = posing.misfit()
            if left < (1.0 - PROGRESS) * self._best:
                self._vain, self._best = 0, left
            else:
                self._vain += 1
            try:
                posing.approach()
            except DetectionFailed as error:
                self.undo_drag()
                self.message = f"Taken back: {error}"
                return
        self._stage.show(*posing.poses(), np.array(self._hand))
        self.seconds = time.perf_counter() - started

    def _held_by(self) -> str:
        """The limits and bodies that keep the hand's body from its place, in words."""
        names, pairs = self._posing.stopping(), [f"{one} meets {other}" for one, other in self._posing.meeting()]
        limits = f"{_some(names)} at {'its limit' if len(names) == 1 else 'their limits'}" if names else ""
        return "; ".join(filter(None, [limits, _some(pairs)]))

    def _begin(self, row: int, grip: np.ndarray, point) -> dict:
        """Pins and the hand pull from now on; returns where the joints are. Raises SceneError."""
        posing, bindings = self._posing, self._stage.bindings
        self._mirror = mirror_of(row, bindings) if self.scene.ves.pose_mirror else None
        pulled = [row] if self._mirror is None else [row, self._mirror.row]
        names = {each: self._reading.mechanism.bodies[each].name for each in pulled}
        together = {self._rows[other] for name in names.values() for other in posing.together_with(name)}
        self._refuse_unmovable(together)
        posing.set_tense(self.scene.ves.pose_tense)
        large = [TOO_LARGE + THROUGH] if any(map(posing.goes_through, names.values())) else []
        large += [TOO_LARGE + LIMP] if any(map(posing.stays_limp, names.values())) else []
        self._too_large = [Finding(bindings[row].object, text) for text in large]
        self.message = "; ".join(map(str, self._too_large))
        self._near = NEAR * bindings[row].owner.size
        posing.release()
        try:
            for other, hold, strength in self._holds.pulls(together - set(pulled)):
                posing.pull(self._reading.mechanism.bodies[other].name, *hold, strength)
            self._pull = posing.pull(names[row], grip, point)
            if self._mirror is not None:
                place = self._mirror.of(point)
                self._mirrored_grip = self._on_body(self._mirror.row, place)
                self._mirrored_pull = posing.pull(names[self._mirror.row], self._mirrored_grip, place)
        except MechanismError as error:
            pass_on(error, self.scene, self._reading.first)
        return posing.state()

    def _refuse_unmovable(self, rows: set[int]) -> None:
        """Raises SceneError for what would win over a new location of one of these bodies."""
        findings = []
        for row in sorted(rows):
            moved = self._stage.bindings[row].owner
            owner = moved.object
            held = [constraint.name for constraint in moved.constraints if not constraint.mute and constraint.influence]
            if owner.ves.is_live:
                findings.append(Finding(owner, "is live, and follows its drives: lead it by these, or End Live first"))
            elif is_baked(moved.holder):
                findings.append(
                    Finding(owner, "its baked keyframes would come back at the next frame: Clear Bake first")
                )
            elif held:
                text = f"has constraints ({', '.join(held)}), which would win over the pose: mute them"
                findings.append(Finding(owner, text))
        refuse_all(findings[:5])

    def _row_of(self, owner: bpy.types.Object) -> int | None:
        """The number of a dynamic body that takes part."""
        binding = self._reading.body_of(owner)
        return self._rows[binding.body.name] if binding is not None and binding.body.motion == "dynamic" else None

    def _on_body(self, row: int, point) -> np.ndarray:
        """A place in the world as a point of a body, along its axes."""
        position, orientation = (values[row] for values in self._posing.poses())
        return poses.rotations(orientation).T @ (np.array(point, float) - position)

    def _keep(self, missed: float) -> PoseResult:
        """Take along what belongs to the bodies, and note what was not keyed."""
        stage = self._stage
        result = PoseResult(len(stage.moved), self._keyed, missed, self._reason)
        if stage.moved:
            result.warnings = put_followers(self._reading, stage, self._view_layer)
            result.warnings += moved_locks(stage.moved)
        result.warnings += self._too_large
        if self._keyed is None:
            note_unkeyed(self.scene, stage.moved)
        else:
            forget_unkeyed(self.scene)
        return result


def _some(names: list[str]) -> str:
    """The first three of some names."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
