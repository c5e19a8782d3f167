# SPDX-License-Identifier: GPL-3.0-or-later
"""Words on what holds more than it needs to, and on what could not be held."""

import numpy as np

from ..integration.motion.observation import Frames
from ..mechanism import Mechanism
from ..model.closures import Source
from ..model.compilation import Compiled

_NAMED = 5  # that a note lists
_MET = 1e-6  # rad, or part of the linkage's size: an opening that is no rounding any more


def closure_name(mechanism: Mechanism, source: Source) -> str:
    """The name of a closure's joint or constraint, with its kind."""
    if source.kind == "constraint":
        return f"constraint '{mechanism.constraints[source.index].name}'"
    return f"joint '{mechanism.joints[source.index].name}'"


def notes_on_closures(mechanism: Mechanism, compiled: Compiled, frames: Frames, count: int) -> list[str]:
    """Lines on the first `count` frames of one linkage."""
    return _redundant(mechanism, compiled, frames, count) + _not_met(mechanism, compiled, frames, count)


def _redundant(mechanism: Mechanism, compiled: Compiled, frames: Frames, count: int) -> list[str]:
    """Closures that have redundant rows at most frames: at a dead centre there are more for a moment."""
    usual = np.median(frames.redundant[:count], axis=0) if count else np.zeros(0)
    names = [closure_name(mechanism, compiled.sources[k]) for k in np.flatnonzero(usual)]
    if not names:
        return []
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return [
        f"redundant: {', '.join(names[:_NAMED])}{more}: {int(usual.sum())} of their conditions already follow from the "
        "others; the motion is determined, single forces in that loop are not and are given with the least norm"
    ]


def _not_met(mechanism: Mechanism, compiled: Compiled, frames: Frames, count: int) -> list[str]:
    notes = []
    for k in range(frames.closure_error.shape[1]):
        turns = not compiled.model.rows[compiled.model.closures[k].row_start].is_length
        allowed = _MET * (1.0 if turns else compiled.model.size)
        error = frames.closure_error[:count, k]
        open_frames = np.flatnonzero(error > allowed)
        if len(open_frames):
            notes.append(
                f"{closure_name(mechanism, compiled.sources[k])}: could not be met from frame {open_frames[0]} on; "
                f"largest gap {error.max():.3g} {'rad' if turns else 'm'}"
            )
    return notes
