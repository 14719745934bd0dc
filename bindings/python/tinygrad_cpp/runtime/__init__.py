"""Devices by tinygrad's names of modules: what of them programs import."""
