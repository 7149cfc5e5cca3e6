"""Understand what people write: a reading, and a plan or a plan change they can approve."""
