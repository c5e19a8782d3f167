# SPDX-License-Identifier: GPL-3.0-or-later
"""Play: the mechanism runs live in the viewport, and a person pushes buttons and pulls bodies meanwhile.

`Play.steps` is a generator like that of Bake; who drives it (an operator, a test) calls the other methods between two
steps. Only when the run is kept anything of the scene has changed; otherwise it is as it was, however the run ends.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import bpy
from mathutils import Matrix

from ..bake.bake import Progress, keep_motion, read_scene
from ..bake.state import note_actions
from ..findings import SceneError, refuse
from ..parts.tables import put_back_tables
from ..preview.stage import Stage, note, staged
from ..quantities.live import LiveRecords
from ..quantities.recorded import running
from ..read.recorded_actions import record
from .building import BuildingSite
from .knobs import TABLES, Knobs, free_nails
from .result import ACTIONS, MOTION, POSE, START, VALUES, Ended, PlayResult
from .shown_run import ShownRun


class Play(ShownRun):
    """One run: buttons, settings and parts act on it, and it is kept or not."""

    # What the one who drives it may ask and do between two steps.

    def keep(self, what: str = MOTION) -> None:
        """End the run at its next step and keep it (MOTION or ACTIONS), its numbers (VALUES) or its last moment."""
        if what not in (ACTIONS, VALUES) and self._run.frame < 1:
            self.message = "Nothing has moved yet, so there is nothing to keep"
        elif what == START and (self._built or self._run.taken_out):
            self.message = "What was put in or taken out on the way cannot be a start: keep the motion or the pose"
        else:
            self._kept = what

    def reset(self) -> None:
        """Begin again at the first frame, with all numbers as they are turned now."""
        if self._built or self._run.taken_out:
            self.message = "What was put in or taken out on the way cannot go back: end the run, and play again"
        elif not self._kept:
            self._is_reset = True

    def press(self, label: str, is_held: bool = False) -> None:
        """Push an action button; with `is_held`, `release` follows."""
        self._do(lambda: self._switchboard.pressed(label, is_held))

    def release(self, label: str) -> None:
        """Let go of an action button."""
        self._do(lambda: self._switchboard.released(label))

    def is_down(self, label: str) -> bool:
        """True if an action button is down; one that can't be pushed is not."""
        try:
            return self._switchboard.is_down(label)
        except SceneError:
            return False

    def take_out(self, owners: list[bpy.types.Object]) -> None:
        """Take parts out of the run, for good; their objects stay."""
        names = [self._site.names[owner] for owner in owners if owner in self._site.names]
        if not names:
            self.message = "Select bodies, joints, constraints or forces of the run to take them out"
        elif self._let_out(names):
            self._out.update(owner for owner in owners if owner in self._site.names)
            self.message = f"Taken out: {', '.join(names)}"

    # The work.

    def steps(self) -> Iterator[Progress]:
        """Read, compile, run until it is kept, and keep; returns a PlayResult. Raises SceneError."""
        self._built: list[bpy.types.Object] = []  # what was put in
        self._out: set[bpy.types.Object] = set()  # what was taken out, and is still there
        self._is_reset = False
        self._reading = yield from read_scene(self.scene, self._view_layer, as_recorded=False)
        run = yield from self._prepare()
        records = LiveRecords(self._reading, run)
        with staged(self._reading, self._view_layer) as stage, running(self.scene, records):
            free_nails(self._reading)
            self._knobs, self._site = Knobs(self._reading), BuildingSite(self._reading, self._view_layer)
            self._knobs.note()
            self._run, self._before = run, self._clock()
            self._earlier = run.pose()
            self._show(stage)
            try:
                while not self._kept:
                    yield Progress(0.0, self.status)
                    if self._is_reset:
                        self._reset(records)
                    self._build(stage)
                    self._turn_knobs()
                    self._step(stage)
            finally:
                if self._kept not in (MOTION, ACTIONS):
                    self._switch_off_built()
            turned = self._knobs.turned
        if self._kept == VALUES:
            return self._keep_values(turned)
        return (yield from self._keep())

    def _let_out(self, names: list[str]) -> bool:
        """Parts of these names go, also out of the hand."""
        if not self._act(lambda: self._run.take_out(*names)):
            return False
        if self._spring and self._names[self._held] in names:
            self._spring = ""
        out = self._run.taken_out
        for owner in [owner for owner, name in self._site.names.items() if name in out]:
            self._knobs.forget(owner)
        return True

    def _build(self, stage: Stage) -> None:
        """Parts that have come or gone since the last tick."""
        if self._failure:
            return
        for owner, name in self._site.gone().items():
            is_body = any(binding.body.name == name for binding in self._reading.bodies)
            if owner in self._out or self._let_out([name]):
                self.message = f"{name} is gone, so it was taken out"
            self._site.forget(owner)
            self._knobs.forget(owner)
            if is_body:
                stage.take(self._names, self._reading.bodies)
        new = self._site.come(self._chosen())
        if new:
            self._put_in(new, stage)

    def _put_in(self, owners: list[bpy.types.Object], stage: Stage) -> None:
        """Let new parts in at the frame that has been reached, which is shown for that."""
        before = self._place_of(owners)
        if self._run.frame == 0 and self._reading.starts_elsewhere:
            self._advance(1, math.inf)  # from where parts are found where they are shown
        self._complete_frame()
        if self._failure:
            return
        self._due, self._shown = float(self._run.frame), -1.0
        self._earlier = self._run.pose()
        self._show(stage)
        self._carry_along(owners, before)
        known = self._run.present_mechanism()
        newcomers = self._site.read(owners, known)
        if newcomers.errors:
            self.message = str(newcomers.errors[0])
            return
        if not self._act(lambda: self._run.put_in(newcomers.addition)):
            return
        self._site.took(newcomers)
        self._names += [binding.body.name for binding in newcomers.bodies]
        for binding in newcomers.bodies:
            if binding.body.motion == "dynamic":
                note(binding.owner)
        stage.take(self._names, self._reading.bodies)
        self._knobs.take(owners, newcomers.reading, newcomers.bodies)
        self._switchboard.take(newcomers.addition)
        self._built += owners
        self._earlier = self._run.pose()
        self.message = f"Put in: {', '.join(owner.name for owner in owners)}"

    def _place_of(self, owners: list[bpy.types.Object]) -> dict[bpy.types.Object, Matrix]:
        """The matrices of the bodies at which new Empties stand that are nobody's children."""
        loose = [owner for owner in owners if owner.ves.role != "BODY" and owner.parent is None]
        ends = {owner: owner.ves.body_a or owner.ves.body_b for owner in loose}
        return {owner: body.matrix_world.copy() for owner, body in ends.items() if body is not None}

    def _carry_along(self, owners: list[bpy.types.Object], before: dict[bpy.types.Object, Matrix]) -> None:
        """New Empties go along with their bodies from the moment that was shown to the frame that is shown now."""
        for owner, matrix in before.items():
            body = owner.ves.body_a or owner.ves.body_b
            owner.matrix_basis = body.matrix_world @ matrix.inverted_safe() @ owner.matrix_basis
        if before:
            self._view_layer.update()

    def _switch_off_built(self) -> None:
        """Parts that were put in into a run that is not kept stay, switched off: they fit the moment of theirs."""
        for owner in self._built:
            try:
                if owner.ves.role != "BODY":
                    owner.ves.enabled = False
            except ReferenceError:
                continue

    def _chosen(self) -> list[bpy.types.Object]:
        chosen = [self._view_layer.objects.active, *self._view_layer.objects.selected]
        return [ob for ob in chosen if ob is not None]

    def _reset(self, records: LiveRecords) -> None:
        """To the first frame: what was turned meanwhile acts from there on, and nothing else that was done."""
        self._is_reset = False
        self._begin_again()
        records.begin_again(self._run)
        self._knobs.go_back()
        self._turn_knobs(self._knobs.owners)

    def _turn_knobs(self, owners: list[bpy.types.Object] | None = None) -> None:
        """Let what was changed in panels and view since the last tick act, from the frame on that is done.

        owners: whom to look at; without, at what is chosen, and at others in turn.
        """
        if self._failure:
            return
        for change in self._knobs.changes(self._chosen() if owners is None else owners):
            self._do(lambda change=change: [change])
        if self._knobs.message:
            self.message, self._knobs.message = self._knobs.message, ""

    def _keep_values(self, turned: dict[bpy.types.Object, dict[str, Any]]) -> PlayResult:
        for owner, values in turned.items():
            for name, value in values.items():
                if name == TABLES:
                    put_back_tables(owner.ves, value)
                else:
                    setattr(owner.ves, name, value)
        return PlayResult(settings=sum(map(len, turned.values())))

    def _keep(self) -> Iterator[Progress]:
        """Write what was chosen. The stage is cleared: the scene is as it was before the run."""
        result = PlayResult(failure=self._failure, culprits=self._culprits)
        recording = self._run.recording()
        if self._kept != ACTIONS and len(recording.times) < 2:
            refuse(self._culprits[0] if self._culprits else None, self._failure)
        if self._kept in (START, POSE):
            record(self._reading, self._run.mechanism, self._run.frame)
            result.ended = Ended(self._reading, self._run.mechanism, recording, self._kept == POSE)
            return result
        if self._kept == MOTION:
            mechanism = self._run.mechanism if self._run.actions else self._reading.mechanism
            reading = replace(self._reading, mechanism=mechanism)
            baked = yield from keep_motion(reading, self._view_layer, recording, self._failure)
            result.frames, result.warnings, result.advice = (baked.first, baked.last), baked.warnings, baked.advice
        if self._run.actions:
            result.actions = record(self._reading, self._run.mechanism, self._run.frame)
            if self._kept == MOTION:
                note_actions(self._reading.scene)
        return result
