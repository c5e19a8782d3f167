# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts that hold anew while their ends are apart: what is drawn together, what waits, and ropes that go slack.

`holding` says which parts hold as a linkage begins; `courses` draws those together whose ends are apart; `waiting`
finds when ends come near that wait for it, and `ropes` when one that is taut goes slack. `ends` tells their places.
"""
