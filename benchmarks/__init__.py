# SPDX-License-Identifier: GPL-3.0-or-later
"""Timings side by side with other engines: `python -m benchmarks`. What is measured, and how: docs/benchmarks.md."""
