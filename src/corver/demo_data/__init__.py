"""What ships with the demo: its questions, the learning zone found on them, and the recipe of the run."""
