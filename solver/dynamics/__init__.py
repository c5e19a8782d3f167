# SPDX-License-Identifier: GPL-3.0-or-later
"""From a state to accelerations and forces."""
