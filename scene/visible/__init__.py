# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs, rubbers, rods and ropes that can be seen and rendered: geometry nodes that follow their ends."""
