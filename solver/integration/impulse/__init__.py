# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixed steps with impulses, for linkages that touch things.

In reading order: `driver` is what Python calls; `step` goes on step by step, each `smooth_phase`, detection,
`contact_phase`, `move_on`; `step_control` chooses how long steps are, and `energy_bound` sees that nothing is gained.
"""
