"""What must survive: real processes killed at the worst moment, then the log and the thread looked at."""
