# SPDX-License-Identifier: GPL-3.0-or-later
"""Checking a set-up before anything is simulated: `check` for what is wrong, the others for advice."""
