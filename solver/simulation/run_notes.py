# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes on what is worth a word about one linkage's run: what was approximated, given up, or took long, by name."""

from collections.abc import Sequence

import numpy as np

from ..assembly.rigidity import note_on_locked
from ..dynamics.tree.joints import has_rotation_vector
from ..mechanism import Mechanism
from ..mechanism.constraints import Curve
from ..mechanism.forces import Approach, Balance, Support, Tyre
from ..mechanism.messages import Message
from ..mechanism.table import Table
from ..model.arrays import (
    AXIS_PARAMETERS,
    DAMPING,
    MOTOR_DAMPING,
    MOTOR_STIFFNESS,
    RECURSIVE,
    STIFFNESS,
)
from ..model.linkage.compilation import part_of
from ..model.parameters import acting
from .catching.courses import said
from .catching.ends import Ends
from .closure_notes import notes_on_closures, number_over
from .contact_totals import deepest_overlap, largest_gain, overlap_at_start
from .integrator_choice import stiffest_part
from .linkage_motion import COARSER
from .linkage_run import LinkageRun
from .recording import LinkageWork

_ORDERS = "degree", "order"  # in the counts of the implicit integrator, and of Adams
_FEW = 3  # stretches of time that are told one by one
_MANY = 10000  # evaluations per second of motion that are worth a word
_FAST = 1000.0  # 1/s: a joint's spring or damper faster than this makes steps short
_DEEP = 0.05  # thicknesses: an overlap that is worth a word
_DEEPER = 1.2  # times the overlap at the start: one that came about later
_FOLDED = 3e-4  # of the most kinetic energy: what folds may take or give unsaid,
_SUDDEN = 30.0  # and times the usual change from frame to frame
_SHORT = 1e-3  # of an arm's length: a target so much beyond it
_MUCH = 1e-4  # of an island's energy: a gain in one step that is


def notes_on_runs(runs: Sequence[LinkageRun], first: Mechanism) -> list[str]:
    """All that a recording says of its linkages; `first`: the mechanism before all actions.

    A linkage that is changed on the way has a run for each stretch: what could not be met in several is told once, with
    its first frame and its largest gap.
    """
    told: dict[object, str] = {}
    for note in (note for run in runs for note in _on_run(run, first)):
        is_gap = isinstance(note, Message) and note.code == "not-met"
        key = note.parts if is_gap else str(note)
        before = told.setdefault(key, note)
        if is_gap and _gap(note) > _gap(before):
            told[key] = Message("not-met", *note.parts, **before.values | {"gap": note.values["gap"]})
    return [*told.values(), *_on_cams(runs, first)]


def _on_cams(runs: Sequence[LinkageRun], first: Mechanism) -> list[str]:
    """Says which cams never touch their followers."""
    waiting = {force.name for force in first.forces if isinstance(force, Approach) and force.enabled}
    cams = {k for k, each in enumerate(first.constraints) if isinstance(each, Curve) and each.name in waiting}
    met = {source.index for run in runs for source, _ in run.closures if source.kind == "constraint"}
    has_moved = any(run.done > 1 for run in runs)
    names = [first.constraints[k].name for k in sorted(cams - met)] if has_moved else []
    return [Message("cam-not-met", ("constraint", name)) for name in names]


def _gap(note: Message) -> float:
    return float(note.values["gap"].split()[0])


def _on_run(run: LinkageRun, first: Mechanism) -> list[str]:
    notes = (
        _on_integrator(run)
        + note_on_stiffness(run)
        + _on_accuracy(run)
        + _on_stretch(run)
        + _on_impacts(run)
        + _on_overlaps(run)
        + _on_half_turns(run)
        + _on_catching(run)
        + _on_folds(run)
        + _on_rest(run)
        + _on_held_joints(run)
        + _on_terrains(run)
        + _on_hands(run)
    )
    return notes + _on_gains(run) + notes_on_closures(first, run.compiled, run.frames, run.done, run.first)


def merged(notes: Sequence[Message]) -> list[Message]:
    """Notes on changed velocities of the same bodies, of which more than two are one, where the first of them is."""
    rows: dict[tuple, list[Message]] = {}
    for note in notes:
        if note.code == "velocities-changed":
            rows.setdefault(_whose(note), []).append(note)
    found = []
    for note in notes:
        row = rows[_whose(note)] if note.code == "velocities-changed" else []
        if len(row) < 3:
            found.append(note)
        elif note is row[0]:
            when = f"{note.values['when']}, and {len(row) - 1} times more until {row[-1].values['when']}"
            found.append(Message(note.code, *note.parts, **(note.values | {"when": when})))
    return found


