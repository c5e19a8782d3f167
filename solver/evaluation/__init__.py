# SPDX-License-Identifier: GPL-3.0-or-later
"""One evaluation: from a state to its rates.

`forward_dynamics` is its table of contents. Energies, the changes of modes, and inspection stand
beside it, and in `middle` the force inside a bar.
"""
