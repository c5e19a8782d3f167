# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages with loops that are led by their drives, without forces; see `kinematics` for what a person uses.

The kinematics of a joint is in `dynamics.tree.joints`.
"""

from .kinematics import Kinematics, Led
from .mobility import Mobility
from .warm_up import warm_up

__all__ = ["Kinematics", "Led", "Mobility", "warm_up"]
