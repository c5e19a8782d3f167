# SPDX-License-Identifier: GPL-3.0-or-later
"""Adams predictor-corrector in local frames (Schroeder 1990, chapter 4): the method, its formulas, its memory."""
