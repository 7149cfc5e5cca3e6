"""What people see, made by pure functions from a session's state."""