def _whose(note: Message) -> tuple:
    return note.parts, note.values.get("more")


def work_of(run: LinkageRun, is_chosen: bool) -> LinkageWork:
    """The integration of a linkage until now; `is_chosen`: by `auto`."""
    changes = tuple(run.choice.changes_of(run.integrator)) if run.choice is not None else ()
    compiled, counts = run.compiled, run.memory.counts
    order = next((int(counts[name][0]) for name in _ORDERS if name in (counts.dtype.names or ())), 0)
    return LinkageWork(
        bodies=tuple(dict.fromkeys(compiled.linkage.bodies)),
        begun=run.since,
        integrator=run.integrator,
        evaluations=run.evaluations,
        steps=run.steps,
        order=order,
        changes=changes,
        stiffest=stiffest_part(run.mechanism, compiled) if changes else None,
        touches=bool(compiled.linkage.touches),
        is_chosen=is_chosen,
    )


def _on_integrator(run: LinkageRun) -> list[str]:
    """Says when the implicit integrator took over, and for how long."""
    changes = run.choice.changes_of(run.integrator) if run.choice is not None else []
    stretches = [
        (change.time, changes[k + 1].time if k + 1 < len(changes) else None)
        for k, change in enumerate(changes)
        if change.integrator == "implicit"
    ]
    if not stretches:
        return []
    said = [f"from {a:.6g} s on" if b is None else f"from {a:.6g} to {b:.6g} s" for a, b in stretches[:_FEW]]
    more = [f"{len(stretches) - _FEW} times more"] if len(stretches) > _FEW else []
    body = run.mechanism.bodies[run.compiled.linkage.bodies[0]].name
    return [Message("integrator-changed", ("body", body), when=", ".join(said + more))]


def _on_accuracy(run: LinkageRun) -> list[str]:
    """Says from where on the tolerance that was asked for could not be kept."""
    if run.coarser_from is None:
        return []
    return [Message("coarser", frame=run.coarser_from, tolerance=f"{COARSER[0]:.0e}")]


def _on_catching(run: LinkageRun) -> list[str]:
    """Names what a limited force has not drawn together by the end."""
    if run.done < len(run.frame_times):
        return []
    model, notes = run.compiled.model, []
    for source, closure in zip(run.compiled.sources, model.closures, strict=True):
        if closure.limit > 0.0:
            rows = slice(closure.row_start, closure.row_end)
            apart = said(model, rows, -run.scratch.rows.allowed[: len(model.rows), 0])
            if apart:
                part = part_of(run.mechanism, source)
                notes.append(Message("caught-open", part, force=f"{closure.limit:g}", gap=apart))
    return notes


def _on_stretch(run: LinkageRun) -> list[str]:
    """Names what was stretched, and so gave way by the last digits."""
    return [note_on_locked(found) for found in run.stretched or ()]


def _on_impacts(run: LinkageRun) -> list[str]:
    """Says where impacts that should bounce have been ended without a bounce, and what that took."""
    ended = run.impacts[run.impacts.lost > 0.0]
    if not len(ended):
        return []
    time, energy = f"{ended.time[0]:.6g}", f"{ended.lost.sum():.2g}"
    return [Message("impacts-ended", time=time, count=len(ended), energy=energy)]


def _on_overlaps(run: LinkageRun) -> list[str]:
    """Names the two bodies that came to overlap most, if that is more than contact promises, or started so."""
    later = deepest_overlap(run.memory)
    is_deep = later is not None and later.part > _DEEP
    if not run.done or not (is_deep or run.is_soft):
        return []
    begins = run.first == 0 and run.moment is None
    notes, start = [], overlap_at_start(run.compiled, run.frames, run.frame_times[0]) if begins else None
    if start is not None and start.part > _DEEP:
        notes.append(_overlap(run, "starts-inside", start))
    if is_deep and (not notes or later.part > _DEEPER * start.part):
        notes.append(_overlap(run, "overlap", later, time=f"{later.time:.6g}"))
    return notes


def _overlap(run: LinkageRun, code: str, found, **how: str) -> Message:
    names = [run.mechanism.bodies[k].name if k >= 0 else None for k in (run.compiled.places[i] for i in found.body)]
    one, other = (f"'{name}'" if name is not None else "the ground" for name in names)
    parts = [("body", name) for name in names if name is not None]
    how |= {"depth": f"{found.depth:.2g}", "percent": f"{100.0 * found.part:.2g}"}
    return Message(code, *parts, one=one, other=other, **how)


