# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of a baked motion besides its keyframes: quantities over time, plots, tables, impacts."""
