# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the steps are by which pulled points come to their places."""

import numpy as np
import pytest

from solver import Posing
from tests.solver.posing.test_posing import chain


def test_pulls_that_cannot_all_be_followed_settle():
    """A stretched chain whose end is held and whose middle is pulled aside: least squares, and there it stays."""
    posing = Posing(chain(8, "spherical"), error=1e-4)
    posing.largest_turn = 0.1
    end = posing.poses()[0][7]
    posing.pull("link 7", (0.0, 0.0, 0.0), end, 10.0)
    posing.pull("link 3", (0.0, 0.0, 0.0), (3.0, 0.0, 0.8))
    costs = []
    for _ in range(4):
        posing.approach(100)
        places = posing.poses()[0]
        costs.append(10.0 * np.sum((places[7] - end) ** 2) + np.sum((places[3] - (3.0, 0.0, 0.8)) ** 2))
    assert max(costs) < 0.351, "leaping about, it would be 0.4 to 0.7"
    assert costs[3] == pytest.approx(costs[1], rel=1e-4)


def test_short_steps_leave_long_arms_where_they_are():
    """Pulled across in its middle, a long loose chain of 400 m bends there; its ends stay, with short steps the more.

    Steps that throw the arms about are followed by shorter ones: without that rule the ends would stray by 15 m.
    """
    strayed = []
    for largest_turn in (0.5, 0.05):
        posing = Posing(chain(400, "spherical"), error=0.0)
        start = posing.poses()[0]
        posing.largest_turn = largest_turn
        posing.pull("link 200", (0.0, 0.0, 0.0), start[200] + (0.0, 0.0, 1.0))
        for _ in range(300):
            posing.approach()
        assert posing.distance() < 0.05
        strayed.append(np.abs(posing.poses()[0] - start)[[0, 399]].max())
    assert strayed[1] < 0.5 * strayed[0] < 1.0
