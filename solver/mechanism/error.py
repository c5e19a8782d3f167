# SPDX-License-Identifier: GPL-3.0-or-later
"""The error that a wrong mechanism raises, and that of a run which cannot be."""

from __future__ import annotations


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
