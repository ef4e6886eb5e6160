"""Erasure, the one hard delete: what it touches, how it is carried out, and the proof."""
