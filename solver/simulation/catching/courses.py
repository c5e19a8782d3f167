# SPDX-License-Identifier: GPL-3.0-or-later
"""The courses on which ends are drawn together, those of `dynamics.tree.catching`.

A joint on its way is a closure (`CaughtJoint`), also where it belongs into a tree: no tree has coordinates for a joint
that is apart. When nothing that counts is left of its gap, the linkage ends, and another begins with the joint where it
belongs.
"""

import numpy as np

from ...mechanism import Mechanism
from ...mechanism.constraints import Constraint, Coupling, Curve, Span
from ...mechanism.error import refuse
from ...mechanism.joints import Joint
from ...mechanism.messages import Message
from ...model.arrays import Model, RowKind, Scratch
from ...model.closures import Anchor, rows_of
from ...model.linkage.compilation import Compiled, part_of
from ...model.moment import Moment, holds_where_it_is
from ...model.poses import rotation_matrices
from ...model.topology import Linkage
from .gaps import is_one_sided
from .waiting import Waiting

CANNOT_DRAW = ("variational", "quasi-static", "adaptive")  # integrators that draw nothing together
CANNOT_LET_GO = ("quasi-static", "adaptive")  # and those to which what holds on one side only does so on both
OPEN = 1e-6  # rad, or part of the linkage's size: a gap that is no rounding any more
_NOTHING = 1e-13  # rad, or part of the size: what is left when all is closed
_STEPS = 4.0  # of a fixed length in a time constant, at least
_LED = 1e-9  # rad, or part of the size: as near as what is led already
_LONGEST = 400.0  # time constants, from gaps of 1e150 times the size
_LOOKED_AT, _SAMPLES = 10.0, 1001  # time constants, and places of a course, on which it may go farther at first
_TURNED_OVER = 1e-3  # rad: from where it is not known which way leads back


def may_be_drawn(constraint: Constraint) -> bool:
    """True if a constraint that is enabled on the way may find its ends apart, and can draw them together."""
    if isinstance(constraint, (Coupling, Curve)) or holds_where_it_is(constraint):
        return False
    return not isinstance(constraint, Span) or constraint.given_length is not None


def joint_gap(joint: Joint, parent: Anchor, child: Anchor, coordinates: np.ndarray) -> tuple[float, float]:
    """(m, rad): how far a joint's ends are apart, with its frames' places and turns on the two bodies."""
    a, b = (
        end[1] @ rotation_matrices(np.array(turn))[0]
        for end, (_, turn) in zip((parent, child), joint.sides, strict=True)
    )
    away = a.T @ (child[0] - parent[0])
    apart = [away[axis] for kind, axis, _ in rows_of(joint.joint_type) if kind == RowKind.TRAVEL]
    if joint.pitch is not None:
        apart.append(away[2] - joint.pitch * coordinates[0])
    turns = joint.joint_type.turns
    relative = a.T @ b
    turned = 0.0
    if not turns:
        turned = float(np.arccos(np.clip(0.5 * (np.trace(relative) - 1.0), -1.0, 1.0)))
    elif len(turns) == 1:
        axis = turns[0].axis
        turned = float(np.arctan2(np.linalg.norm(np.delete(relative[:, axis], axis)), relative[axis, axis]))
    elif len(turns) == 2:
        turned = float(abs(np.arcsin(np.clip(relative[turns[0].axis, turns[1].axis], -1.0, 1.0))))
    return float(np.linalg.norm(apart)), turned


