# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixed steps with impulses, for linkages that touch things.

`driver` is what Python calls, `step_control` chooses how long steps are, `step` is one step: smooth motion, contact
detection, impacts, impulses; `step_ending` brings the pose to where contacts and joints let it be, and `energy_bound`
proves that nothing was gained.
"""
