"""Credit: sentence verdicts to per-token returns and advantages. Numpy alone; no index, no torch."""
