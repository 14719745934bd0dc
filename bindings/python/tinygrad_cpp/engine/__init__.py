"""Captured functions: engine.jit."""
