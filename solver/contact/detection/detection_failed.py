# SPDX-License-Identifier: GPL-3.0-or-later
"""The exception that stops a run whose contacts cannot be found."""


class DetectionFailed(RuntimeError):
    """No points could be found. Attributes: reason, in words; names of the bodies, if it is known which they are."""

    def __init__(self, reason: str, names: list[str]) -> None:
        self.reason, self.names = reason, names
        super().__init__(f"{reason}{' at ' if names else ''}{' and '.join(map(repr, names))}")
