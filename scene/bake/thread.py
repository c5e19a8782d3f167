# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver works in a thread of its own, so that Blender's window goes on meanwhile.

The thread touches nothing of Blender. A run is told to stop when nobody waits for it any more, and does so at its next
pause. The compiler can't be stopped half-way: after a cancelled bake it finishes by itself, and the next bake finds the
work done.
"""

import itertools
import threading
from collections.abc import Generator, Iterator
from typing import Any

from ...solver.simulation import inspection

NAP = 0.01  # s to wait between two looks at the thread


class _Work(threading.Thread):
    """Runs a generator; `piece` is what it has yielded last, `result` what it returns."""

    def __init__(self, name: str, work: Iterator[Any]) -> None:
        super().__init__(name=name)
        self._work = iter(work)
        self.piece: Any = None
        self.result: Any = None
        self.error: BaseException | None = None
        self.is_unwanted = False

    def run(self) -> None:
        try:
            while not self.is_unwanted:
                self.piece = next(self._work)
        except StopIteration as end:
            self.result = end.value
        except BaseException as error:  # noqa: BLE001 - raised again where it can be reported
            self.error = error

    def wait(self) -> Iterator[Any]:
        """Until it ends; yields the last piece at each look. Raises what the work has raised."""
        self.join(NAP)
        while self.is_alive():
            yield self.piece
            self.join(NAP)
        if self.error:
            raise self.error


_compilation: _Work | None = None


def beside(work: Iterator[Any]) -> Generator[Any, None, Any]:
    """Run a generator that touches nothing of Blender; yields, often, what it yielded last (None at first).

    Returns what it returns and raises what it raises. If this is closed, the work stops at its next pause.
    """
    thread = _Work("run the solver", work)
    thread.start()
    try:
        yield from thread.wait()
    finally:
        thread.is_unwanted = True
    return thread.result


def compile_solver(pieces: Iterator[str], with_inspection: bool = True) -> Iterator[str]:
    """Compile or load what a run needs; yields what it is doing, often.

    `pieces` does the work, and touches nothing of Blender. `with_inspection`: also what Inspect needs once the run is
    kept.
    """
    global _compilation
    while _compilation is not None and _compilation.is_alive():  # of a bake that was cancelled
        yield _compilation.piece or ""
        _compilation.join(NAP)
    work = itertools.chain(pieces, inspection.warm_up()) if with_inspection else pieces
    _compilation = _Work("compile the solver", work)
    _compilation.start()
    for piece in _compilation.wait():
        yield piece or ""
