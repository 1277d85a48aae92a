"""Text: words, sentences, answers, rollout tags. Plain Python; knows no corpus, index or model."""
