"""Training: prompts, data, the learning zone, trainers and run folders."""
