# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts that hold anew while their ends are apart: what is drawn together, what waits, slack ropes, and cams.

`holding` says which parts hold as a linkage begins; `courses` draws those together whose ends are apart; `waiting`
finds when `gaps` close that wait for it, and `one_sided` when a rope goes slack, or a cam's follower lifts off. `ends`
tells their places.
"""
