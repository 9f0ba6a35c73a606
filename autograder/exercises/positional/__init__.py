"""Positions: sinusoidal encodings, the rotations that shift them, and rotary position encoding (RoPE)."""
