# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the platform whose library of kernels this machine needs: python -m solver.library."""

from .loader import this_platform

print(this_platform())