def begin_courses(
    mechanism: Mechanism, compiled: Compiled, moment: Moment | None, gap: np.ndarray, opening: np.ndarray, when: str
) -> list[Message]:
    """Lets all that is to be drawn together begin with gaps (M,) and their rates (M,); returns notes on what is new.

    What fits although it need not, and does not say a time constant, holds at once. Raises MechanismError for what is
    turned over.
    """
    model, notes, problems = compiled.model, [], []
    time = 0.0 if moment is None else moment.time
    parts = {"joint": mechanism.joints, "constraint": mechanism.constraints}
    known = {} if moment is None else moment.known
    for source, closure in zip(compiled.sources, model.closures, strict=True):
        if not closure.tau > 0.0:
            continue
        rows = slice(closure.row_start, closure.row_end)
        unit = np.where(model.rows.is_length[rows] == 1, model.size, 1.0)
        if source.kind == "motor" and _is_there(gap[rows] / unit, closure.tau * opening[rows] / unit):
            closure.tau = 0.0
            continue
        asks = moment is not None and _asks(mechanism, source)
        if source not in known and not asks and not (np.abs(gap[rows]) / unit).max() > OPEN:
            closure.tau = 0.0
            continue
        if _is_turned_over(model, closure, gap[rows], closure.tau * opening[rows]):
            problems.append(Message("turned-over", part_of(mechanism, source), gap=said(model, rows, gap), when=when))
            continue
        model.rows.gap[rows], model.rows.opening[rows] = gap[rows], opening[rows]
        closure.begun = time
        closure.limit = 0.0 if source.kind == "motor" else parts[source.kind][source.index].force or 0.0
        if closure.limit > 0.0:
            closure.settled = np.inf
            if source not in known:
                how = {"gap": said(model, rows, gap) or "at different speeds", "start": f"{time:.6g}"}
                notes.append(Message("caught-by-force", part_of(mechanism, source), force=f"{closure.limit:g}", **how))
            continue
        closure.settled = time + closure.tau * _settling(gap[rows] / unit, closure.tau * opening[rows] / unit)
        if source not in known:
            when_closed = {"start": f"{time:.6g}", "end": f"{closure.settled:.6g}"}
            part, how = part_of(mechanism, source), said(model, rows, gap)
            if source.kind == "motor":
                notes.append(Message("led", part, gap=how or "at another speed", **when_closed))
            else:
                notes.append(Message("caught", part, gap=how or "at different speeds", **when_closed))
    refuse(problems)
    ends = model.closures.settled[(model.closures.settled > time) & np.isfinite(model.closures.settled)]
    compiled.stops = np.union1d(compiled.stops, ends)
    return notes


def said(model: Model, rows: slice, gap: np.ndarray) -> str:
    """In words how far a closure is open, as far as that is no rounding."""
    turns = model.rows.is_length[rows] == 0
    apart, turn = np.linalg.norm(gap[rows][~turns]), np.linalg.norm(gap[rows][turns])
    parts = [f"{apart:.3g} m apart"] if apart > OPEN * model.size else []
    parts += [f"turned by {np.degrees(turn):.3g} degrees"] if turn > OPEN else []
    return " and ".join(parts)


def _asks(mechanism: Mechanism, source) -> bool:
    if source.kind == "motor":
        return True  # one that begins on the way must not jump
    parts = mechanism.constraints if source.kind == "constraint" else mechanism.joints
    return parts[source.index].tau is not None


def _is_turned_over(model: Model, closure, gap: np.ndarray, way: np.ndarray) -> bool:
    """True if two axes that are to be one are opposite on the course, or two that are to be at right angles are one.

    gap (rad), and `way`, its rate times tau: on a course that begins outwards it grows at first. A rotation vector may
    be as long as a whole turn.
    """
    turns = model.rows.kind[closure.row_start : closure.row_end] == RowKind.TURN
    farthest = {1: 0.5 * np.pi, 2: np.pi, 3: 2.0 * np.pi}.get(int(turns.sum()))
    if farthest is None:
        return False
    s = np.linspace(0.0, _LOOKED_AT, _SAMPLES)[:, None]
    course = (gap[turns] + (gap[turns] + way[turns]) * s) * np.exp(-s)
    return float(np.linalg.norm(course, axis=1).max()) > farthest - _TURNED_OVER


def _is_there(gap: np.ndarray, way: np.ndarray) -> bool:
    """True if what a motor leads is where it leads, and as fast: parts of the scale, and of it in its tau."""
    return bool(max(np.abs(gap).max(), np.abs(way).max()) < _LED)


