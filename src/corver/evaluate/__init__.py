"""Evaluation: greedy answers, grading and statistics with intervals."""
