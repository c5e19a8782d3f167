# SPDX-License-Identifier: GPL-3.0-or-later
"""The one error that a wrong mechanism raises."""

from __future__ import annotations


class MechanismError(ValueError):
    """A mechanism that is wrong. `problems` has one line per problem, each naming the item."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))