def _settling(gap: np.ndarray, way: np.ndarray) -> float:
    """Time constants until nothing is left of gaps (parts of the scale) and of `way`, their rates times tau."""
    most, both = np.abs(gap).max(), np.abs(gap + way).max() + np.abs(way).max()
    for s in np.arange(1.0, _LONGEST):
        if (most + both * (s + 1.0)) * np.exp(-s) < _NOTHING:
            return float(s)
    return _LONGEST


def carry_courses(old: Model, new: Model) -> None:
    """Lets what is drawn together go on as it was, in another model of the same closures."""
    closing, rows = int((old.closures.row_start < old.closing).sum()), old.closing
    for name in ("tau", "begun", "settled", "limit"):
        new.closures[name][:closing] = old.closures[name][:closing]
    for name in ("gap", "opening"):
        new.rows[name][:rows] = old.rows[name][:rows]


def draws_by_force(model: Model) -> bool:
    """True if anything is drawn together by a limited force."""
    return bool((model.closures.limit > 0.0).any())


def no_quicker_than(model: Model, interval: float) -> None:
    """Lets limited forces draw no quicker than steps of a fixed length (s) can follow: those of Euler's hold to it."""
    limited = model.closures.limit > 0.0
    model.closures.tau[limited] = np.maximum(model.closures.tau[limited], _STEPS * interval)


def gaps_now(model: Model, scratch: Scratch, closure) -> tuple[np.ndarray, np.ndarray]:
    """Gaps (rad, parts of the size) of a limited closure's rows, and their rates times tau, as last evaluated."""
    rows = slice(closure.row_start, closure.row_end)
    allowed = scratch.rows.allowed[rows] / np.where(model.rows.is_length[rows] == 1, model.size, 1.0)[:, None]
    return allowed[:, 0], closure.tau * allowed[:, 1]


def have_met(mechanism: Mechanism, compiled: Compiled, scratch: Scratch) -> list[str]:
    """The names of what a limited force has drawn together but for a rest that any force may close."""
    names = []
    for source, closure in zip(compiled.sources, compiled.model.closures, strict=True):
        if (
            closure.limit > 0.0
            and max(np.abs(each).max() for each in gaps_now(compiled.model, scratch, closure)) < OPEN
        ):
            names.append(part_of(mechanism, source)[1])
    return names


def refuse_one_sided(mechanism: Mechanism, linkage: Linkage, integrator: str) -> None:
    """Raises MechanismError if anything one-sided holds a linkage, by an integrator that cannot let it go."""
    parts = (mechanism.constraints[k] for k in (*linkage.constraints, *linkage.within_backlash))
    names = [each.name for each in parts if is_one_sided(each)]
    refuse(Message("one-sided-by-steps", ("constraint", name), integrator=integrator) for name in names)


def refuse_drawing(mechanism: Mechanism, compiled: Compiled, integrator: str) -> None:
    """Raises MechanismError if anything is to be drawn together, or waits for that, by an integrator that cannot."""
    one_sided = {each.name for each in mechanism.constraints if is_one_sided(each)}
    drawn = [part_of(mechanism, compiled.sources[k]) for k in np.flatnonzero(compiled.model.closures.tau > 0.0)]
    joints = {joint.name for joint in mechanism.joints}
    lets_go = one_sided if integrator not in CANNOT_LET_GO else set()
    waiting = [name for name in Waiting(mechanism, compiled).names if name not in lets_go]
    drawn += [("joint" if name in joints else "constraint", name) for name in waiting]
    codes = {part: "one-sided-by-steps" if part[1] in one_sided else "catch-by-steps" for part in drawn}
    refuse(Message(code, part, integrator=integrator) for part, code in codes.items())


def come_together(mechanism: Mechanism, compiled: Compiled, time: float) -> list[str]:
    """The joints that were on their way, and at a time (s) have arrived."""
    names = []
    for source, closure in zip(compiled.sources, compiled.model.closures, strict=True):
        if source.kind == "joint" and not closure.gives_way and closure.settled <= time:
            joint = mechanism.joints[source.index]
            names += [joint.name] if joint.is_caught else []
    return names
