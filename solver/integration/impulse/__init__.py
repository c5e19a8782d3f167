# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixed steps with impulses, for linkages that touch things.

In reading order: `driver` is what Python calls; `step` goes on step by step and numbers the phases of one: 1
`smooth_phase`, at whose end `arrival` makes the factors ready, 2 detection, 3 `contact_phase`, from a warm start by
what `kept_forces` has kept, and at its end 4 `move_on`; `step_control` chooses how long steps are, and `energy_bound`
sees that nothing is gained.
"""
