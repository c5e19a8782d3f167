# SPDX-License-Identifier: GPL-3.0-or-later
"""The door at which what cannot be is refused: a wrong mechanism, and a run that makes no sense.

Whoever finds problems hands them over here as messages. No other module of the solver raises these two errors.
"""

from __future__ import annotations

from collections.abc import Iterable


class MechanismError(ValueError):
    """A mechanism that is wrong. `problems` has one line per problem, each naming the item."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))


class RunError(ValueError):
    """Options of a run that make no sense, or ask for more than there is. `problems` has one line per problem."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))


def refuse(problems: Iterable[str], cause: Exception | None = None) -> None:
    """Raises MechanismError with these problems, if there are any; `cause` is what has led to them."""
    problems = list(problems)
    if problems:
        raise MechanismError(problems) from cause


def refuse_run(*problems: str) -> None:
    """Raises RunError with these problems, if there are any."""
    if problems:
        raise RunError(list(problems))
