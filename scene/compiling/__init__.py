# SPDX-License-Identifier: GPL-3.0-or-later
"""Compilation of the solver's machine code: in a thread, and ahead in a process of its own."""
