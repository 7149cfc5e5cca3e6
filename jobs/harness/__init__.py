"""Adapters to whatever does the work, behind one contract."""
