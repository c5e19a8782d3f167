# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of figures that keep their balance, and of hands that reach, under `Object.ves`."""
