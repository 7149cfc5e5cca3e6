"""Conversations that must work as written, played against the real product."""
