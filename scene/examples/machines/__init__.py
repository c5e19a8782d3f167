# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines to drive live, whose parts look like what they are: a locomotive's valve gear, a car, a hand and others."""
