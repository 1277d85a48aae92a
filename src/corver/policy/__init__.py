"""The policy: a language model with its prompts, sampling, and token-to-text alignment."""
