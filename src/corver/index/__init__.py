"""The count engine: a memory-mapped positional index and exact windowed co-occurrence counts."""
