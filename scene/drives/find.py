# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Torques: read the motion, ask the solver which efforts make it, keep them beside the joints."""

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import bpy

from ...solver import MechanismError, RunError, SimulationFailed
from ...solver.drives.drive_efforts import DriveEfforts, DriveSearch
from ...solver.drives.motion import leads
from ...solver.mechanism.messages import Message
from ..bake.bake import Progress
from ..bake.thread import beside
from ..findings import Finding, need_scipy, of_solver, pass_on, refuse, refuse_all
from ..properties.scene import RELATIVE_TOLERANCE
from ..quantities.needed import Peak, forget_needed, keep_needed
from ..quantities.plots import renew_plots
from ..read.moved import take_along
from ..read.reading import Reading
from ..read.scene import read_over_time

READ_SHARE = 0.3
NOTHING = 1e-9  # N m or N: not worth naming
UNSAID = ("integrator", "velocities-changed", "keys-end")
"""Notes on the motion that a bake would tell."""


@dataclass
class TorqueResult:
    """Result of Find Torques: how many joints, which needs the most, and what should be known."""

    first: int
    last: int
    joints: int
    seconds: float
    largest: str
    warnings: list[Finding] = field(default_factory=list)

    @property
    def summary(self) -> str:
        """One line for the status bar and the panel."""
        joints = f"{self.joints} joint{'' if self.joints == 1 else 's'}"
        found = f"Found torques of {joints}, frames {self.first} to {self.last}, in {self.seconds:.1f} s"
        return f"{found}. {self.largest}" if self.largest else found


def find_torques(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, chosen: Collection[bpy.types.Object] = ()
) -> Iterator[Progress]:
    """Find them by the settings of the scene; yields Progress often and returns a TorqueResult.

    chosen: what is selected, of which the joints count if only these have drives. Nothing is changed before all is
    found. Raises SceneError naming what cannot be taken.
    """
    started, settings = time.perf_counter(), scene.ves
    need_scipy()
    take_along(scene)
    is_shown = settings.torque_motion == "SHOWN"
    if is_shown:
        _refuse_live(scene)
    steps = read_over_time(scene, view_layer, as_recorded=False, as_shown=is_shown, weighs=True)
    try:
        while True:
            progress = next(steps)
            yield Progress(READ_SHARE * progress.fraction, progress.text)
    except StopIteration as end:
        reading = end.value
    finally:
        steps.close()
    _refuse_without_motion(reading)
    result = yield from _search(reading, _drives(reading, chosen))
    yield Progress(1.0, "Keeping the torques")
    _keep(reading, result)
    renew_plots(scene)
    return _told(reading, result, started)


def _refuse_live(scene: bpy.types.Scene) -> None:
    """Raises SceneError for live linkages: their motion is in no keys, and they stand still while it is read."""
    text = "is live, so that no keys have its motion: press Live to Keys first"
    refuse_all([Finding(ob, text) for ob in scene.objects if ob.ves.role == "BODY" and ob.ves.is_live])


def _refuse_without_motion(reading: Reading) -> None:
    mechanism = reading.mechanism
    if not any(leads(body) for body in mechanism.bodies) and not any(joint.led for joint in mechanism.joints):
        refuse(None, "nothing is keyed that weighs something: make animated bodies Keyed, or choose Motion, As Shown")


def _drives(reading: Reading, chosen: Collection[bpy.types.Object]) -> list[str] | None:
    """The names of the joints with drives; None for those with a motor. Raises SceneError if there are none."""
    able = [joint for joint in reading.mechanism.joints if joint.enabled and joint.count and joint.type != "contact"]
    if not able:
        refuse(None, "there is no joint that could be driven: connect the bodies by hinges, sliders or balls first")
    which = reading.scene.ves.torque_drives
    if which == "MOTORS":
        return None
    if which == "ALL":
        return [joint.name for joint in able]
    names = {ob.name_full for ob in chosen}
    found = [joint.name for joint in able if joint.name in names]
    if not found:
        refuse(None, "no joint that can move is selected: select those with drives, or choose other Drives")
    return found


def _search(reading: Reading, drives: list[str] | None) -> Iterator[Progress]:
    scene = reading.scene
    try:
        search = DriveSearch(
            reading.mechanism, reading.duration, reading.frame_rate, RELATIVE_TOLERANCE[scene.ves.accuracy], drives
        )
        for share in beside(search.run()):
            yield Progress(READ_SHARE + (1.0 - READ_SHARE) * (share or 0.0), "Finding torques", True)
    except (MechanismError, RunError) as error:
        pass_on(error, scene, reading.first)
    except SimulationFailed as error:
        culprits = [owner for owner in map(reading.object_of, error.body_names) if owner]
        frame = reading.first + error.time * reading.frame_rate
        refuse(culprits[0] if culprits else None, f"the motion stops at frame {frame:.1f}: {error.reason}")
    return search.result


def _keep(reading: Reading, result: DriveEfforts) -> None:
    """Put the torques beside the joints and bodies, in the place of those found before."""
    scene, frames = reading.scene, len(result.times)
    parts = {part.name_full: part for part in scene.objects if part.ves.role != "NONE"}
    forget_needed(scene)
    power, peaks, lacking = result.power(), result.peaks(), result.unmet()
    for j, joint in enumerate(reading.mechanism.joints):
        columns = slice(result.joint_offsets[j], result.joint_offsets[j + 1])
        values = {"joint_type": joint.joint_type.name.upper()}
        own = [peak for peak in peaks if peak.joint == joint.name]
        if own:
            values |= {"needed": result.joint_effort[:, columns], "power": power[:, columns]}
        elif joint.name in lacking:
            values["unmet"] = result.joint_unmet[:, columns]
        else:
            continue
        told = [Peak(p.effort, reading.first + p.time * reading.frame_rate, *p[5:]) for p in own]
        if joint.name in parts:
            keep_needed(parts[joint.name], reading.first, reading.frame_rate, frames, values, told)
    for i, body in enumerate(reading.mechanism.bodies):
        floats = body.name in lacking
        if body.name in parts and (floats or leads(body)):
            unmet = result.body_unmet[:, i]
            values = {"unmet_force": unmet[:, :3], "unmet_moment": unmet[:, 3:]} if floats else {}
            keep_needed(parts[body.name], reading.first, reading.frame_rate, frames, values, [])


def _told(reading: Reading, result: DriveEfforts, started: float) -> TorqueResult:
    peaks = result.peaks()
    torques, forces = ([p for p in peaks if p.is_length is is_length] for is_length in (False, True))
    most = []
    for unit, some in (("N m", torques), ("N", forces)):
        peak = max(some, key=lambda p: abs(p.effort), default=None)
        if peak is not None and abs(peak.effort) > NOTHING:
            frame = reading.first + peak.time * reading.frame_rate
            most.append(f"{abs(peak.effort):.3g} {unit} at {peak.joint}, frame {frame:.0f}")
    warnings = list(reading.warnings)
    notes = [note for note in result.notes if isinstance(note, Message) and note.code not in UNSAID]
    warnings += [of_solver(note, reading.scene, reading.first) for note in notes]
    return TorqueResult(
        reading.first,
        reading.last,
        len({peak.joint for peak in peaks}),
        time.perf_counter() - started,
        f"At most {' and '.join(most)}" if most else "",
        warnings,
    )