def _on_gains(run: LinkageRun) -> list[str]:
    """Names who has gained energy that the bound of `integration.impulse.energy_bound` could not take back."""
    found = largest_gain(run.memory)
    if found is None or not found.part > _MUCH:
        return []
    part = "body", run.mechanism.bodies[run.compiled.places[found.body]].name
    how = {"energy": f"{found.energy:.2g}", "percent": f"{100.0 * found.part:.2g}", "time": f"{found.time:.6g}"}
    return [Message("gain", part, **how)]


def _on_folds(run: LinkageRun) -> list[str]:
    """Says that steps of one length have changed the energy where a loop folds, if nothing else may change it."""
    if run.integrator != "variational" or not run.compiled.model.closing or not _keeps_energy(run.mechanism):
        return []
    energy = run.frames.kinetic[: run.done] + run.frames.potential[: run.done]
    off, change = np.abs(energy - energy[:1]), np.abs(np.diff(energy))
    most = run.frames.kinetic[: run.done].max(initial=0.0)
    if not off.max(initial=0.0) > _FOLDED * most or not change.max() > _SUDDEN * np.median(change):
        return []
    body = "body", run.mechanism.bodies[run.compiled.linkage.bodies[0]].name
    time = f"{run.frame_times[1 + int(np.argmax(change))]:.6g}"
    return [
        Message("fold-energy", body, time=time, energy=f"{off.max():.2g}", percent=f"{100.0 * off.max() / most:.2g}")
    ]


def _on_rest(run: LinkageRun) -> list[str]:
    """Says since when what moves without inertia is at rest, or that it is not."""
    if run.integrator != "quasi-static" or not run.done:
        return []
    bodies, clock, last = run.compiled.linkage.bodies, run.memory.clock[0], run.done - 1
    root = "body", run.mechanism.bodies[bodies[0]].name
    notes = [Message("no-rest", root, time=f"{clock.missed:.6g}")] if np.isfinite(clock.missed) else []
    if np.isfinite(clock.rests):
        return [*notes, Message("comes-to-rest", root, time=f"{clock.rests:.6g}")]
    speeds = np.linalg.norm(run.frames.linear[last], axis=1)
    k = int(np.argmax(speeds))
    if run.first + run.done < 2 or not speeds[k] > 0.0:
        return notes
    name = run.mechanism.bodies[bodies[k]].name
    return [*notes, Message("goes-on", ("body", name), name=f"'{name}'", speed=f"{speeds[k]:.2g} m/s")]


def _on_held_joints(run: LinkageRun) -> list[str]:
    """Says how many joints were simulated, if only some were at a time."""
    if run.integrator != "adaptive" or not run.memory.counts[0].chosen:
        return []
    counts, clock, linkage = run.memory.counts[0], run.memory.clock[0], run.compiled.linkage
    mean = round(counts.simulated / counts.chosen)
    how = {"count": len(linkage.bodies), "mean": mean, "most": int(counts.most)}
    how |= {"time": f"{clock.busiest:.6g}", "left": f"{clock.left_out:.2g} rad/s2"}
    return [Message("simulated-joints", ("body", run.mechanism.bodies[linkage.bodies[0]].name), **how)]


def _on_terrains(run: LinkageRun) -> list[str]:
    """Names what stands on a terrain, and comes to be beyond its edge."""
    mechanism, notes = run.mechanism, []
    terrains = {terrain.name: terrain for terrain in mechanism.terrains}
    forces = [mechanism.forces[i] for i in run.compiled.linkage.forces]
    forces = [each for each in forces if isinstance(each, Support | Tyre) and each.enabled and each.terrain is not None]
    if not forces or not run.done:
        return []
    points = [(each.body, [x.values[0] if isinstance(x, Table) else x for x in each.point]) for each in forces]
    places = Ends(mechanism, run.compiled, points).in_frames(run.frames, run.done)
    for force, way in zip(forces, places.swapaxes(0, 1), strict=True):
        terrain = terrains[force.terrain]
        low = np.array(terrain.origin[:2])
        high = low + np.multiply(terrain.spacing, (len(terrain.heights[0]) - 1, len(terrain.heights) - 1))
        outside = np.flatnonzero(((way[:, :2] < low) | (way[:, :2] > high)).any(axis=1))
        if len(outside):
            time = f"{run.frame_times[outside[0]]:.6g}"
            notes.append(Message("beyond-terrain", ("force", force.name), terrain=f"'{terrain.name}'", time=time))
    return notes


