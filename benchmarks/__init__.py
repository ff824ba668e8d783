"""Measurements against the speed goals, as ratios inside one run."""
