"""The append-only log of each session, and what must change in the same write: feeds, outbox, timers, control."""
