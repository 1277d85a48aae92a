"""Reports: a run folder in, one self-contained page out."""
