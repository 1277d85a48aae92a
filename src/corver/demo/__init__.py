"""The demo: the whole main job on a small model and a small corpus, with one command."""