def _on_hands(run: LinkageRun) -> list[str]:
    """Names hands whose targets are farther from the shoulder than the arm is long, by more than rounding."""
    figures, mechanism, notes = run.compiled.figures, run.mechanism, []
    forces = acting([mechanism.forces[i] for i in run.compiled.linkage.forces])
    balances = [force for force in forces if isinstance(force, Balance)]
    for figure, balance in zip(figures.figures, balances, strict=True):
        for hand in figures.hands[figure.hand_start : figure.hand_end]:
            force = forces[hand.force]
            if not force.enabled or not balance.enabled or not run.done:
                continue
            times = run.frame_times[: run.done]
            shoulders = Ends(mechanism, run.compiled, [(balance.body, hand.shoulder)]).in_frames(run.frames, run.done)
            targets = np.column_stack([number_over(number, times) for number in force.target])
            short = np.linalg.norm(targets - shoulders[:, 0], axis=1) - hand.reach
            far = np.flatnonzero(short > _SHORT * hand.reach)
            if len(far):
                whole = len(far) == run.done
                when = "all the time" if whole else f"from {times[far[0]]:.6g} to {times[far[-1]]:.6g} s"
                notes.append(Message("hand-short", ("force", force.name), when=when, gap=f"{short.max():.2g}"))
    return notes


def _keeps_energy(mechanism: Mechanism) -> bool:
    """True if nothing in a mechanism is driven, damped or changed on the way."""
    if mechanism.actions or any(body.motion == "keyed" for body in mechanism.bodies):
        return False
    parts = mechanism.joints + mechanism.constraints + mechanism.forces
    if any(isinstance(value, Table) for part in parts for value in vars(part).values()):
        return False
    if any(
        joint.motor
        or joint.limits
        or any(joint.damper or ())
        or any(np.any(number) for number in (joint.damping, joint.friction, joint.static_friction))
        for joint in mechanism.joints
    ):
        return False
    if any(part.guide is not None for part in mechanism.constraints):
        return False
    return all(
        force.type == "gravity" or (force.type == "spring" and not force.damping and force.damper is None)
        for force in mechanism.forces
    )


def _on_half_turns(run: LinkageRun) -> list[str]:
    """Names ball joints whose spring or motor has passed a half turn, where the rotation vector changes its sign."""
    model, notes = run.compiled.model, []
    numbers = run.scratch.parameters[: AXIS_PARAMETERS * len(model.armature)].reshape(-1, AXIS_PARAMETERS)
    is_sprung = (numbers[:, STIFFNESS] != 0.0) | (numbers[:, MOTOR_STIFFNESS] != 0.0)
    for body, joint in zip(model.bodies[model.driven :], run.compiled.linkage.joint, strict=False):
        axes = slice(body.axis_end - 3, body.axis_end)
        if joint is None or not has_rotation_vector(body.kind) or not is_sprung[axes].any():
            continue
        theta = run.frames.coordinates[: run.done, axes]
        length = np.linalg.norm(theta, axis=1)
        is_turned_round = (theta[1:] * theta[:-1]).sum(axis=1) < 0.0
        passed = 1 + np.flatnonzero(is_turned_round & (length[1:] + length[:-1] > np.pi))
        if len(passed):
            time = f"{run.frame_times[passed[0]]:.6g}"
            part = "joint", run.mechanism.joints[joint].name
            notes.append(Message("half-turn", part, time=time, count=len(passed)))
    return notes


def note_on_stiffness(run: LinkageRun) -> list[str]:
    """Names the joint whose spring or damper made the steps short, if one did."""
    model, driven = run.compiled.model, run.compiled.model.driven
    are_many = run.evaluations > _MANY * max(run.time - run.since, 0.1)
    if not are_many or not len(model.sprung) or model.method != RECURSIVE:
        return []  # only the recursion leaves the inertia about each axis behind
    numbers = run.scratch.parameters[: AXIS_PARAMETERS * len(model.armature)].reshape(-1, AXIS_PARAMETERS)
    inertia = np.where(run.scratch.axes.D > 0.0, run.scratch.axes.D, np.inf)  # none is known just behind a change
    damping = (numbers[:, DAMPING] + numbers[:, MOTOR_DAMPING]) / inertia
    stiffness = (numbers[:, STIFFNESS] + numbers[:, MOTOR_STIFFNESS]) / inertia
    rates = np.maximum(damping, np.sqrt(stiffness))
    axis = int(np.argmax(rates))
    if rates[axis] < _FAST:
        return []
    body = int(np.searchsorted(model.bodies.axis_end[driven:], axis, side="right"))
    joint = run.mechanism.joints[run.compiled.linkage.joint[body]]
    time = f"{1.0 / rates[axis]:.0e}"
    return [Message("too-stiff", ("joint", joint.name), time=time, evaluations=run.evaluations)]
