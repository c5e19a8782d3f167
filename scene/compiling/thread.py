# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver's machine code is made in a thread of its own, so that Blender's window goes on meanwhile.

The compiler lets go of Python's lock most of the time, and the thread touches nothing of Blender. It can't be stopped
half-way: after a cancelled bake it finishes by itself, and the next bake finds the work done.
"""

import itertools
import threading
from collections.abc import Iterator

from ...solver.simulation import inspection
from . import ahead as compiling_ahead

NAP = 0.01  # s to wait between two looks at the thread


class _Compilation(threading.Thread):
    def __init__(self, pieces: Iterator[str]) -> None:
        super().__init__(name="compile the solver")
        self._work = pieces
        self.piece = ""
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            for piece in self._work:
                self.piece = piece
                compiling_ahead.wait_for(piece)
        except BaseException as error:  # noqa: BLE001 - raised again where it can be reported
            self.error = error


_compilation: _Compilation | None = None


def compile_solver(pieces: Iterator[str], with_inspection: bool = True) -> Iterator[str]:
    """Compile or load what a run needs; yields what it is doing, often.

    `pieces` does the work, and touches nothing of Blender. `with_inspection`: also what Inspect needs once the run is
    kept.
    """
    global _compilation
    while _compilation is not None and _compilation.is_alive():  # of a bake that was cancelled
        yield _compilation.piece
        _compilation.join(NAP)
    _compilation = _Compilation(itertools.chain(pieces, inspection.warm_up()) if with_inspection else pieces)
    _compilation.start()
    _compilation.join(NAP)
    while _compilation.is_alive():
        yield _compilation.piece
        _compilation.join(NAP)
    if _compilation.error:
        raise _compilation.error
