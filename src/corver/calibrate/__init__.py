"""Calibration: scored texts and people's labels in; agreement, curves, maps from score to probability and rates out."""
