"""Turn facts into jobs: what to read, dispatch, run, merge, expire. Event-driven; the sweep is only the safety net."""
