"""Files of large language models: llm.gguf."""
