# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of a baked motion besides its keyframes: quantities over time, plots, tables, impacts."""
