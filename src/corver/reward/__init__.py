"""Rewards: content words, levels, judge, format, and the scorer that puts them together."""
